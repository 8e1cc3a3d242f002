package factors

import (
	"io"
	"net/http"
	"net/url"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// PagesOptions are what Pages are made of. Every field is needed.
type PagesOptions struct {
	Factors  *Factors
	Sessions *websession.Manager
	Pages    *templates.Pages
	Web      *webpage.Writer
}

// Pages are a person's own, about how their sign-in is guarded, and one for
// administrators.
type Pages struct {
	with    PagesOptions
	factors *Factors
	gate    *websession.Gate
}

// NewPages returns the pages.
func NewPages(o PagesOptions) *Pages {
	return &Pages{with: o, factors: o.Factors, gate: o.Sessions.Gate(o.Web.Error)}
}

const (
	securityPath    = "/account/security"
	addPath         = securityPath + "/authenticator"
	codesPath       = securityPath + "/codes"
	removePath      = securityPath + "/remove"
	passkeyPath     = securityPath + "/passkey"
	passkeyVariable = "passkeyId"
	usersPath       = "/admin/users"
	lostPath        = "/second-factor"
	userVariable    = "userId"
)

// Routes are the pages. What changes how a sign-in is guarded needs one of the last
// minutes, which proved the factors that there are.
func (p *Pages) Routes() []httpio.Route {
	return []httpio.Route{
		httpio.At(securityPath).Get(p.gate.Show(p.security)),
		p.gate.Grave(httpio.At(addPath), p.showAdd, p.add),
		p.gate.Grave(httpio.At(codesPath), p.askCodes, p.newCodes),
		p.gate.Grave(httpio.At(removePath), p.askRemove, p.remove),
		p.gate.Grave(httpio.At(passkeyPath), p.showPasskey, p.addPasskey),
		p.gate.Grave(httpio.At(passkeyPath+"/{"+passkeyVariable+"}"), p.ofPasskey(p.askRemovePasskey),
			p.ofPasskey(p.removePasskey)),
		p.gate.Administrators().Grave(httpio.At(usersPath+"/{userId}"+lostPath), p.ofUser(p.askLost), p.ofUser(p.removeLost)),
	}
}

// done says what a form did, when the next page is asked with its key.
var done = map[string]texts.Text{
	"added": texts.Say("security.done.added"), "passkey-added": texts.Say("security.done.passkey-added"),
	"removed": texts.Say("security.done.removed"), "passkey-removed": texts.Say("security.done.passkey-removed"),
}

func desk(r *http.Request) templates.Desk { return webpage.Desk(r, "", done) }

func back() templates.Link {
	return templates.Link{URL: securityPath, Text: texts.Say("parts.sign-in-security")}
}

// security serves the page that says how the visitor's sign-in is guarded.
func (p *Pages) security(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	has, err := p.factors.Find(r.Context(), v.UserID)
	if err != nil {
		return err
	}
	page := templates.SecurityPage{
		Desk: desk(r), Back: templates.Link{URL: "/", Text: texts.Say("parts.your-account")},
		Since: has.Authenticator.CreatedAt, Codes: has.Codes,
		AddURL: enrolPath(p.factors.Begin(v.User, "")), RemoveURL: removePath,
	}
	if p.factors.keeps {
		page.PasskeyURL = passkeyPath
	}
	if v.User.TwoFactor {
		page.CodesURL = codesPath
	}
	for _, k := range has.Passkeys {
		page.Passkeys = append(page.Passkeys, templates.PasskeyRow{ID: k.ID, Label: k.Label, Created: k.CreatedAt,
			LastUsed: k.LastUsedAt, RemoveURL: passkeyPath + "/" + k.ID})
	}
	return p.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return p.with.Pages.Security(out, page) })
}

// enrolVariable is the parameter with the token of an enrolment: the page can be
// reloaded after the QR code was scanned.
const enrolVariable = "enrol"

func enrolPath(e Enrolment) string {
	return addPath + "?" + url.Values{enrolVariable: {e.Token}}.Encode()
}

func (p *Pages) showAdd(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	has, err := p.factors.Find(r.Context(), v.UserID)
	if err != nil {
		return err
	}
	if has.Authenticator.UserID != "" {
		return webpage.See(w, r, securityPath)
	}
	e := p.factors.Begin(v.User, r.URL.Query().Get(enrolVariable))
	return p.addPage(w, r, http.StatusOK, e, addForm(e))
}

func addForm(e Enrolment) templates.Form {
	return templates.Form{
		ID: "authenticator-form", Action: enrolPath(e), Submit: texts.Say("security.add"),
		Inputs: []templates.Input{
			{Kind: templates.InputText, Name: FieldCode, Label: texts.Say("security.code"),
				Hint: texts.Say("security.code-hint"), Required: true, Max: 40, Complete: "one-time-code"},
		},
	}
}

func (p *Pages) addPage(w http.ResponseWriter, r *http.Request, status int, e Enrolment, form templates.Form) error {
	code, err := picture(e.URI)
	if err != nil {
		return err
	}
	page := templates.AuthenticatorPage{Desk: desk(r), Back: back(), QR: code, Secret: e.Secret, Form: form}
	return p.with.Web.Send(w, status, func(out io.Writer) error { return p.with.Pages.Authenticator(out, page) })
}

func (p *Pages) add(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	e := p.factors.Begin(v.User, r.URL.Query().Get(enrolVariable))
	codes, err := p.factors.Enrol(r.Context(), v.Act, v.User, v.LoginSession, e, values.Get(FieldCode))
	if err != nil {
		form := addForm(e)
		if !webpage.Mark(&form, err) {
			return err
		}
		return p.addPage(w, r, webpage.Marked(w.Header(), err), e, form)
	}
	return added(w, r, v, texts.Say("security.added"), "added", codes)
}

// added shows recovery codes, if any came with what was added.
func added(w http.ResponseWriter, r *http.Request, v websession.Visit, heading texts.Text, what string,
	codes []string) error {
	if codes == nil {
		return webpage.See(w, r, securityPath+"?done="+what)
	}
	return reveal(w, r, v, heading, codes)
}

// reveal shows recovery codes this once.
func reveal(w http.ResponseWriter, r *http.Request, v websession.Visit, heading texts.Text, codes []string) error {
	page := revealed(heading, codes, securityPath)
	return v.Show(w, r, templates.Shown{Reveal: &page}, securityPath)
}

// ask serves the question before something of the visitor's is voided.
func (p *Pages) ask(w http.ResponseWriter, r *http.Request, heading, submit texts.Text, action string,
	stops ...texts.Text) error {
	page := templates.ConfirmPage{Desk: desk(r), Back: back(), Heading: heading, Stops: stops, Action: action,
		Submit: submit, CancelURL: securityPath}
	return p.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return p.with.Pages.Confirm(out, page) })
}

func (p *Pages) askCodes(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	if !v.User.TwoFactor {
		return webpage.See(w, r, securityPath)
	}
	return p.ask(w, r, texts.Say("security.codes-ask"), texts.Say("security.codes-new"), codesPath,
		texts.Say("security.codes-void"), texts.Say("security.remove-ends"))
}

func (p *Pages) newCodes(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	codes, err := p.factors.NewCodes(r.Context(), v.Act, v.User, v.ID)
	if err != nil {
		return err
	}
	return reveal(w, r, v, texts.Say("security.codes-made"), codes)
}

func (p *Pages) askRemove(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	has, err := p.factors.Find(r.Context(), v.UserID)
	if err != nil {
		return err
	}
	if has.Authenticator.UserID == "" {
		return webpage.See(w, r, securityPath)
	}
	return p.ask(w, r, texts.Say("security.remove-ask"), texts.Say("security.remove"), removePath,
		texts.Say("security.remove-last"), texts.Say("security.remove-ends"))
}

func (p *Pages) remove(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	if err := p.factors.RemoveAuthenticator(r.Context(), v.Act, v.User, v.ID); err != nil {
		return err
	}
	return webpage.See(w, r, securityPath+"?done=removed")
}
