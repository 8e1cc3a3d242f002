package office

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/level"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// showHub serves the page of a hub for those who administer it.
func (d *Desk) showHub(w http.ResponseWriter, r *http.Request, e errand) error {
	list, err := d.hubPage(r, e, "")
	if err != nil {
		return err
	}
	return d.list(w, r, list)
}

func (d *Desk) hubPage(r *http.Request, e errand, typed string) (templates.ListingPage, error) {
	trail := e.trail()
	list := templates.ListingPage{Trail: trail[:len(trail)-1], Heading: texts.Say("filing.hub.which", "Name", e.hub.Name),
		None: texts.Say("files.no-projects"), More: texts.Say("filing.hub.new-project"),
		Ways: []templates.Button{
			{ID: "people", URL: e.url() + "/people", Text: texts.Say("filing.hub.people")},
			{ID: "groups", URL: e.url() + "/groups", Text: texts.Say("filing.hub.groups")},
			{ID: "apps", URL: e.url() + "/apps", Text: texts.Say("filing.hub.apps")},
		},
		Form: templates.Form{ID: "project-form", Action: e.url(), Submit: texts.Say("filing.hub.make-project"),
			Inputs: []templates.Input{nameInput(typed)}}}
	projects, err := d.rules.ListProjects(r.Context(), e.hub.ID)
	for _, p := range projects {
		list.Rows = append(list.Rows, projectRow(p))
	}
	return list, err
}

func projectRow(p storage.Project) templates.Listed {
	row := templates.Listed{Name: p.Name, URL: ground.Project + p.ID, Acts: ground.LooksAfter(p)}
	if p.Archived {
		row.What = texts.Say("files.archived")
	}
	return row
}

func (d *Desk) addProject(w http.ResponseWriter, r *http.Request, e errand) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	name := values.Get(administration.FieldName)
	if _, err := d.rules.CreateProject(r.Context(), e.change,
		administration.NewProject{HubID: e.hub.ID, Name: name}); err != nil {
		list, failed := d.hubPage(r, e, name)
		if failed != nil {
			return failed
		}
		return d.again(w, r, list, err)
	}
	return ground.See(w, r, e.url(), "project-made")
}

func (d *Desk) namePage(e errand) templates.FormPage {
	return templates.FormPage{Back: ground.Step(e.url(), e.name()),
		Heading: texts.Say("filing.rename-which", "Name", e.name()),
		Form: templates.Form{ID: "project-form", Action: e.url() + "/name", Submit: texts.Say("parts.save"), Edits: true,
			Inputs: []templates.Input{nameInput(e.name())}}}
}

func (d *Desk) askName(w http.ResponseWriter, r *http.Request, e errand) error {
	return d.Form(w, r, d.namePage(e))
}

func (d *Desk) rename(w http.ResponseWriter, r *http.Request, e errand) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	page := d.namePage(e)
	if err = webpage.Meet(values, page.Form); err == nil {
		_, err = d.rules.RenameProject(r.Context(), e.change, e.place.Project.ID, values.Get(administration.FieldName))
	}
	if err != nil {
		page.Form = page.Form.Refill(values)
		return d.Again(w, r, page, err)
	}
	return ground.See(w, r, e.url()+"/name", "renamed")
}

// askArchive asks once before nothing changes in a project any more, or before it
// does again.
func (d *Desk) askArchive(w http.ResponseWriter, r *http.Request, e errand) error {
	ask := templates.ConfirmPage{Back: ground.Step(e.url(), e.name()), Action: e.url() + "/archive", CancelURL: e.url(),
		Heading: texts.Say("filing.hub.archive-which", "Name", e.name()), Submit: texts.Say("filing.hub.archive"),
		Stops:  []texts.Text{texts.Say("filing.hub.archive-stops")},
		Fields: []templates.Field{{Name: fieldArchived, Value: "on"}}}
	if e.place.Project.Archived {
		ask.Heading, ask.Submit = texts.Say("filing.hub.reopen-which", "Name", e.name()), texts.Say("filing.hub.reopen")
		ask.Stops, ask.Fields = nil, []templates.Field{{Name: fieldArchived, Value: "off"}}
	}
	return d.Ask(w, r, ask)
}

const fieldArchived = "archived"

func (d *Desk) archive(w http.ResponseWriter, r *http.Request, e errand) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	archived, key := values.Get(fieldArchived) == "on", "reopened"
	if archived {
		key = "archived"
	}
	if _, err := d.rules.ArchiveProject(r.Context(), e.change, e.place.Project.ID, archived); err != nil {
		return err
	}
	return ground.See(w, r, e.url(), key)
}

// showReservations serves the page with the files of a project that somebody has
// reserved, each of whose own page ends that.
func (d *Desk) showReservations(w http.ResponseWriter, r *http.Request, e errand) error {
	page, err := d.Onward(r)
	if err != nil {
		return err
	}
	items, next, err := d.reserved(r, e.place.Project.ID, page)
	if err != nil {
		return err
	}
	if ground.Strays(page, len(items)) {
		return ground.Afresh(w, r)
	}
	list := templates.ListingPage{Trail: e.trail(), Heading: texts.Say("filing.hub.reserved-in", "Name", e.name()),
		None: texts.Say("filing.hub.reserved-none"), Pager: d.Ways(r, next), Finds: next != "" || page.After != ""}
	var people []string
	for _, i := range items {
		people = append(people, i.ReservedBy)
	}
	names, err := d.Names(r.Context(), slices.Clone(people)...)
	for _, i := range items {
		url := d.ItemURL(i.ProjectID, i.ID)
		list.Rows = append(list.Rows, templates.Listed{Name: i.Name, URL: url,
			What: texts.Say("files.reserved-by", "Name", names[i.ReservedBy]),
			Acts: []templates.Button{{ID: "break-" + i.ID, Action: url + "/release", Text: texts.Say("filing.act.break")}}})
	}
	if err != nil {
		return err
	}
	return d.list(w, r, list)
}

// reserved is a part of the files that are reserved in a project, and the cursor to more; all
// of them where the address looks for some by name.
func (d *Desk) reserved(r *http.Request, project string, page storage.PageRequest) ([]storage.Item, string, error) {
	all, next, err := d.rules.ListReservations(r.Context(), project, page)
	for err == nil && next != "" && looksFor(r.URL.Query()) != "" {
		var more []storage.Item
		page.After = next
		more, next, err = d.rules.ListReservations(r.Context(), project, page)
		all = append(all, more...)
	}
	return all, next, err
}

// showApps serves the page with the apps that may enter a hub.
func (d *Desk) showApps(w http.ResponseWriter, r *http.Request, e errand) error {
	list, err := d.appsPage(r, e, url.Values{fieldLevel: {level.Name(storage.LevelEdit)}})
	if err != nil {
		return err
	}
	return d.list(w, r, list)
}

func (d *Desk) appsPage(r *http.Request, e errand, values url.Values) (templates.ListingPage, error) {
	users := []templates.Option{
		{Value: string(storage.AppForMembers), Label: texts.Say("filing.apps.members"),
			Chosen: values.Get(administration.FieldUsers) != string(storage.AppForNobody)},
		{Value: string(storage.AppForNobody), Label: texts.Say("filing.apps.nobody"),
			Chosen: values.Get(administration.FieldUsers) == string(storage.AppForNobody)},
	}
	list := templates.ListingPage{Trail: e.trail(), Heading: texts.Say("filing.apps.title", "Name", e.hub.Name),
		Lead: texts.Say("filing.apps.lead"), None: texts.Say("filing.apps.none"), More: texts.Say("filing.apps.more"),
		Form: templates.Form{ID: "app-form", Action: e.url() + "/apps", Submit: texts.Say("parts.add"),
			Inputs: []templates.Input{
				{Kind: templates.InputText, Name: administration.FieldClient, Label: texts.Say("filing.apps.client"),
					Value: values.Get(administration.FieldClient), Required: true, Max: maxName},
				{Kind: templates.InputChoice, Name: fieldLevel, Label: texts.Say("filing.apps.level"),
					Options: levels(values.Get(fieldLevel))},
				{Kind: templates.InputChoice, Name: administration.FieldUsers, Label: texts.Say("filing.apps.for"),
					Options: users},
			}}}
	apps, err := d.rules.ListApps(r.Context(), e.hub.ID)
	for _, a := range apps {
		out := templates.Button{ID: "remove-" + a.ClientID, Text: texts.Say("parts.remove"),
			URL: e.url() + "/apps/" + url.PathEscape(a.ClientID) + "/remove"}
		list.Rows = append(list.Rows, templates.Listed{Name: a.ClientName, ID: a.ClientID, What: may[a.Level],
			Acts: []templates.Button{out}})
	}
	return list, err
}

func (d *Desk) addApp(w http.ResponseWriter, r *http.Request, e errand) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	app := storage.AppAccess{HubID: e.hub.ID, ClientID: handleIn(values, administration.FieldClient),
		Users: storage.AppUsers(values.Get(administration.FieldUsers))}
	if app.Users != storage.AppForNobody {
		app.Users = storage.AppForMembers
	}
	if app.Level, err = level.Parse(values.Get(fieldLevel), fieldLevel); err == nil {
		_, err = d.rules.ProvisionApp(r.Context(), e.change, app)
	}
	if err != nil {
		list, failed := d.appsPage(r, e, values)
		if failed != nil {
			return failed
		}
		return d.again(w, r, list, err)
	}
	return ground.See(w, r, e.url()+"/apps", "app")
}

func (d *Desk) askApp(w http.ResponseWriter, r *http.Request, e errand) error {
	id, err := httpio.PathID(r, clientVariable)
	if err != nil {
		return err
	}
	app, err := d.rules.FindApp(r.Context(), e.hub.ID, id)
	if err != nil {
		return err
	}
	return d.Ask(w, r, templates.ConfirmPage{
		Back:    templates.Link{URL: e.url() + "/apps", Text: texts.Say("filing.apps.title", "Name", e.hub.Name)},
		Heading: texts.Say("filing.apps.remove-which", "App", app.ClientName, "Name", e.hub.Name),
		Action:  r.URL.EscapedPath(),
		Stops:   []texts.Text{texts.Say("filing.apps.remove-stops")},
		Submit:  texts.Say("parts.remove"), CancelURL: e.url() + "/apps"})
}

func (d *Desk) removeApp(w http.ResponseWriter, r *http.Request, e errand) error {
	id, err := httpio.PathID(r, clientVariable)
	if err == nil {
		err = d.rules.WithdrawApp(r.Context(), e.change, e.hub.ID, id)
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	return ground.See(w, r, e.url()+"/apps", "app-gone")
}
