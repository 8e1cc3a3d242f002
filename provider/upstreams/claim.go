package upstreams

import (
	"io"
	"net/http"
	"net/url"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// An account whose address nobody has proven may be of somebody who lay in wait for its
// owner. Where that owner arrives, it becomes theirs if they say so, and nothing that
// opened it before opens it any more.

const claimPath = "/login/claim"

// claims lets the identity wait until its person has said that the account is theirs.
func (p *Pages) claims(w http.ResponseWriter, r *http.Request, attempt storage.UpstreamAttempt, said proof,
	user storage.User) error {
	waits := pendingOf(said, attempt, p.with.Ambient.Now())
	waits.UserID, waits.Claims = user.ID, true
	return p.offer(w, r, waits, claimPath)
}

// claimed returns the claim that waits in the browser.
func (p *Pages) claimed(r *http.Request) (pending, error) {
	waits, err := p.opened(r)
	if err == nil && !waits.Claims {
		err = errAttempt
	}
	waits.Identity.UserID = waits.UserID
	return waits, err
}

func (p *Pages) askClaim(w http.ResponseWriter, r *http.Request) error {
	waits, err := p.claimed(r)
	if err != nil {
		return err
	}
	page := templates.CardPage{Frame: webpage.Frame(r),
		Heading: texts.Say("upstreams.claim", "Account", waits.Identity.Email),
		Lead:    texts.Say("upstreams.claim-means", "Name", waits.Name),
		Form: templates.Form{ID: "claim-form", Action: claimPath, Grave: true,
			Submit: texts.Say("upstreams.claim-submit")},
		Links: []templates.Link{{URL: "/login", Text: texts.Say("upstreams.claim-not")}}}
	render := func(out io.Writer) error { return p.page.Pages.Card(out, page) }
	// The form leads to the upstream once more.
	return p.page.Web.SendUnder(templates.PolicyInteractive, w, http.StatusOK, render)
}

// claim makes the account theirs, and has them arrive once more. Of two windows the
// second finds that it is.
func (p *Pages) claim(w http.ResponseWriter, r *http.Request) error {
	waits, err := p.claimed(r)
	if err != nil {
		return err
	}
	user, err := p.with.Store.FindUser(r.Context(), waits.UserID)
	if err != nil {
		return err
	}
	act := p.page.Claimed(p.actOf(r, user.ID), user, waits.Name)
	err = p.with.Store.ClaimByAddress(r.Context(), act, waits.Identity)
	if fault.HasReason(err, storage.ReasonNotByAddress) {
		err = errNoAccount
	}
	if err != nil {
		return err
	}
	http.SetCookie(w, p.pendingCookie("", -1))
	query := url.Values{}
	for name, value := range map[string]string{"request": waits.Request, "then": waits.Then} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return webpage.See(w, r, at(beginPath, waits.Identity.UpstreamID)+"?"+query.Encode())
}
