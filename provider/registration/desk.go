package registration

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// The page, and the token in what is below it.
const (
	deskPath        = "/admin/registrations"
	initialVariable = "initialId"
)

// DeskOptions are what a Desk is made of. Every field is needed.
type DeskOptions struct {
	Registrar *Registrar
	Hosts     func() string // whose documents describe apps, in the words of the policy
	Sessions  *websession.Manager
	Pages     *templates.Pages
	Web       *webpage.Writer
}

// Desk is the page on which administrators see which apps registered themselves, and look
// after the tokens that let them.
type Desk struct {
	with DeskOptions
	gate *websession.Gate
}

// NewDesk returns the page.
func NewDesk(o DeskOptions) *Desk { return &Desk{o, o.Sessions.Gate(o.Web.Error).Administrators()} }

// Routes are the page, and what its forms do.
func (d *Desk) Routes() []httpio.Route {
	return []httpio.Route{
		httpio.At(deskPath).Get(d.gate.Show(d.show)).Post(d.gate.Form(d.add)),
		d.gate.Grave(httpio.At(deskPath+"/tokens/{"+initialVariable+"}/end"), d.of(d.ask), d.of(d.end)),
	}
}

func desk(r *http.Request) templates.Desk {
	return webpage.Desk(r, templates.SectionAllApps, map[string]texts.Text{"ended": texts.Say("registrations.done.ended")})
}

func tokenForm(values url.Values) templates.Form {
	return templates.Form{ID: "token-form", Action: deskPath, Submit: texts.Say("registrations.make"),
		Inputs: []templates.Input{
			{Kind: templates.InputText, Name: FieldLabel, Label: texts.Say("registrations.label"),
				Value: values.Get(FieldLabel), Required: true, Max: maxLabel, Hint: texts.Say("registrations.label-hint")},
			{Kind: templates.InputText, Name: FieldUses, Label: texts.Say("registrations.uses"),
				Value: values.Get(FieldUses), Max: 5, Hint: texts.Say("registrations.uses-hint")},
			{Kind: templates.InputText, Name: FieldDays, Label: texts.Say("registrations.days"),
				Value: values.Get(FieldDays), Max: 3, Hint: texts.Say("registrations.days-hint")},
		}}
}

func (d *Desk) show(w http.ResponseWriter, r *http.Request, _ websession.Visit) error {
	return d.page(w, r, http.StatusOK, tokenForm(url.Values{}))
}

func (d *Desk) page(w http.ResponseWriter, r *http.Request, status int, form templates.Form) error {
	view := templates.RegistrationsPage{Desk: desk(r), Create: form,
		Back:   templates.Link{URL: "/admin/apps", Text: texts.Say("desk.tab.apps")},
		Policy: templates.Link{URL: "/admin/policy", Text: texts.Say("registrations.policy")},
		Mode: append([]texts.Text{map[string]texts.Text{
			Closed: texts.Say("registrations.mode-closed"), ByToken: texts.Say("registrations.mode-token"),
			Open: texts.Say("registrations.mode-open"),
		}[d.with.Registrar.Mode()]}, described(d.with.Hosts())...),
	}
	all, err := d.with.Registrar.List(r.Context())
	if err != nil {
		return err
	}
	for _, one := range all {
		view.Rows = append(view.Rows, templates.RegistrationRow{URL: "/admin/apps/" + one.ClientID, Name: one.ClientName,
			Token: one.TokenLabel, Address: one.Address, At: one.CreatedAt, Used: one.Used, Disabled: one.Disabled})
	}
	tokens, err := d.with.Registrar.Tokens(r.Context())
	if err != nil {
		return err
	}
	for _, one := range tokens {
		view.Tokens = append(view.Tokens, templates.InitialTokenRow{ID: one.ID, Label: one.Label, Left: one.UsesLeft,
			Ends: one.EndsAt, EndURL: endPath(one)})
	}
	return d.with.Web.Send(w, status, func(out io.Writer) error { return d.with.Pages.Registrations(out, view) })
}

func endPath(t storage.InitialToken) string { return deskPath + "/tokens/" + t.ID + "/end" }

// add makes a token, and shows it this once.
func (d *Desk) add(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	_, text, err := d.with.Registrar.AddToken(r.Context(), v.Act, values.Get(FieldLabel),
		number(values.Get(FieldUses), SomeUses), number(values.Get(FieldDays), SomeDays))
	if err != nil {
		form := tokenForm(values)
		if fault.HasReason(err, storage.ReasonTokensFull) {
			err = fault.From(err).At(FieldLabel)
		}
		if !webpage.Mark(&form, err) {
			return err
		}
		return d.page(w, r, http.StatusUnprocessableEntity, form)
	}
	shown := templates.RevealPage{
		Desk:    templates.Desk{Section: templates.SectionAllApps},
		Heading: texts.Say("registrations.new"), Lead: texts.Say("registrations.copy"),
		Items: []templates.Revealed{{ID: "token", Label: texts.Say("registrations.token"), Value: text}},
		Next:  templates.Link{URL: deskPath, Text: texts.Say("parts.kept")},
	}
	return v.Show(w, r, templates.Shown{Reveal: &shown}, shown.Next.URL)
}

// number is what was typed, or the usual one for nothing; what is no number is 0, which
// is none that is allowed.
func number(typed string, usual int) int {
	typed = strings.TrimSpace(typed)
	if typed == "" {
		return usual
	}
	n, _ := strconv.Atoi(typed)
	return n
}

// of finds the token that the path names.
func (d *Desk) of(do func(http.ResponseWriter, *http.Request, websession.Visit,
	storage.InitialToken) error) websession.Page {
	return func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
		id, err := httpio.PathID(r, initialVariable)
		if err != nil {
			return err
		}
		all, err := d.with.Registrar.Tokens(r.Context())
		if err != nil {
			return err
		}
		for _, one := range all {
			if one.ID == id {
				return do(w, r, v, one)
			}
		}
		return fault.New(fault.NotFound, ReasonNoToken, "There is no such token.")
	}
}

func (d *Desk) ask(w http.ResponseWriter, r *http.Request, _ websession.Visit, one storage.InitialToken) error {
	view := templates.ConfirmPage{
		Desk: desk(r), Back: templates.Link{URL: deskPath, Text: texts.Say("registrations.title")},
		Heading: texts.Say("registrations.end-which", "Label", one.Label), Submit: texts.Say("registrations.end"),
		Stops:  []texts.Text{texts.Say("registrations.end-stops")},
		Action: endPath(one), CancelURL: deskPath,
	}
	return d.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return d.with.Pages.Confirm(out, view) })
}

func (d *Desk) end(w http.ResponseWriter, r *http.Request, v websession.Visit, one storage.InitialToken) error {
	if err := d.with.Registrar.EndToken(r.Context(), v.Act, one.ID); err != nil {
		return err
	}
	return webpage.See(w, r, deskPath+"?done=ended")
}

// described says whose apps need no registration, if anybody's do not.
func described(policy string) []texts.Text {
	var hosts []string
	for word := range strings.FieldsSeq(policy) {
		if !strings.HasPrefix(word, "-") { // which is blocked
			hosts = append(hosts, word)
		}
	}
	switch {
	case len(hosts) == 0 || hosts[0] == "off":
		return nil
	case hosts[0] == "all":
		return []texts.Text{texts.Say("registrations.described-all")}
	}
	return []texts.Text{texts.Say("registrations.described-hosts", "Hosts", strings.Join(hosts, ", "))}
}
