package factors

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/portico-id/portico/internal/fault"
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
	securityPath = "/account/security"
	addPath      = securityPath + "/authenticator"
	codesPath    = securityPath + "/codes"
	removePath   = securityPath + "/remove"
	usersPath    = "/admin/users"
	lostPath     = "/second-factor"
	userVariable = "userId"
)

// Routes are the pages.
func (p *Pages) Routes() []httpio.Route {
	ask, act := websession.Administrators(p.ofUser(p.askLost)), websession.Administrators(p.ofUser(p.removeLost))
	return []httpio.Route{
		httpio.At(securityPath).Get(p.gate.Show(p.security)),
		httpio.At(addPath).Get(p.gate.Show(p.showAdd)).Post(p.gate.Form(p.add)),
		httpio.At(codesPath).Get(p.gate.Show(p.showCodes)).Post(p.gate.Form(p.newCodes)),
		httpio.At(removePath).Get(p.gate.Show(p.showRemove)).Post(p.gate.Form(p.remove)),
		p.gate.Grave(httpio.At(usersPath+"/{userId}"+lostPath), ask, act),
	}
}

// done says what a form did, when the next page is asked with its key.
var done = map[string]texts.Text{"removed": texts.Say("security.done.removed")}

func desk(r *http.Request) templates.Desk { return webpage.Desk(r, "", done) }

func back() templates.Link {
	return templates.Link{URL: securityPath, Text: texts.Say("parts.sign-in-security")}
}

// security serves the page that says how the visitor's sign-in is guarded.
func (p *Pages) security(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	a, err := p.factors.Find(r.Context(), v.UserID)
	if err != nil && !fault.HasReason(err, ReasonNone) {
		return err
	}
	page := templates.SecurityPage{
		Desk: desk(r), Back: templates.Link{URL: "/", Text: texts.Say("parts.your-account")},
		Since: a.CreatedAt, Codes: a.Codes, AddURL: enrolPath(p.factors.Begin(v.User, "")), CodesURL: codesPath, RemoveURL: removePath,
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
	if v.User.TwoFactor {
		return webpage.See(w, r, securityPath)
	}
	e := p.factors.Begin(v.User, r.URL.Query().Get(enrolVariable))
	return p.addPage(w, r, http.StatusOK, e, addForm(e))
}

func addForm(e Enrolment) templates.Form {
	return templates.Form{
		ID: "authenticator-form", Action: enrolPath(e), Submit: texts.Say("security.add"),
		Inputs: []templates.Input{
			{Kind: templates.InputText, Name: FieldCode, Label: texts.Say("security.code"), Hint: texts.Say("security.code-hint"), Required: true, Max: 40, Complete: "one-time-code"},
			{Kind: templates.InputPassword, Name: FieldPassword, Label: texts.Say("sign-in.password"), Required: true, Max: 1024, Complete: "current-password"},
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
	codes, err := p.factors.Enrol(r.Context(), v.Act, v.User, v.LoginSession, e, values.Get(FieldPassword), values.Get(FieldCode))
	if err != nil {
		form := addForm(e)
		if !webpage.Mark(&form, err) {
			return err
		}
		return p.addPage(w, r, webpage.Marked(w.Header(), err), e, form)
	}
	return reveal(w, r, v, texts.Say("security.added"), codes)
}

// reveal shows recovery codes this once.
func reveal(w http.ResponseWriter, r *http.Request, v websession.Visit, heading texts.Text, codes []string) error {
	page := templates.RevealPage{
		Heading: heading, Lead: texts.Say("security.codes-lead"),
		Items: []templates.Revealed{{
			ID: "recovery-codes", Label: texts.Say("security.codes"), Value: strings.Join(codes, "\n"), Lines: true,
		}},
		Next: templates.Link{URL: securityPath, Text: texts.Say("security.kept")},
	}
	return v.Show(w, r, templates.Shown{Reveal: &page}, securityPath)
}

// codeForm is a form that asks for a code, before what it does.
func codeForm(id, action string, submit texts.Text, grave bool) templates.Form {
	return templates.Form{ID: id, Action: action, Submit: submit, Grave: grave, Inputs: []templates.Input{{
		Kind: templates.InputText, Name: FieldCode, Label: texts.Say("sign-in.code.label"), Hint: texts.Say("security.proof-hint"), Required: true, Max: 40, Complete: "one-time-code",
	}}}
}

func codesForm() templates.Form {
	return codeForm("codes-form", codesPath, texts.Say("security.codes-new"), false)
}

func removeForm() templates.Form {
	return codeForm("remove-form", removePath, texts.Say("security.remove"), true)
}

func (p *Pages) formPage(w http.ResponseWriter, r *http.Request, status int, lead texts.Text, form templates.Form) error {
	page := templates.FormPage{Desk: desk(r), Back: back(), Heading: form.Submit, Lead: lead, Form: form}
	return p.with.Web.Send(w, status, func(out io.Writer) error { return p.with.Pages.Form(out, page) })
}

func codesLead() texts.Text  { return texts.Say("security.codes-void") }
func removeLead() texts.Text { return texts.Say("security.remove-lead") }

func (p *Pages) showCodes(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	if !v.User.TwoFactor {
		return webpage.See(w, r, securityPath)
	}
	return p.formPage(w, r, http.StatusOK, codesLead(), codesForm())
}

func (p *Pages) newCodes(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	codes, err := p.factors.NewCodes(r.Context(), v.Act, v.UserID, values.Get(FieldCode))
	if err != nil {
		form := codesForm()
		if !webpage.Mark(&form, err) {
			return err
		}
		return p.formPage(w, r, webpage.Marked(w.Header(), err), codesLead(), form)
	}
	return reveal(w, r, v, texts.Say("security.codes-made"), codes)
}

func (p *Pages) showRemove(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	if !v.User.TwoFactor {
		return webpage.See(w, r, securityPath)
	}
	return p.formPage(w, r, http.StatusOK, removeLead(), removeForm())
}

func (p *Pages) remove(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err := p.factors.Remove(r.Context(), v.Act, v.User, values.Get(FieldCode), v.ID); err != nil {
		form := removeForm()
		if !webpage.Mark(&form, err) {
			return err
		}
		return p.formPage(w, r, webpage.Marked(w.Header(), err), removeLead(), form)
	}
	return webpage.See(w, r, securityPath+"?done=removed")
}
