package people

import (
	"io"
	"net/http"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// DeskOptions are what a Desk is made of. Every field is needed.
type DeskOptions struct {
	BaseURL  string // of the links that are handed out
	People   *People
	Sessions *websession.Manager
	Pages    *templates.Pages
	Web      *webpage.Writer
	Limits   *ratelimit.Limits // of forms that have mails sent; nil: none
}

// Desk is the pages of administrators about users, groups and the audit trail,
// and the two pages that one-time links lead to.
type Desk struct {
	with   DeskOptions
	people *People
	gate   *websession.Gate
	admins *websession.Gate
}

// NewDesk returns a desk.
func NewDesk(o DeskOptions) *Desk {
	gate := o.Sessions.Gate(o.Web.Error)
	return &Desk{with: o, people: o.People, gate: gate, admins: gate.Administrators()}
}

// Paths of the pages below the base URL.
const (
	usersPath  = "/admin/users"
	groupsPath = "/admin/groups"
	auditPath  = "/admin/audit"
)

// The variables of the routes.
const (
	userVariable  = "userId"
	groupVariable = "groupId"
	eventVariable = "eventId"
)

// Routes are the pages about users and groups.
func (d *Desk) Routes() []httpio.Route {
	const user, group = usersPath + "/{userId}", groupsPath + "/{groupId}"
	return []httpio.Route{
		httpio.At(usersPath).Get(d.admins.Show(d.users)),
		httpio.At(usersPath + "/new").Get(d.admins.Show(d.showCreate)).Post(d.admins.Form(d.create)),
		httpio.At(importPath).Get(d.admins.Show(d.showImport)).Post(d.admins.Form(d.sendImport)),
		httpio.At(importPath + "/{importId}").Get(d.admins.Show(d.ofImport(d.preview))).
			Post(d.admins.Form(d.ofImport(d.carryOutImport))),
		httpio.At(user).Get(d.admins.Show(d.ofUser(d.user))),
		httpio.At(user + "/edit").Get(d.admins.Show(d.ofUser(d.showEdit))).Post(d.admins.Form(d.ofUser(d.edit))),
		d.act(d.deletes()), d.act(d.endsSessions()), d.act(d.promotes()), d.act(d.demotes()), d.act(d.disables()),
		httpio.At(user + "/sessions/{sessionId}").Post(d.admins.Form(d.ofUser(d.endSessionOf))).On(user),
		httpio.At(user + "/reset").Post(d.admins.Form(d.ofUser(d.reset))).On(user),
		httpio.At(user + "/enable").Post(d.admins.Form(d.ofUser(d.enable))).On(user),
		httpio.At(user + "/invite").Post(d.admins.Form(d.ofUser(d.inviteUser))).On(user),
		httpio.At(groupsPath).Get(d.admins.Show(d.showGroups)).Post(d.admins.Form(d.createGroup)),
		httpio.At(group).Get(d.admins.Show(d.ofGroup(d.showGroup))).Post(d.admins.Form(d.ofGroup(d.editGroup))),
		d.admins.Grave(httpio.At(group+"/delete"), d.ofGroup(d.askDeleteGroup), d.ofGroup(d.deleteGroup)),
		httpio.At(group + "/members").Post(d.admins.Form(d.ofGroup(d.addMember))).On(group),
		d.admins.Grave(httpio.At(group+"/members/{userId}/remove"), d.ofGroup(d.askRemoveMember), d.ofGroup(d.removeMember)),
	}
}

// AuditRoutes are the pages of the audit trail.
func (d *Desk) AuditRoutes() []httpio.Route {
	return []httpio.Route{
		httpio.At(auditPath).Get(d.admins.Show(d.audit)),
		httpio.At(auditPath + "/{eventId}").Get(d.gate.Show(d.event)),
		httpio.At(auditPath + ".csv").Get(d.export("text/csv; charset=utf-8", "audit.csv", openCSV)),
		httpio.At(auditPath + ".ndjson").Get(d.export("application/x-ndjson", "audit.ndjson", openNDJSON)),
	}
}

// LinkRoutes are the pages that one-time links lead to.
func (d *Desk) LinkRoutes() []httpio.Route {
	return []httpio.Route{
		httpio.At(setUpPath).Get(d.open(d.showSetUp)).Post(d.submit(d.setUp)),
		httpio.At(passwordPath).Get(d.open(d.showPassword)).Post(d.submit(d.setPassword)),
	}
}

// done says what a form did, when the next page is asked with its key.
var done = map[string]texts.Text{
	"created":  texts.Say("people.done.created"),
	"invited":  texts.Say("joining.invited.done"),
	"edited":   texts.Say("people.done.edited"),
	"disabled": texts.Say("people.done.disabled"),
	"enabled":  texts.Say("people.done.enabled"),
	"deleted":  texts.Say("people.done.deleted"),
	"ended":    texts.Say("people.done.ended"),
	"imported": texts.Say("people.done.imported"),
	"read":     texts.Say("people.done.read"),

	"session-ended": texts.Say("people.done.session-ended"),

	"promoted": texts.Say("people.done.promoted"),
	"demoted":  texts.Say("people.done.demoted"),
	"added":    texts.Say("people.done.added"),

	"group-created":  texts.Say("people.done.group-created"),
	"group-deleted":  texts.Say("people.done.group-deleted"),
	"removed":        texts.Say("people.done.removed"),
	"factor-removed": texts.Say("people.done.factor-removed"),
}

func desk(r *http.Request, section templates.Section) templates.Desk {
	return webpage.Desk(r, section, done)
}

// pageOf is the page that is asked of a list.
func pageOf(list webpage.List) storage.PageRequest {
	return storage.PageRequest{After: list.After, Before: list.Before, Limit: webpage.Rows}
}

func (d *Desk) send(w http.ResponseWriter, status int, render func(io.Writer) error) error {
	return d.with.Web.Send(w, status, render)
}
