package engine

import (
	"context"
	"strings"

	"github.com/portico-id/portico/internal/tracing"
	"github.com/portico-id/portico/migrations"
)

// follow begins the span of a statement, in the trace of the act that runs it; nil when
// nobody follows that. It has the act's name and the first word of the statement, and
// neither what is in it nor its values.
func (h *handle) follow(ctx context.Context, query string) *tracing.Span {
	s := tracing.Child(ctx)
	if s == nil {
		return nil
	}
	verb := verbOf(query)
	s.Name(verb, actOf(ctx))
	s.Set("db.system.name", h.dialect.system())
	s.Set("db.operation.name", verb)
	return s
}

// system is the engine as the conventions of OpenTelemetry call it.
func (d dialect) system() string {
	if d.engine == migrations.Postgres {
		return "postgresql"
	}
	return string(d.engine)
}

func verbOf(query string) string {
	verb, _, _ := strings.Cut(strings.TrimSpace(query), " ")
	switch verb {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "BEGIN", "COMMIT":
		return verb
	}
	return "SET" // a statement that is one word of the dialect
}

// ended ends the span of a statement. That there is no row is an answer.
func ended(s *tracing.Span, err error) {
	if s == nil {
		return
	}
	if IsNoRow(err) {
		err = nil
	}
	s.End(AsFault(err))
}

// actKey is the key in a context of what an act is called that is done by a goroutine of
// its own.
type actKey struct{}

func actOf(ctx context.Context) string {
	if name, ok := ctx.Value(actKey{}).(string); ok {
		return name
	}
	return tracing.Act("storage/sqlstore")
}
