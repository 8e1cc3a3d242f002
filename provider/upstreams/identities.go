package upstreams

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

var done = map[string]texts.Text{
	"connected": texts.Say("upstreams.connected"), "disconnected": texts.Say("upstreams.disconnected"),
}

func desk(r *http.Request) templates.Desk { return webpage.Desk(r, "", done) }

func back() templates.Link {
	return templates.Link{URL: identitiesPath, Text: texts.Say("upstreams.title")}
}

// identities serves by which upstreams the visitor signs in, and by which they could.
func (p *Pages) identities(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	mine, err := p.Identities(r.Context(), v.UserID)
	if err != nil {
		return err
	}
	offered, err := p.Offered(r.Context())
	if err != nil {
		return err
	}
	page := templates.IdentitiesPage{Desk: desk(r), Back: templates.Link{URL: "/", Text: texts.Say("parts.your-account")}}
	for _, one := range offered {
		row := templates.IdentityRow{Name: one.Name, ConnectURL: at(connectPath, one.ID)}
		for _, identity := range mine {
			if identity.UpstreamID == one.ID {
				row.Account, row.Since, row.LastAt = identity.Email, identity.LinkedAt, identity.LastAt
				row.ConnectURL, row.DisconnectURL = "", at(disconnectPath, one.ID)
			}
		}
		page.Rows = append(page.Rows, row)
	}
	return p.page.Web.Send(w, http.StatusOK, func(out io.Writer) error { return p.page.Pages.Identities(out, page) })
}

// at is the address of a page about the upstream.
func at(template, id string) string {
	return template[:len(template)-len("{"+upstreamPathVar+"}")] + url.PathEscape(id)
}

// Identities returns what upstreams, directories too, know the user by, by upstream.
func (u *Upstreams) Identities(ctx context.Context, userID string) ([]storage.UpstreamIdentity, error) {
	return u.with.Store.ListIdentities(ctx, userID)
}

// Disconnect takes off the user what the upstream knows them by, and reports whether there
// was anything. NotFound for an absent upstream; Conflict (storage.ReasonLastWayIn).
func (u *Upstreams) Disconnect(ctx context.Context, act storage.Act, userID, upstreamID string) (taken bool, _ error) {
	if _, err := u.Find(ctx, upstreamID); err != nil {
		return false, err
	}
	mine, err := u.Identities(ctx, userID)
	for _, identity := range mine {
		if identity.UpstreamID != upstreamID {
			continue
		}
		if err := u.with.Store.UnlinkIdentity(ctx, act, identity); err != nil {
			return taken, err
		}
		taken, act.Mails = true, nil // they are told once, however often they are known
	}
	return taken, err
}

// askOnce asks before something is done with an upstream.
func (p *Pages) askOnce(w http.ResponseWriter, r *http.Request, page templates.ConfirmPage) error {
	page.Desk, page.Back, page.CancelURL = desk(r), back(), identitiesPath
	return p.page.Web.Send(w, http.StatusOK, func(out io.Writer) error { return p.page.Pages.Confirm(out, page) })
}

// named returns the upstream that the address names.
func (p *Pages) named(r *http.Request) (storage.Upstream, error) {
	return httpio.Named(r, upstreamPathVar, p.with.Store.FindUpstream)
}

// connect sends the visitor to the upstream to show which identity is to be theirs.
func (p *Pages) connect(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	return p.leave(w, r, storage.UpstreamAttempt{UserID: v.UserID, SessionID: v.ID, Then: identitiesPath}, "")
}

func (p *Pages) askConfirm(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	waits, err := p.waiting(r, v.UserID)
	if err != nil {
		return err
	}
	heading := texts.Say("upstreams.confirm", "Name", waits.Name, "Account", waits.Identity.Email)
	return p.askOnce(w, r, templates.ConfirmPage{Heading: heading, Action: confirmPath,
		Stops:  []texts.Text{texts.Say("upstreams.confirm-means", "Name", waits.Name)},
		Submit: texts.Say("upstreams.connect")})
}

// confirm connects the identity that waits to the account of the visitor, who has
// proven both.
func (p *Pages) confirm(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	waits, err := p.waiting(r, v.UserID)
	if err != nil {
		return err
	}
	act := p.page.Connected(v.Act, v.User, waits.Name, true)
	if err := p.with.Store.LinkIdentity(r.Context(), act, waits.Identity); err != nil {
		return err
	}
	http.SetCookie(w, p.pendingCookie("", -1))
	if waits.Request != "" {
		return webpage.See(w, r, p.page.ResumePath+"?request="+url.QueryEscape(waits.Request))
	}
	return webpage.See(w, r, identitiesPath+"?done=connected")
}

func (p *Pages) askDisconnect(w http.ResponseWriter, r *http.Request, _ websession.Visit) error {
	upstream, err := p.named(r)
	if err != nil {
		return err
	}
	return p.askOnce(w, r, templates.ConfirmPage{Heading: texts.Say("upstreams.disconnect-ask", "Name", upstream.Name),
		Stops:  []texts.Text{texts.Say("upstreams.disconnect-stops", "Name", upstream.Name)},
		Action: at(disconnectPath, upstream.ID), Submit: texts.Say("upstreams.disconnect")})
}

// disconnect answers a second press of the button like the first.
func (p *Pages) disconnect(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	upstream, err := p.named(r)
	if err != nil {
		return err
	}
	act := p.page.Connected(v.Act, v.User, upstream.Name, false)
	if _, err := p.Disconnect(r.Context(), act, v.UserID, upstream.ID); err != nil {
		return err
	}
	return webpage.See(w, r, identitiesPath+"?done=disconnected")
}
