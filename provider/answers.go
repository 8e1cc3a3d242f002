package provider

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// answers are what clients are told, as they want it: what is signed for a client is
// signed with the algorithm of its ID tokens.
type answers struct{ *Provider }

// answerLife is how long a signed answer counts (JARM 2.1: ten minutes at most).
const answerLife = 5 * time.Minute

// sign returns the parameters of an answer as one (JARM 2.1). iss is among them.
func (p answers) sign(ctx context.Context, c *client, fields []templates.Field) (string, error) {
	parameters := map[string]any{"aud": c.name(), "exp": p.ambient.Now().Add(answerLife).Unix()}
	for _, f := range fields {
		parameters[f.Name] = f.Value
	}
	return p.keys.SignAnswer(ctx, c.IDTokenAlg, parameters)
}

// introspectionType is the media type of a signed introspection (RFC 9701, 4).
const introspectionType = "application/token-introspection+jwt"

// wantsSigned reports whether the answer to an introspection is to be signed.
func wantsSigned(r *http.Request, c *client) bool {
	return c.profile.TakesSigned() && strings.Contains(strings.ToLower(strings.Join(r.Header.Values("Accept"), ",")),
		introspectionType)
}

// introspected writes the answer to an introspection, signed (RFC 9701, 5).
func (p answers) introspected(ctx context.Context, w http.ResponseWriter, c *client, answer introspection) error {
	text, err := p.keys.SignIntrospection(ctx, c.IDTokenAlg, map[string]any{
		"iss": p.issuer, "aud": c.name(), "iat": p.ambient.Now().Unix(), "token_introspection": answer,
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", introspectionType)
	_, _ = w.Write([]byte(text))
	return nil
}

// joinSession notes a client that wants to be told when the session ends, before
// it learns of the session at all.
func (p answers) joinSession(ctx context.Context, c *client, sessionID string) error {
	if c.BackchannelLogoutURI == "" {
		return nil
	}
	err := p.store.JoinSession(ctx, sessionID, c.ID)
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.Gone, storage.ReasonSessionOver, "The person has been signed out meanwhile.").Because(err)
	}
	return err
}
