package connections

import (
	"context"
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

// DeskOptions are what a Desk is made of. Every field is needed.
type DeskOptions struct {
	Connections *Connections
	Sessions    *websession.Manager
	Pages       *templates.Pages
	Web         *webpage.Writer
}

// Desk is the pages on which administrators look after connections.
type Desk struct {
	with        DeskOptions
	connections *Connections
	gate        *websession.Gate
}

// NewDesk returns the pages.
func NewDesk(o DeskOptions) *Desk {
	return &Desk{with: o, connections: o.Connections, gate: o.Sessions.Gate(o.Web.Error).Administrators()}
}

const listPath = "/admin/connections"

// Path is the page of a connection.
func Path(id string) string { return listPath + "/" + id }

// Routes are the pages.
func (d *Desk) Routes() []httpio.Route {
	const one = listPath + "/{connectionId}"
	return []httpio.Route{
		httpio.At(listPath).Get(d.gate.Show(d.list)).Post(d.gate.Form(d.create)),
		httpio.At(one).Get(d.gate.Show(d.of(d.show))).Post(d.gate.Form(d.of(d.edit))),
		httpio.At(one + "/tokens").Post(d.gate.Form(d.of(d.addToken))).On(one),
		d.gate.Grave(httpio.At(one+"/tokens/{tokenId}/end"), d.of(d.askEndToken), d.of(d.endToken)),
		d.gate.Grave(httpio.At(one+"/disable"), d.of(d.askDisable), d.of(d.disable)),
		httpio.At(one + "/enable").Post(d.gate.Form(d.of(d.enable))).On(one),
		d.gate.Grave(httpio.At(one+"/delete"), d.of(d.askDelete), d.of(d.delete)),
	}
}

var done = map[string]texts.Text{
	"created": texts.Say("connections.done.created"), "edited": texts.Say("connections.done.edited"),
	"ended": texts.Say("connections.done.ended"), "disabled": texts.Say("connections.done.disabled"),
	"enabled": texts.Say("connections.done.enabled"), "deleted": texts.Say("connections.done.deleted"),
}

func desk(r *http.Request) templates.Desk { return webpage.Desk(r, templates.SectionUsers, done) }

func settingsForm(id, action string, submit texts.Text, values url.Values) templates.Form {
	return templates.Form{ID: id, Action: action, Submit: submit, Inputs: []templates.Input{
		{Kind: templates.InputText, Name: FieldName, Label: texts.Say("parts.name"), Value: values.Get(FieldName),
			Required: true, Max: maxName, Hint: texts.Say("connections.name-hint")},
		{Kind: templates.InputLines, Name: FieldDomains, Label: texts.Say("connections.domains"),
			Value: values.Get(FieldDomains), Hint: texts.Say("connections.domains-hint")},
		{Kind: templates.InputText, Name: FieldPrefix, Label: texts.Say("connections.prefix"),
			Value: values.Get(FieldPrefix), Max: maxPrefix, Hint: texts.Say("connections.prefix-hint")},
	}}
}

func createForm(values url.Values) templates.Form {
	return settingsForm("connection-form", listPath, texts.Say("parts.add"), values)
}

func editForm(c storage.SCIMConnection) templates.Form {
	form := settingsForm("connection-form", Path(c.ID), texts.Say("parts.save"), url.Values{
		FieldName: {c.Name}, FieldDomains: {strings.Join(c.Domains, "\n")}, FieldPrefix: {c.GroupPrefix}})
	form.Edits = true
	return form
}

func tokenForm(c storage.SCIMConnection, values url.Values) templates.Form {
	return templates.Form{ID: "token-form", Action: Path(c.ID) + "/tokens", Submit: texts.Say("connections.token-make"),
		Inputs: []templates.Input{
			{Kind: templates.InputText, Name: FieldLabel, Label: texts.Say("connections.token-label"),
				Value: values.Get(FieldLabel), Required: true, Max: maxName, Hint: texts.Say("connections.token-label-hint")},
			{Kind: templates.InputText, Name: FieldDays, Label: texts.Say("connections.token-days"),
				Value: values.Get(FieldDays), Max: 4, Hint: texts.Say("connections.token-days-hint")},
		}}
}

func changeOf(values url.Values) Change {
	return Change{Name: new(values.Get(FieldName)), Domains: new(webpage.Lines(values.Get(FieldDomains))),
		GroupPrefix: new(values.Get(FieldPrefix))}
}

// list serves the page with all connections, and the form that adds one.
func (d *Desk) list(w http.ResponseWriter, r *http.Request, _ websession.Visit) error {
	return d.listPage(w, r, http.StatusOK, createForm(url.Values{}))
}

func (d *Desk) listPage(w http.ResponseWriter, r *http.Request, status int, form templates.Form) error {
	all, err := d.connections.List(r.Context())
	if err != nil {
		return err
	}
	view := templates.ConnectionsPage{Desk: desk(r), Create: form,
		Back: templates.Link{URL: "/admin/users", Text: texts.Say("desk.tab.users")}}
	for _, c := range all {
		view.Connections = append(view.Connections, templates.ConnectionRow{URL: Path(c.ID), Name: c.Name,
			Disabled: c.Disabled, People: c.Users, Groups: c.Groups})
	}
	return d.with.Web.Send(w, status, func(out io.Writer) error { return d.with.Pages.Connections(out, view) })
}

func (d *Desk) create(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	made, err := d.connections.Create(r.Context(), v.Act, changeOf(values))
	if err != nil {
		form := createForm(values)
		if !webpage.Mark(&form, err) {
			return err
		}
		return d.listPage(w, r, http.StatusUnprocessableEntity, form)
	}
	return webpage.See(w, r, Path(made.ID)+"?done=created")
}

// page is a page of one connection.
type page func(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.SCIMConnection) error

func (d *Desk) of(do page) websession.Page {
	return func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
		connection, err := httpio.Named(r, connectionVariable, d.connections.Find)
		if err != nil {
			return err
		}
		return do(w, r, v, connection)
	}
}

func (d *Desk) show(w http.ResponseWriter, r *http.Request, _ websession.Visit, c storage.SCIMConnection) error {
	return d.page(w, r, http.StatusOK, c, editForm(c), tokenForm(c, url.Values{}))
}

func (d *Desk) page(w http.ResponseWriter, r *http.Request, status int, c storage.SCIMConnection,
	edit, token templates.Form) error {
	view := templates.ConnectionPage{
		Desk: desk(r), Back: templates.Link{URL: listPath, Text: texts.Say("connections.title")},
		Name: c.Name, Disabled: c.Disabled, Edit: edit, Token: token, DeleteURL: Path(c.ID) + "/delete",
		Facts: []templates.Fact{
			{Label: texts.Say("connections.address"), Text: texts.Own(d.connections.URL(c)), Code: true},
			{Label: texts.Say("connections.people"), Text: texts.Value(c.Users)},
			{Label: texts.Say("connections.groups"), Text: texts.Value(c.Groups)},
			{Label: texts.Say("connections.since"), Text: texts.Value(c.CreatedAt)},
		},
		Switch: templates.Button{ID: "disable", URL: Path(c.ID) + "/disable", Text: texts.Say("parts.disable"), Grave: true},
	}
	if c.Disabled {
		view.Switch = templates.Button{ID: "enable", Action: Path(c.ID) + "/enable", Text: texts.Say("parts.enable")}
	}
	if err := d.fill(r.Context(), &view, c); err != nil {
		return err
	}
	return d.with.Web.Send(w, status, func(out io.Writer) error { return d.with.Pages.Connection(out, view) })
}

// fill puts the tokens and the last calls onto the page.
func (d *Desk) fill(ctx context.Context, view *templates.ConnectionPage, c storage.SCIMConnection) error {
	tokens, err := d.connections.Tokens(ctx, c.ID)
	if err != nil {
		return err
	}
	for _, t := range tokens {
		view.Tokens = append(view.Tokens, templates.TokenRow{ID: t.ID, Label: t.Label, Created: t.CreatedAt, Ends: t.EndsAt,
			LastUsed: t.LastUsedAt, EndURL: Path(c.ID) + "/tokens/" + t.ID + "/end"})
	}
	calls, err := d.connections.Calls(ctx, c.ID)
	for _, one := range calls {
		view.Calls = append(view.Calls, templates.CallRow{At: one.At, Method: one.Method, Path: one.Path,
			Status: one.Status, Detail: one.Detail, RequestID: one.RequestID, Failed: one.Status >= http.StatusBadRequest})
	}
	return err
}

func (d *Desk) edit(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.SCIMConnection) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err = webpage.Meet(values, editForm(c)); err == nil {
		_, err = d.connections.Update(r.Context(), v.Act, c.ID, changeOf(values))
	}
	if err != nil {
		form := editForm(c).Refill(values)
		if !webpage.Mark(&form, err) {
			return err
		}
		return d.page(w, r, http.StatusUnprocessableEntity, c, form, tokenForm(c, url.Values{}))
	}
	return webpage.See(w, r, Path(c.ID)+"?done=edited")
}

// addToken serves the form that makes a token, and shows it this once.
func (d *Desk) addToken(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.SCIMConnection) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	days := SomeDays
	if typed := strings.TrimSpace(values.Get(FieldDays)); typed != "" {
		days, _ = strconv.Atoi(typed) // what is no number is 0, which is refused
	}
	_, text, err := d.connections.AddToken(r.Context(), v.Act, c.ID, values.Get(FieldLabel), days)
	if err != nil {
		form := tokenForm(c, values)
		if fault.HasReason(err, storage.ReasonTokensFull) {
			err = fault.From(err).At(FieldLabel)
		}
		if !webpage.Mark(&form, err) {
			return err
		}
		return d.page(w, r, http.StatusUnprocessableEntity, c, editForm(c), form)
	}
	shown := templates.RevealPage{
		Desk:    templates.Desk{Section: templates.SectionUsers},
		Heading: texts.Say("connections.token-new", "Name", c.Name), Lead: texts.Say("connections.token-copy"),
		Items: []templates.Revealed{
			{ID: "address", Label: texts.Say("connections.address"), Value: d.connections.URL(c)},
			{ID: "token", Label: texts.Say("connections.token"), Value: text},
		},
		Next: templates.Link{URL: Path(c.ID), Text: texts.Say("parts.kept")},
	}
	return v.Show(w, r, templates.Shown{Reveal: &shown}, shown.Next.URL)
}

func (d *Desk) confirm(w http.ResponseWriter, r *http.Request, c storage.SCIMConnection,
	view templates.ConfirmPage) error {
	view.Desk, view.CancelURL = desk(r), Path(c.ID)
	view.Back = templates.Link{URL: Path(c.ID), Text: texts.Own(c.Name)}
	return d.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return d.with.Pages.Confirm(out, view) })
}

func (d *Desk) askEndToken(w http.ResponseWriter, r *http.Request, _ websession.Visit, c storage.SCIMConnection) error {
	id, err := httpio.PathID(r, tokenVariable)
	if err != nil {
		return err
	}
	return d.confirm(w, r, c, templates.ConfirmPage{
		Heading: texts.Say("connections.token-end-which", "Name", c.Name), Submit: texts.Say("connections.token-end"),
		Stops: []texts.Text{texts.Say("connections.token-end-stops")}, Action: Path(c.ID) + "/tokens/" + id + "/end",
	})
}

func (d *Desk) endToken(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.SCIMConnection) error {
	id, err := httpio.PathID(r, tokenVariable)
	if err != nil {
		return err
	}
	if err := d.connections.EndToken(r.Context(), v.Act, c.ID, id); err != nil {
		return err
	}
	return webpage.See(w, r, Path(c.ID)+"?done=ended")
}

func (d *Desk) askDisable(w http.ResponseWriter, r *http.Request, _ websession.Visit, c storage.SCIMConnection) error {
	return d.confirm(w, r, c, templates.ConfirmPage{
		Heading: texts.Say("connections.disable-which", "Name", c.Name), Submit: texts.Say("parts.disable"),
		Stops: []texts.Text{texts.Say("connections.disable-stops")}, Action: Path(c.ID) + "/disable",
	})
}

func (d *Desk) disable(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.SCIMConnection) error {
	return d.turn(w, r, v, c, true, "disabled")
}

func (d *Desk) enable(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.SCIMConnection) error {
	return d.turn(w, r, v, c, false, "enabled")
}

func (d *Desk) turn(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.SCIMConnection, off bool,
	key string) error {
	if _, err := d.connections.Update(r.Context(), v.Act, c.ID, Change{Disabled: &off}); err != nil {
		return err
	}
	return webpage.See(w, r, Path(c.ID)+"?done="+key)
}

func (d *Desk) askDelete(w http.ResponseWriter, r *http.Request, _ websession.Visit, c storage.SCIMConnection) error {
	return d.confirm(w, r, c, templates.ConfirmPage{
		Heading: texts.Say("connections.delete-which", "Name", c.Name), Submit: texts.Say("connections.delete"),
		Stops: []texts.Text{texts.Say("connections.delete-stops.tokens"), texts.Say("connections.delete-stops.people"),
			texts.Say("parts.undone")},
		Action: Path(c.ID) + "/delete",
	})
}

func (d *Desk) delete(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.SCIMConnection) error {
	if err := d.connections.Delete(r.Context(), v.Act, c.ID); err != nil {
		return err
	}
	return webpage.See(w, r, listPath+"?done=deleted")
}
