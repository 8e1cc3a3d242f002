package provider

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// hint is what the upstream is told of whom it is to sign out; empty: it is
// not known, which holds up nobody who signs out.
func (p arriving) hint(ctx context.Context, session storage.LoginSession) string {
	if session.UpstreamID == "" {
		return ""
	}
	hint, err := p.elsewhere.Hint(ctx, session)
	if err != nil {
		p.log.WarnContext(ctx, "the hint for an upstream could not be read", "error", err)
	}
	return hint
}

// leaving is how somebody signs out of the upstream whose session here has ended.
func (p arriving) leaving(ctx context.Context, session storage.LoginSession, hint, to string) storage.Leaving {
	if session.UpstreamID == "" {
		return storage.Leaving{}
	}
	leaving, err := p.elsewhere.Leave(ctx, session, hint, to)
	if err != nil {
		p.log.WarnContext(ctx, "signing out of an upstream could not be offered", "upstream", session.UpstreamID,
			"error", err)
	}
	return leaving
}

// offerLeaving tells somebody who is signed out here that they may not be there.
func (p arriving) offerLeaving(w http.ResponseWriter, r *http.Request, leaving storage.Leaving) error {
	page := templates.SignedOutPage{Frame: webpage.Frame(r), Upstream: leaving.Name, LeaveURL: leaving.URL,
		StayURL: leaving.Stay}
	return p.page(w, r, http.StatusOK, templates.PolicyInteractive, func() error { return p.pages.SignedOut(w, page) })
}
