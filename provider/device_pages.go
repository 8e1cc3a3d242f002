package provider

import (
	"cmp"
	"net/http"
	"net/url"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/devices"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// DeviceRoutes are the endpoint of devices, and the pages about them.
func DeviceRoutes(p *Provider) []httpio.Route {
	d := devicePages{p, p.sessions.Gate(p.writePageError)}
	return []httpio.Route{
		httpio.At(deviceCallPath).For(httpio.RegisteredSites).Post(httpio.Open(p.writeClientError, deviceCalls{p}.begin)),
		httpio.At(devicePath).Get(d.gate.Show(d.show)).Post(p.ownForm(d.enter)),
		httpio.At(deviceConfirmPath).Get(d.gate.Show(d.ask)).Post(p.ownForm(d.answer)),
	}
}

// show serves the page with the field. A link that has the code only fills it in.
func (p devicePages) show(w http.ResponseWriter, r *http.Request, _ websession.Visit) error {
	query := r.URL.Query()
	done := map[string]templates.MessagePage{
		"allowed": {Heading: texts.Say("sign-in.device.allowed"), Text: texts.Say("sign-in.device.allowed-next")},
		"denied":  {Heading: texts.Say("sign-in.device.denied"), Text: texts.Say("sign-in.device.denied-next")},
	}
	if said, ok := done[query.Get("done")]; ok {
		said.Frame = webpage.Frame(r)
		return p.page(w, r, http.StatusOK, templates.PolicyOwn, func() error { return p.pages.Message(w, said) })
	}
	return p.codePage(w, r, http.StatusOK, templates.DevicePage{Code: devices.Shown(query.Get(devices.FieldCode))})
}

func (p devicePages) codePage(w http.ResponseWriter, r *http.Request, status int, page templates.DevicePage) error {
	page.Frame, page.Action = webpage.Frame(r), devicePath
	return p.page(w, r, status, templates.PolicyOwn, func() error { return p.pages.Device(w, page) })
}

// enter looks for the device with the code.
func (p devicePages) enter(w http.ResponseWriter, r *http.Request) error {
	form, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	session, signedIn, err := p.sessions.Find(r)
	if err != nil {
		return err
	}
	typed := form.Get(devices.FieldCode)
	if !signedIn {
		redirect(w, r, typedURL(devices.Shown(typed))) // which asks to sign in
		return nil
	}
	found, err := p.devices.Enter(r.Context(), session.UserID, httpio.From(r.Context()).Address, typed)
	if err != nil {
		return p.wrongCode(w, r, typed, fault.From(err))
	}
	ticket, err := p.ring.Sign(deviceLabel, deviceTicket{found.Hash, devices.Shown(typed), session.ID})
	if err != nil {
		return err
	}
	redirect(w, r, pageURL(deviceConfirmPath, ticket))
	return nil
}

// wrongCode shows the page again with what is wrong.
func (p devicePages) wrongCode(w http.ResponseWriter, r *http.Request, typed string, f *fault.Error) error {
	status := http.StatusUnprocessableEntity
	switch f.Kind {
	case fault.Invalid:
	case fault.TooMany:
		status = http.StatusTooManyRequests
		httpio.SetRetryAfter(w.Header(), f.RetryAfter)
	default:
		return f
	}
	return p.codePage(w, r, status, templates.DevicePage{Code: typed, Error: webpage.Detail(f)})
}

// ticketOf is the ticket in the address; one without a device is none of ours.
func (p devicePages) ticketOf(r *http.Request) (text string, ticket deviceTicket) {
	text = r.URL.Query().Get("request")
	if p.ring.Verify(deviceLabel, text, &ticket) != nil {
		return text, deviceTicket{}
	}
	return text, ticket
}

// asked judges anew what the device of the ticket in the address asks for.
func (p devicePages) asked(r *http.Request, session websession.Session) (a asked, err error) {
	text := ""
	if text, a.ticket = p.ticketOf(r); a.ticket.Session != session.ID {
		return a, errRequestOver
	}
	a.device, err = p.devices.Waiting(r.Context(), a.ticket.Device)
	if fault.Is(err, fault.NotFound) {
		err = errRequestOver.Because(err)
	}
	if err != nil {
		return a, err
	}
	c, err := p.clients.find(r.Context(), a.device.ClientID)
	if fault.Is(err, fault.NotFound) || err == nil && !c.grants.Has(deviceGrant.name) {
		return a, errRequestOver
	}
	if err != nil {
		return a, err
	}
	params, err := url.ParseQuery(a.device.Params)
	if err != nil {
		return a, err
	}
	a.session, a.parked.ID = session, text
	a.request, err = deviceCalls{p.Provider}.deviceRequest(r.Context(), c, params)
	return a, err
}

// ask serves the page that asks whether the device may act for the person.
func (p devicePages) ask(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	a, err := p.asked(r, v.Session)
	if to, err := p.instead(r, a, v.Session, err); err != nil || to != "" {
		return sentTo(w, r, to, err)
	}
	action := pageURL(deviceConfirmPath, a.parked.ID)
	if others, err := barred(r.Context(), p.store, a.request.client, v.UserID); err != nil || others {
		return cmp.Or(err, p.barredPage(w, r, a.consenting, action, a.anew()))
	}
	page, err := a.consenting.page(r, p.Provider)
	if err != nil {
		return err
	}
	page.Action, page.SwitchURL = action, ""
	page.Device = &templates.DeviceAsk{Code: a.ticket.Code, Address: a.device.Address, At: a.device.CreatedAt}
	return p.page(w, r, http.StatusOK, templates.PolicyOwn, func() error { return p.pages.Consent(w, page) })
}

// answer takes the decision down.
func (p devicePages) answer(w http.ResponseWriter, r *http.Request) error {
	form, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	session, signedIn, err := p.sessions.Find(r)
	if err != nil {
		return err
	}
	if !signedIn {
		_, ticket := p.ticketOf(r)
		redirect(w, r, typedURL(ticket.Code))
		return nil
	}
	a, err := p.asked(r, session)
	if to, err := p.instead(r, a, session, err); err != nil || to != "" {
		return sentTo(w, r, to, err)
	}
	scopes, leftOut, err := p.readShown(a.consenting, form)
	if err != nil {
		return err
	}
	if form.Get("decision") != "allow" {
		scopes = nil
	}
	if err := a.request.leaveOut(leftOut); err != nil {
		return err
	}
	if len(scopes) > 0 && !scope.Within(a.request.wanted(), scopes) {
		redirect(w, r, pageURL(deviceConfirmPath, a.parked.ID)) // the registration has grown since
		return nil
	}
	allowed, err := p.decide(r, a, scopes, leftOut)
	to := answeredURL(allowed)
	if err != nil {
		to, err = p.instead(r, a, session, err)
	}
	return sentTo(w, r, to, err)
}

// decide keeps the decision, and returns what it is: what was allowed, as the page says it,
// or nothing, which is a no. What is left of the request is what the device gets.
func (p devicePages) decide(r *http.Request, a asked, allowed, leftOut []string) (bool, error) {
	ctx, c := r.Context(), a.request.client
	others, err := barred(ctx, p.store, c, a.session.UserID)
	if err != nil {
		return false, err
	}
	if others {
		allowed = nil
	}
	code := *p.newCode(a.request, a.session)
	code.Hash, code.Device = a.device.Hash, cmp.Or(a.device.Address, "?")
	if len(allowed) > 0 {
		if err := (answers{p.Provider}).joinSession(ctx, c, a.session.ID); err != nil {
			return false, err
		}
	}
	act := p.act(ctx, storage.Actor{Kind: storage.ActorUser, ID: a.session.UserID})
	err = p.store.AnswerDevice(ctx, act, storage.DeviceAnswer{Code: code, Allowed: allowed, LeftOut: leftOut})
	if fault.HasReason(err, storage.ReasonRequestOver) {
		err = errRequestOver.Because(err)
	}
	return len(allowed) > 0, err
}
