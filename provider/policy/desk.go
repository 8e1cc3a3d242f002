package policy

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// DeskOptions are what a Desk is made of. Every field is needed.
type DeskOptions struct {
	Policy   *Policy
	Sessions *websession.Manager
	Pages    *templates.Pages
	Web      *webpage.Writer
}

// Desk is the page on which administrators decide.
type Desk struct {
	with DeskOptions
	gate *websession.Gate
}

// NewDesk returns the page.
func NewDesk(o DeskOptions) *Desk {
	return &Desk{with: o, gate: o.Sessions.Gate(o.Web.Error).Administrators()}
}

const policyPath = "/admin/policy"

// fieldGroup is the field with the name of the group that may register apps.
const fieldGroup = "register_group"

// Routes are the page.
func (d *Desk) Routes() []httpio.Route {
	return []httpio.Route{d.gate.Grave(httpio.At(policyPath), d.show, d.set)}
}

var done = map[string]texts.Text{"policy": texts.Say("policy.done")}

func (d *Desk) show(w http.ResponseWriter, r *http.Request, _ websession.Visit) error {
	now, err := d.said(r)
	if err != nil {
		return err
	}
	return d.page(w, r, http.StatusOK, d.form(now))
}

// said are the values of the form as they are now.
func (d *Desk) said(r *http.Request) (url.Values, error) {
	said, err := d.with.Policy.Said(r.Context())
	values := url.Values{}
	for _, name := range Names() {
		values.Set(name, said[name])
	}
	if group, isGroup := strings.CutPrefix(said[RegisterApps], GroupPrefix); isGroup &&
		!d.with.Policy.Fixed(RegisterApps) {
		values.Set(RegisterApps, "group")
		values.Set(fieldGroup, group)
	}
	return values, err
}

func (d *Desk) form(values url.Values) templates.Form {
	form := templates.Form{ID: "policy-form", Action: policyPath, Submit: texts.Say("parts.save"), Edits: true,
		Seen: values.Get(templates.FieldSeen)}
	form.Inputs = append(form.Inputs, d.choice(values, SecondFactor, texts.Say("system.factor"),
		templates.Option{Value: Voluntary, Label: texts.Say("system.factor-voluntary")},
		templates.Option{Value: Administrators, Label: texts.Say("system.factor-administrators")},
		templates.Option{Value: Everybody, Label: texts.Say("system.factor-everybody")}))
	form.Inputs = append(form.Inputs, d.choice(values, RegisterApps, texts.Say("policy.register"),
		templates.Option{Value: Everybody, Label: texts.Say("policy.register-everybody")},
		templates.Option{Value: Administrators, Label: texts.Say("policy.register-administrators")},
		templates.Option{Value: "group", Label: texts.Say("policy.register-group")}))
	if !d.with.Policy.Fixed(RegisterApps) {
		form.Inputs = append(form.Inputs, templates.Input{Kind: templates.InputText, Name: fieldGroup,
			Label: texts.Say("policy.group"), Value: values.Get(fieldGroup), Hint: texts.Say("policy.group-hint")})
	}
	form.Inputs = append(form.Inputs, d.held(templates.Input{Kind: templates.InputText,
		Name: AppsPerPerson, Required: true,
		Label: texts.Say("policy.at-most"), Value: values.Get(AppsPerPerson), Hint: texts.Say("policy.at-most-hint")}))
	form.Inputs = append(form.Inputs, d.choice(values, DynamicRegistration, texts.Say("policy.dynamic"),
		templates.Option{Value: Closed, Label: texts.Say("policy.dynamic-closed")},
		templates.Option{Value: ByToken, Label: texts.Say("policy.dynamic-token")},
		templates.Option{Value: Open, Label: texts.Say("policy.dynamic-open")}))
	form.Inputs = append(form.Inputs, d.held(templates.Input{Kind: templates.InputText,
		Name: MetadataDocuments, Required: true, Label: texts.Say("policy.documents"),
		Value: values.Get(MetadataDocuments), Hint: texts.Say("policy.documents-hint")}))
	return form
}

// choice is one of the options, or what a setting says.
func (d *Desk) choice(values url.Values, name string, label texts.Text, options ...templates.Option) templates.Input {
	input := templates.Input{Kind: templates.InputChoice, Name: name, Label: label, Required: true,
		Value: values.Get(name)}
	for _, o := range options {
		o.Chosen = o.Value == values.Get(name)
		input.Options = append(input.Options, o)
	}
	return d.held(input)
}

// held shows what a setting decides, which the page can't change.
func (d *Desk) held(input templates.Input) templates.Input {
	if !d.with.Policy.Fixed(input.Name) {
		return input
	}
	input.Kind, input.Options, input.Fixed = templates.InputText, nil, true
	input.Hint = texts.Say("policy.fixed", "Setting", settings[input.Name])
	return input
}

func (d *Desk) page(w http.ResponseWriter, r *http.Request, status int, form templates.Form) error {
	return d.with.Web.Send(w, status, func(out io.Writer) error {
		return d.with.Pages.Form(out, templates.FormPage{
			Desk: webpage.Desk(r, templates.SectionSystem, done), Heading: texts.Say("policy.title"),
			Back: templates.Link{URL: "/admin/system", Text: texts.Say("desk.tab.system")},
			Lead: texts.Say("policy.lead"), Form: form,
		})
	})
}

func (d *Desk) set(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	now, err := d.said(r)
	if err != nil {
		return err
	}
	if err = webpage.Meet(values, d.form(now)); err == nil {
		_, err = d.with.Policy.Set(r.Context(), v.Act, d.decided(values))
	}
	if err != nil {
		form := d.form(values)
		if !webpage.Mark(&form, err) {
			return err
		}
		return d.page(w, r, http.StatusUnprocessableEntity, form)
	}
	return webpage.See(w, r, policyPath+"?done=policy")
}

// decided reads the form; what a setting says is not in it.
func (d *Desk) decided(values url.Values) Decisions {
	change := Decisions{}
	for _, name := range Names() {
		if !d.with.Policy.Fixed(name) {
			change[name] = values.Get(name)
		}
	}
	if change[RegisterApps] == "group" {
		change[RegisterApps] = GroupPrefix + strings.TrimSpace(values.Get(fieldGroup))
	}
	return change
}
