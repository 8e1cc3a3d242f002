package sqlstore_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/tracing"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/storagetest"
)

// statementsOf is how often an act asks the database.
func statementsOf(t *testing.T, act func(context.Context)) int {
	t.Helper()
	takes := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer takes.Close()
	tracer := tracing.New(tracing.Options{URL: takes.URL, Share: 1, Source: ambient.System(),
		Log: slog.New(slog.DiscardHandler)})
	ctx, all := tracer.Request(t.Context(), "")
	act(ctx)
	all.End(nil)
	tracer.Close()
	sent, lost := tracer.Counts()
	return int(sent + lost)
}

// Rule: TWIN-3
func TestManyElementsComeAndGoWithAsFewStatementsAsFew(t *testing.T) {
	for name, engine := range map[string]storagetest.Engine{"sqlite": onSQLite(), "postgres": onPostgres()} {
		t.Run(name, func(t *testing.T) {
			w := storagetest.NewTree(t, engine)
			var undone, done [2]int // of few and of many
			for i, elements := range []int{2, 200} {
				twin := w.NewTwin("Tower").Facility.ID
				changes := make([]storage.ElementChange, elements)
				for i := range changes {
					changes[i] = storage.ElementChange{Op: storage.OpMake, Key: fmt.Sprint("element-", i)}
				}
				made, err := w.Data.Mutate(w.Ctx(), w.Change(), storage.Mutation{FacilityID: twin, Changes: changes})
				w.Must(err)
				undo := func(number int64) (took int, record storage.MutationRecord) {
					took = statementsOf(t, func(ctx context.Context) {
						record, err = w.Data.UndoMutation(ctx, w.Change(), twin, number, "")
						w.Must(err)
					})
					return took, record
				}
				undone[i], made = undo(made.Number)
				done[i], _ = undo(made.Number)
			}
			w.Equal([2]int{undone[0], undone[0]}, undone)
			w.Equal([2]int{done[0], done[0]}, done)
		})
	}
}
