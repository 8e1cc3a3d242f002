package upstreams

import (
	"cmp"
	"context"
	"net/url"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Steps of a test, in their order.
const (
	StepMetadata = "metadata"
	StepKeys     = "keys"
	StepSecret   = "secret"
)

// Step is one step of a test, with what came of it; no secret is told.
type Step struct {
	Name string
	Note string // what could not be told though it went well; may be empty
	Err  error  // nil: it went well
}

// String is the step in a line.
func (s Step) String() string { return s.Name + ": " + cmp.Or(s.Said(), "ok") }

// Said is why the step failed, or what could not be told; empty: neither.
func (s Step) Said() string {
	if s.Err == nil {
		return s.Note
	}
	if cause := fault.From(s.Err).Unwrap(); cause != nil {
		return fault.Told(cause)
	}
	return fault.Told(s.Err)
}

// Test asks the upstream for what a sign-in needs before anybody signs in, step by
// step, and ends at the first that fails.
func (u *Upstreams) Test(ctx context.Context, id string) ([]Step, error) {
	upstream, err := u.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	config, err := configOf(upstream)
	if err != nil {
		return nil, err
	}
	fresh := newRemote(u.with.Ambient, upstream, config)
	var steps []Step
	for _, step := range []func() Step{
		func() Step { _, err := fresh.known(ctx); return Step{Name: StepMetadata, Err: err} },
		func() Step { return Step{Name: StepKeys, Err: fresh.tryKeys(ctx)} },
		func() Step { return u.trySecret(ctx, fresh, upstream) },
	} {
		came := step()
		if steps = append(steps, came); came.Err != nil {
			break
		}
	}
	return steps, nil
}

func (r *remote) tryKeys(ctx context.Context) error {
	if r.kind == storage.UpstreamGitHub {
		return nil
	}
	set, err := r.keysFor(ctx, anyKey)
	if err == nil && len(set.keys) == 0 {
		err = causef("it publishes no key that can be used")
	}
	return err
}

func anyKey(keys []jose.JSONWebKey) bool { return len(keys) > 0 }

// trySecret asks for what a code stands for that nobody was given. Whom the upstream
// knows by the secret is told that the code is none (RFC 6749 §5.2), whom it does not
// know something else.
func (u *Upstreams) trySecret(ctx context.Context, r *remote, upstream storage.Upstream) Step {
	meta, err := r.known(ctx)
	if err == nil {
		_, err = u.secret(upstream, r.config)
	}
	if err != nil {
		return Step{Name: StepSecret, Err: err}
	}
	got, err := u.askTokens(ctx, r, meta, upstream, url.Values{"grant_type": {"authorization_code"},
		"code": {u.with.Ambient.Token()}, "redirect_uri": {u.RedirectURI(upstream.ID)},
		"code_verifier": {u.with.Ambient.Token()}})
	switch got.Error {
	case "invalid_grant", "bad_verification_code": // the latter is GitHub's
		return Step{Name: StepSecret}
	case "invalid_client", "unauthorized_client", "incorrect_client_credentials": // likewise
		return Step{Name: StepSecret, Err: causef("it does not take client id and secret: %s", got.Error)}
	}
	if fault.Is(err, fault.Unavailable) {
		return Step{Name: StepSecret, Err: err}
	}
	note := "whether it is right could not be told"
	if err != nil {
		note += ": " + fault.Told(err)
	}
	return Step{Name: StepSecret, Note: note}
}
