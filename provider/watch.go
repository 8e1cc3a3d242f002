package provider

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/dpop"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/devices"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// tell says what was refused, with what would have been right.
func (p *Provider) tell(ctx context.Context, c *client, kind storage.FailureKind, got, expected string) {
	exchange := httpio.From(ctx)
	exchange.Blamed = c.ID
	p.watch.Failed(storage.ClientFailure{
		ClientID: c.ID, At: p.ambient.Now(), Kind: kind, Got: got, Expected: expected, Times: 1,
		RequestID: exchange.RequestID, Address: exchange.Address,
	})
}

// peoplesErrors are what a person, and not the app, has to do with.
var peoplesErrors = []string{"login_required", "consent_required", "interaction_required",
	"account_selection_required", "access_denied", devices.ReasonPending, devices.ReasonSlowDown, devices.ReasonExpired}

// tellRefusal tells of a request that was refused after its client was known.
// Whoever tries an app out sees the refusal; it is none of the app's.
func (p *Provider) tellRefusal(ctx context.Context, c *client, params url.Values, err error) {
	exchange := httpio.From(ctx)
	if ours, _ := p.tryOuts(c.ID, params.Get("redirect_uri")); ours {
		exchange.Usual = true
		return
	}
	answer := toOAuth(err)
	switch f := fault.From(err); {
	case f.Kind == fault.Unavailable || f.Kind == fault.TooMany || answer.Code == "server_error":
	case answer.Code == dpop.ReasonUseNonce || slices.Contains(peoplesErrors, answer.Code):
		exchange.Usual = true
	case answer.Code == "invalid_scope":
		p.tell(ctx, c, storage.FailureScope, params.Get("scope"), scope.Format(c.Scopes))
	default:
		p.tell(ctx, c, storage.FailureOther, answer.Code, answer.Description)
	}
}

// tellRedirect tells of an address that is not registered, unless it belonged to
// a try-out that is over.
func (p *Provider) tellRedirect(ctx context.Context, c *client, got string) {
	if ours, _ := p.tryOuts(c.ID, got); ours {
		return
	}
	p.tell(ctx, c, storage.FailureRedirect, got, strings.Join(c.RedirectURIs, "\n"))
}

// tellSecret tells how a client failed to prove itself, and nothing of what it
// sent.
func (p *Provider) tellSecret(ctx context.Context, c *client, given credentials) {
	where := "in the body"
	if given.inHeader {
		where = "in the Authorization header"
	}
	switch {
	case c.Public():
		p.tell(ctx, c, storage.FailureSecret, "a secret "+where,
			"only client_id in the body: an app of this type has no secret")
	case !given.hasSecret:
		p.tell(ctx, c, storage.FailureSecret, "no secret",
			"one of the app's live secrets, in the Authorization header or in the body")
	default:
		p.tell(ctx, c, storage.FailureSecret, "a secret "+where+" that is not the app's", "one of the app's live secrets")
	}
}
