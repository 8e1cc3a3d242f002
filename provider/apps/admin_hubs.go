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
	hubVariable  = "hubId"
	markProvided = "provisioned"
)

// maxHubsInList is how many hubs a list offers; among more one is named.
const maxHubsInList = 100

func hubInput(hubs []storage.Hub, chosen string) templates.Input {
	input := templates.Input{Kind: templates.InputText, Name: FieldHub, Label: texts.Own("Hub"), Hint: texts.Own("Its exact name or its ID, as the page Hubs has them."), Value: chosen, Required: true, Max: 255}
	if len(hubs) > maxHubsInList {
		return input
	}
	input.Kind, input.Hint = templates.InputList, texts.Own("")
	if len(hubs) == 0 {
		input.Hint = texts.Own("There is none yet: portico hub create adds one.")
	}
	for _, hub := range hubs {
		label := hub.Name
		if slices.ContainsFunc(hubs, func(other storage.Hub) bool { return other.Name == hub.Name && other.ID != hub.ID }) {
			label += " (" + hub.ID + ")"
		}
		input.Options = append(input.Options, templates.Option{Value: hub.ID, Label: texts.Own(label), Chosen: chosen == hub.ID || chosen == hub.Name})
	}
	return input
}

func hubForm(c storage.Client, hubs []storage.Hub, levels []string, values url.Values) templates.Form {
	level := templates.Input{Kind: templates.InputChoice, Name: FieldLevel, Label: texts.Own("It may"), Required: true, Hint: texts.Own("By itself, and at most for somebody it names. Each includes those before it.")}
	for _, name := range levels {
		level.Options = append(level.Options, templates.Option{Value: name, Label: texts.Own(name), Chosen: values.Get(FieldLevel) == name})
	}
	return templates.Form{ID: "hub-form", Action: adminAppPath(c.ID) + "/hubs", Submit: texts.Own("Provision"), Inputs: []templates.Input{
		hubInput(hubs, values.Get(FieldHub)),
		level,
		{Kind: templates.InputChoice, Name: FieldUsers, Label: texts.Own("When no person is signed in to it, it may act for"), Required: true,
			Options: options(values.Get(FieldUsers), [][3]string{
				{string(storage.AppForNobody), "nobody", "It acts by itself."}, {string(storage.AppForMembers), "any member", "It names them with x-user-id."},
			})},
	}}
}

// hubRows are what the page shows of the accesses.
func hubRows(c storage.Client, accesses []HubAccess) []templates.HubAccessRow {
	var rows []templates.HubAccessRow
	for _, a := range accesses {
		rows = append(rows, templates.HubAccessRow{
			Name: a.HubName, ID: a.HubID, Inactive: a.Inactive, Level: a.Level, Users: texts.Own(usersWords(a)),
			WithdrawURL: withdrawPath(c, a),
		})
	}
	return rows
}

func withdrawPath(c storage.Client, a HubAccess) string {
	return adminAppPath(c.ID) + "/hubs/" + url.PathEscape(a.HubID) + "/withdraw"
}

func usersWords(a HubAccess) string {
	switch a.Users {
	case storage.AppForMembers:
		return "any member"
	case storage.AppForListed:
		if a.Listed == 1 {
			return "one listed person"
		}
		return "listed people"
	}
	return "nobody"
}

// provision serves the form that lets an app into a hub.
func (a *Admin) provision(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	err = a.hubs.Admit(r.Context(), v.Act, HubAccess{
		ClientID: c.ID, HubID: strings.TrimSpace(values.Get(FieldHub)), Level: values.Get(FieldLevel), Users: storage.AppUsers(values.Get(FieldUsers)),
	})
	if err != nil {
		forms, failed := a.forms(r.Context(), c, values)
		if failed != nil {
			return failed
		}
		if !webpage.Mark(&forms.hub, err) {
			return err
		}
		return a.page(w, r, v, c, http.StatusUnprocessableEntity, forms)
	}
	return webpage.See(w, r, adminAppPath(c.ID)+"?done=provisioned#hubs")
}

// askWithdraw serves the question before an app loses a hub, and its answer.
func (a *Admin) askWithdraw(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	access, err := a.accessOf(r, c)
	if err != nil {
		return err
	}
	view := templates.ConfirmPage{
		Desk: adminDesk(r, v), Back: templates.Link{URL: adminAppPath(c.ID), Text: texts.Own(c.Name)}, Heading: texts.Own("Take " + c.Name + " out of " + access.HubName + "?"),
		Stops:  texts.Owns([]string{"The app reads and changes nothing in this hub any more, neither by itself nor for the people who use it.", "It can be let in again."}),
		Action: withdrawPath(c, access), Submit: texts.Own("Take it out"), CancelURL: adminAppPath(c.ID),
	}
	return a.portal.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return a.portal.with.Pages.Confirm(out, view) })
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
	view := templates.HubsPage{Desk: adminDesk(r, v), Query: query.Get("q")}
	view.Section = templates.SectionHubs
	for _, hub := range hubs {
		if !strings.Contains(strings.ToLower(hub.Name), strings.ToLower(view.Query)) && hub.ID != view.Query {
			continue
		}
		if view.Total++; view.Total <= maxHubsInList {
			view.Hubs = append(view.Hubs, templates.HubRow{Name: hub.Name, ID: hub.ID, Region: hub.Region, Inactive: !hub.Active, Created: hub.CreatedAt})
		}
	}
	return a.portal.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return a.portal.with.Pages.HubList(out, view) })
}
