package provider

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// consenting is a parked request in front of the person it asks.
type consenting struct {
	parked  storage.LoginRequest
	request *authorizeRequest
	session websession.Session
}

// consentOf reads the parked request and the session. False: nobody is signed
// in any more, and the browser has been sent back to authorize.
func (p *Provider) consentOf(w http.ResponseWriter, r *http.Request) (consenting, bool, error) {
	parked, err := p.parkedRequest(r)
	if err != nil {
		return consenting{}, false, err
	}
	request, err := p.parkedAuthorize(r.Context(), parked)
	if err != nil {
		return consenting{}, false, err
	}
	session, signedIn, err := p.sessions.Find(r)
	if err != nil {
		return consenting{}, false, err
	}
	if !signedIn || request.tooWeak(&session) {
		redirect(w, r, pageURL(ResumePath, parked.ID))
		return consenting{}, false, nil
	}
	return consenting{parked, request, session}, true, nil
}

func (p *Provider) showConsent(w http.ResponseWriter, r *http.Request) error {
	c, ok, err := p.consentOf(w, r)
	if err != nil || !ok {
		return err
	}
	if others, err := barred(r.Context(), p.store, c.request.client, c.session.UserID); err != nil || others {
		return cmp.Or(err, p.barredPage(w, r, c, pageURL(consentPath, c.parked.ID), pageURL(loginPath, c.parked.ID)))
	}
	page, err := c.page(r, p)
	if err != nil {
		return err
	}
	return p.page(w, r, http.StatusOK, templates.PolicyInteractive, func() error { return p.pages.Consent(w, page) })
}

// page is the consent page with all that is known of the client.
func (c consenting) page(r *http.Request, p *Provider) (page templates.ConsentPage, err error) {
	remembered, err := p.store.FindConsent(r.Context(), c.session.UserID, c.request.client.ID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return page, err
	}
	owner, known, err := clientprofile.Owner(r.Context(), p.store, c.request.client.Client)
	if err != nil {
		return page, err
	}
	logo, err := p.store.FindClientLogo(r.Context(), c.request.client.ID)
	if err != nil {
		return page, err
	}
	page, optional := consentPage(c, remembered, owner.Profile.Name)
	page.Fields = p.shown(c, c.request.wanted(), optional)
	page.Frame, page.OwnerGone = c.request.frame(r), !known && c.request.client.OwnerUserID != ""
	page.LogoURL = templates.LogoPath(logo)
	page.Itself = c.request.client.Origin != ""
	if origin := c.request.client.Origin; clientprofile.Described(origin) {
		page.Document, page.OnlyHere = clientprofile.DocumentHost(origin), c.request.client.onlyHere()
	}
	page.Unvouched = c.request.client.unvouched(owner, known)
	if c.request.responseType != clientprofile.ResponseIDToken {
		page.Until = p.grantEnd(c.request.client, p.ambient.Now())
	}
	return page, nil
}

// consentPage asks for what is new, and shows folded what was allowed before.
// What may be left out can be unless it was allowed before, and is again where it
// was.
func consentPage(c consenting, remembered storage.Consent,
	owner string) (page templates.ConsentPage, optional []string) {
	a := c.request
	fresh := scope.Beyond(a.wanted(), remembered.Scopes)
	already := scope.Beyond(a.wanted(), fresh)
	if a.prompt("consent") {
		fresh, already = a.wanted(), nil
	}
	optional = a.client.optional(fresh)
	page = templates.ConsentPage{
		ClientName: a.client.Name, OwnerName: owner, Vouched: a.client.Vouched,
		ClientHost: hostOf(a.redirectURI), Account: c.session.User.Email,
		PolicyURL: a.client.PolicyURI, TermsURL: a.client.TermsURI,
		SwitchURL: pageURL(loginPath, c.parked.ID),
		Already:   templates.ScopeLines(already),
		Action:    pageURL(consentPath, c.parked.ID),
	}
	for _, line := range templates.ScopeLines(fresh) {
		line.Optional = slices.Contains(optional, line.Name)
		line.Chosen = line.Optional && !slices.Contains(remembered.LeftOut, line.Name)
		list := &page.Scopes
		switch {
		case scope.NeedsAdministrator(line.Name):
			list = &page.Administrates
		case scope.Grave(line.Name):
			list = &page.Grave
		}
		*list = append(*list, line)
	}
	return page, optional
}

// submitConsent notes the decision for this session and goes back to
// authorize, which alone decides what follows from it.
func (p *Provider) submitConsent(w http.ResponseWriter, r *http.Request) error {
	form, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	decision := form.Get("decision")
	if decision != "allow" && decision != "deny" {
		return fault.New(fault.Invalid, "invalid_request", "The form says neither allow nor deny.")
	}
	c, ok, err := p.consentOf(w, r)
	if err != nil || !ok {
		return err
	}
	scopes, leftOut, err := p.readShown(c, form)
	if err != nil {
		return err
	}
	if decision == "allow" {
		if others, err := barred(r.Context(), p.store, c.request.client, c.session.UserID); err != nil || others {
			return cmp.Or(err, p.barredPage(w, r, c, pageURL(consentPath, c.parked.ID), pageURL(loginPath, c.parked.ID)))
		}
	}
	act := p.act(r.Context(), storage.Actor{Kind: storage.ActorUser, ID: c.session.UserID})
	c.parked.DecidedBy, c.parked.DecidedAt, c.parked.Allowed = c.session.ID, act.At, decision == "allow" && len(scopes) > 0
	if err := p.store.DecideLoginRequest(r.Context(), act, c.parked, c.session.UserID, scopes, leftOut...); err != nil {
		return err
	}
	redirect(w, r, pageURL(ResumePath, c.parked.ID))
	return nil
}
