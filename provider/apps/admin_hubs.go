package apps

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// Hubs lets apps into hubs: the rules of the data half, as the page of an app
// needs them.
type Hubs interface {
	// Of returns where the clients are provisioned, ordered by client and hub.
	Of(ctx context.Context, clientIDs []string) ([]HubAccess, error)

	// Admit lets the client into the hub, or changes what it may there. The
	// faults name FieldHub, FieldLevel and FieldUsers.
	Admit(ctx context.Context, act storage.Act, access HubAccess) error

	// Withdraw takes the access away. NotFound.
	Withdraw(ctx context.Context, act storage.Act, hubID, clientID string) error

	// List returns all hubs, inactive ones too, by name.
	List(ctx context.Context) ([]storage.Hub, error)

	// Levels are the names of the levels, the lowest first.
	Levels() []string
}

// HubAccess is what a client may in a hub.
type HubAccess struct {
	ClientID string
	HubID    string // Admit takes the hub's name, too
	HubName  string
	Inactive bool
	Level    string
	Users    storage.AppUsers
	Listed   int // people, with storage.AppForListed
}

// The fields of the form that provisions an app.
const (
	FieldHub   = "hub"
	FieldLevel = "level"
	FieldUsers = "users"
)

const (
	hubVariable = "hubId"
)

// maxHubsInList is how many hubs a list offers; among more one is named.
const maxHubsInList = 100

func hubInput(hubs []storage.Hub, chosen string) templates.Input {
	input := templates.Input{Kind: templates.InputText, Name: FieldHub, Label: texts.Say("app-admin.hub"),
		Hint: texts.Say("app-admin.hub-hint"), Value: chosen, Required: true, Max: 255}
	if len(hubs) > maxHubsInList {
		return input
	}
	input.Kind, input.Hint = templates.InputList, texts.Text{}
	if len(hubs) == 0 {
		input.Hint = texts.Say("app-admin.hub-none")
	}
	for _, hub := range hubs {
		label := texts.Own(hub.Name)
		if slices.ContainsFunc(hubs, func(other storage.Hub) bool { return other.Name == hub.Name && other.ID != hub.ID }) {
			label = texts.Say("app-admin.hub-named", "Name", hub.Name, "ID", hub.ID)
		}
		input.Options = append(input.Options, templates.Option{Value: hub.ID, Label: label, Chosen: chosen == hub.ID ||
			chosen == hub.Name})
	}
	return input
}

func hubForm(c storage.Client, hubs []storage.Hub, levels []string, values url.Values) templates.Form {
	level := templates.Input{Kind: templates.InputChoice, Name: FieldLevel, Label: texts.Say("app-admin.level"),
		Required: true, Hint: texts.Say("app-admin.level-hint")}
	for _, name := range levels {
		level.Options = append(level.Options, templates.Option{Value: name, Label: texts.Own(name),
			Chosen: values.Get(FieldLevel) == name})
	}
	return templates.Form{ID: "hub-form", Action: adminAppPath(c.ID) + "/hubs", Submit: texts.Say("app-admin.provision"),
		Inputs: []templates.Input{
			hubInput(hubs, values.Get(FieldHub)),
			level,
			{Kind: templates.InputChoice, Name: FieldUsers, Label: texts.Say("app-admin.acts-for-choice"), Required: true,
				Options: options(values.Get(FieldUsers), []choice{
					{string(storage.AppForNobody), texts.Say("app-admin.users.nobody"), texts.Say("app-admin.acts-for-nobody")},
					{string(storage.AppForMembers), texts.Say("app-admin.users.members"), texts.Say("app-admin.acts-for-members")},
				})},
		}}
}

// hubRows are what the page shows of the accesses.
func hubRows(c storage.Client, accesses []HubAccess) []templates.HubAccessRow {
	var rows []templates.HubAccessRow
	for _, a := range accesses {
		rows = append(rows, templates.HubAccessRow{
			Name: a.HubName, ID: a.HubID, Inactive: a.Inactive, Level: a.Level, Users: usersWords(a),
			WithdrawURL: withdrawPath(c, a),
		})
	}
	return rows
}

func withdrawPath(c storage.Client, a HubAccess) string {
	return adminAppPath(c.ID) + "/hubs/" + url.PathEscape(a.HubID) + "/withdraw"
}

func usersWords(a HubAccess) texts.Text {
	switch a.Users {
	case storage.AppForMembers:
		return texts.Say("app-admin.users.members")
	case storage.AppForListed:
		return texts.Say("app-admin.users.listed", "Count", a.Listed)
	}
	return texts.Say("app-admin.users.nobody")
}

// provision serves the form that lets an app into a hub.
func (a *Admin) provision(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	err = a.hubs.Admit(r.Context(), v.Act, HubAccess{
		ClientID: c.ID, HubID: strings.TrimSpace(values.Get(FieldHub)), Level: values.Get(FieldLevel),
		Users: storage.AppUsers(values.Get(FieldUsers)),
	})
	if err != nil {
		forms, failed := a.forms(r.Context(), c, values)
		if failed != nil {
			return failed
		}
		if !webpage.Mark(&forms.hub, err) {
			return err
		}
		return a.page(w, r, c, http.StatusUnprocessableEntity, forms)
	}
	return webpage.See(w, r, adminAppPath(c.ID)+"?done=provisioned#hubs")
}

// askWithdraw serves the question before an app loses a hub, and its answer.
func (a *Admin) askWithdraw(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	access, err := a.accessOf(r, c)
	if err != nil {
		return err
	}
	return a.ask(w, r, c, templates.ConfirmPage{
		Heading: texts.Say("app-admin.take-out-of", "App", c.Name, "Hub", access.HubName), Action: withdrawPath(c, access),
		Submit: texts.Say("app-admin.take-out"),
		Stops:  []texts.Text{texts.Say("app-admin.take-out-stops"), texts.Say("app-admin.take-out-again")},
	})
}

func (a *Admin) withdraw(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	access, err := a.accessOf(r, c)
	if err != nil {
		return err
	}
	if err := a.hubs.Withdraw(r.Context(), v.Act, access.HubID, c.ID); err != nil {
		return err
	}
	return webpage.See(w, r, adminAppPath(c.ID)+"?done=withdrawn#hubs")
}

// accessOf returns the client's access to the hub that the path names.
func (a *Admin) accessOf(r *http.Request, c storage.Client) (HubAccess, error) {
	hubID, err := httpio.PathID(r, hubVariable)
	if err != nil {
		return HubAccess{}, err
	}
	accesses, err := a.hubs.Of(r.Context(), []string{c.ID})
	if err != nil {
		return HubAccess{}, err
	}
	i := slices.IndexFunc(accesses, func(access HubAccess) bool { return access.HubID == hubID })
	if i < 0 {
		return HubAccess{}, fault.New(fault.NotFound, "app_not_provisioned", "The app is not provisioned in this hub.")
	}
	return accesses[i], nil
}

// listHubs serves the page that finds hubs.
func (a *Admin) listHubs(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	query, err := httpio.ReadQuery(r)
	if err != nil {
		return err
	}
	hubs, err := a.hubs.List(r.Context())
	if err != nil {
		return err
	}
	view := templates.HubsPage{Desk: adminDesk(r), Search: templates.Search{Query: query.Get("q")}}
	view.Section = templates.SectionHubs
	for _, hub := range hubs {
		if !strings.Contains(strings.ToLower(hub.Name), strings.ToLower(view.Query)) && hub.ID != view.Query {
			continue
		}
		if view.Total++; view.Total <= maxHubsInList {
			view.Hubs = append(view.Hubs, templates.HubRow{Name: hub.Name, ID: hub.ID, Region: hub.Region,
				Inactive: !hub.Active, Created: hub.CreatedAt})
		}
	}
	return a.portal.with.Web.Send(w, http.StatusOK,
		func(out io.Writer) error { return a.portal.with.Pages.HubList(out, view) })
}
