// Package office is what people who are in charge do on the pages of files: share
// folders, and look after a hub and its projects, members, groups, apps and
// reservations.
//
// It acts by administration.Rules, as the operations under /admin/v1 do: what is not
// theirs does not exist for them. Start at Routes.
package office

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/flow"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// Options are what a Desk is made of. Every field is needed.
type Options struct {
	Ground *ground.Ground
	Rules  *administration.Rules
	Names  *flow.Rules // of how files are called

	// Invite adds somebody to the server who is not known there, in the name of an
	// administrator of it.
	Invite func(ctx context.Context, act storage.Act, email string) (administration.Invitation, error)
}

// Desk is the pages. It is safe for concurrent use.
type Desk struct {
	*ground.Ground
	rules  *administration.Rules
	names  *flow.Rules
	invite func(ctx context.Context, act storage.Act, email string) (administration.Invitation, error)
}

// New returns the pages.
func New(o Options) *Desk { return &Desk{o.Ground, o.Rules, o.Names, o.Invite} }

const (
	adminPath = ground.HubPath + "/admin"

	userVariable   = "user_id"
	groupVariable  = "group_id"
	clientVariable = "client_id"
)

// Routes are the pages.
func (d *Desk) Routes() []httpio.Route {
	routes := []httpio.Route{
		httpio.At(ground.FolderPath + "/share").Get(d.on(d.showShare)).Post(d.sent(d.share)),
		httpio.At(ground.FolderPath + "/chosen/share").Get(d.on(d.shareChosen)),
		httpio.At(ground.FolderPath + "/share/{subject_id}/remove").Get(d.on(d.askUnshare)).Post(d.sent(d.unshare)),
		httpio.At(ground.FolderPath + "/sees").Get(d.on(d.showSees)).Post(d.sent(d.findSees)),
		httpio.At(adminPath).Get(d.on(d.inHub(d.showHub))).Post(d.sent(d.inHub(d.addProject))),
		httpio.At(adminPath + "/groups").Get(d.on(d.inHub(d.showGroups))).Post(d.sent(d.inHub(d.addGroup))),
		httpio.At(adminPath + "/groups/{group_id}").Get(d.on(d.inGroup(d.showGroup))).
			Post(d.sent(d.inGroup(d.addToGroup))),
		httpio.At(adminPath + "/groups/{group_id}/delete").Get(d.on(d.inGroup(d.askDeleteGroup))).
			Post(d.sent(d.inGroup(d.deleteGroup))),
		httpio.At(adminPath + "/groups/{group_id}/members/{user_id}/remove").Get(d.on(d.inGroup(d.askOut))).
			Post(d.sent(d.inGroup(d.takeOut))),
		httpio.At(adminPath + "/apps").Get(d.on(d.inHub(d.showApps))).Post(d.sent(d.inHub(d.addApp))),
		httpio.At(adminPath + "/apps/{client_id}/remove").Get(d.on(d.inHub(d.askApp))).Post(d.sent(d.inHub(d.removeApp))),
		httpio.At(ground.ProjectPath + "/name").Get(d.on(d.inProject(d.askName))).Post(d.sent(d.inProject(d.rename))),
		httpio.At(ground.ProjectPath + "/archive").Get(d.on(d.inProject(d.askArchive))).Post(d.sent(d.inProject(d.archive))),
		httpio.At(ground.ProjectPath + "/naming").Get(d.on(d.inProject(d.askNaming))).
			Post(d.sent(d.inProject(d.setNaming))),
		httpio.At(ground.ProjectPath + "/reservations").Get(d.on(d.inProject(d.showReservations))),
	}
	for _, of := range []struct {
		path string
		in   func(placed) page
	}{{adminPath, d.inHub}, {ground.ProjectPath, d.inProject}} {
		routes = append(routes,
			httpio.At(of.path+"/people").Get(d.on(of.in(d.showPeople))).Post(d.sent(of.in(d.addPerson))),
			httpio.At(of.path+"/people/{user_id}/remove").Get(d.on(of.in(d.askPerson))).Post(d.sent(of.in(d.removePerson))))
	}
	return routes
}

// errand is a request of somebody who is in charge.
type errand struct {
	websession.Visit
	change storage.Change
	who    administration.Caller
	hub    storage.Hub
	place  storage.Place // of a project; empty in a hub
	group  storage.Group
}

// page serves an errand; placed is one in a hub or a project.
type (
	page   func(w http.ResponseWriter, r *http.Request, e errand) error
	placed = page
)

func (d *Desk) on(p page) httpio.Endpoint   { return d.Gate.Show(run(p)) }
func (d *Desk) sent(p page) httpio.Endpoint { return d.Gate.Form(run(p)) }

func run(p page) websession.Page {
	return func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
		return ground.As(func(w http.ResponseWriter, r *http.Request, change storage.Change) error {
			return p(w, r, errand{Visit: v, change: change,
				who: administration.Caller{UserID: v.UserID, Server: v.User.Admin}})
		})(w, r, v)
	}
}

// inHub serves a page of a hub to those who administer it.
func (d *Desk) inHub(p placed) page {
	return func(w http.ResponseWriter, r *http.Request, e errand) error {
		id, err := httpio.PathID(r, "hub_id")
		if err == nil {
			e.hub, err = d.rules.HubFor(r.Context(), e.who, id)
		}
		if err != nil {
			return err
		}
		return p(w, r, e)
	}
}

// inProject serves a page of a project to those who administer it, or its hub.
func (d *Desk) inProject(p placed) page {
	return func(w http.ResponseWriter, r *http.Request, e errand) error {
		id, err := httpio.PathID(r, "project_id")
		if err == nil {
			e.place, err = d.rules.ProjectFor(r.Context(), e.who, id)
		}
		if err != nil {
			return err
		}
		e.hub = e.place.Hub
		return p(w, r, e)
	}
}

// see leads to a page of the errand that says what was done, or to the files of whoever has
// taken themselves out of charge by that and sees it no more.
func (d *Desk) see(w http.ResponseWriter, r *http.Request, e errand, to, key string) error {
	if e.place.Project.ID != "" {
		_, err := d.rules.ProjectFor(r.Context(), e.who, e.place.Project.ID)
		return seen(w, r, err, to, key)
	}
	_, err := d.rules.HubFor(r.Context(), e.who, e.hub.ID)
	return seen(w, r, err, to, key)
}

// seen is see of a page to which its person now comes with the error.
func seen(w http.ResponseWriter, r *http.Request, err error, to, key string) error {
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Forbidden) {
		to, err = ground.Root, nil
	}
	if err != nil {
		return err
	}
	return ground.See(w, r, to, key)
}

// url is where the pages of the hub, or of the project, begin.
func (e errand) url() string {
	if e.place.Project.ID != "" {
		return ground.Project + e.place.Project.ID
	}
	return ground.Hubs + e.hub.ID + "/admin"
}

// trail is the way to the errand's pages.
func (e errand) trail() []templates.Link {
	if e.place.Project.ID != "" {
		return ground.Within(e.place)
	}
	return []templates.Link{{URL: ground.Root, Text: texts.Say("files.title")},
		ground.Step(ground.Hubs+e.hub.ID, e.hub.Name), {URL: e.url(), Text: texts.Say("filing.hub.title")}}
}

// name is what the errand is in.
func (e errand) name() string {
	if e.place.Project.ID != "" {
		return e.place.Project.Name
	}
	return e.hub.Name
}
