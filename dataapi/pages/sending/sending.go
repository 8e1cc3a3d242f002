// Package sending is what is sent to people of a project, for people: the list of it,
// a letter with its versions and who has fetched them, and the form that sends what
// was chosen in a folder.
//
// It goes by the rules of package transmittal, as its operations do. Start at Routes.
package sending

import (
	"io"
	"net/http"
	"strconv"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/dataapi/transmittal"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

const (
	allPath  = ground.ProjectPath + "/transmittals"
	onePath  = allPath + "/{number}"
	sendPath = ground.FolderPath + "/chosen/send"

	shownRows = 100
)

// Desk is the pages. It is safe for concurrent use.
type Desk struct {
	*ground.Ground
	rules *transmittal.Rules
}

// New returns the pages.
func New(on *ground.Ground, rules *transmittal.Rules) *Desk { return &Desk{on, rules} }

// Routes are the pages.
func (d *Desk) Routes() []httpio.Route {
	return []httpio.Route{
		httpio.At(allPath).Get(d.Shown(d.list)),
		httpio.At(onePath).Get(d.Shown(d.one)),
		httpio.At(onePath + "/fetches").Get(d.Shown(d.fetches)),
		httpio.At(onePath + "/versions/{version_id}/bytes").Get(d.Shown(d.bytes)),
		httpio.At(onePath + "/zip").Post(d.Gate.Form(d.pack)).On(onePath),
		httpio.At(sendPath).Get(d.Shown(d.ask)).Post(d.Done(d.send)),
	}
}

// asked is a request in a project.
type asked struct {
	who     storage.Caller
	project string
	number  int
}

func (d *Desk) asked(r *http.Request, numbered bool) (a asked, err error) {
	if a.who, err = access.Caller(r); err != nil {
		return a, err
	}
	place, err := d.Find.ReachProject(r, false)
	if a.project = place.Project.ID; err == nil && numbered {
		a.number, err = transmittal.Number(r)
	}
	return a, err
}

func allURL(projectID string) string { return ground.Project + projectID + "/transmittals" }

func called(t storage.Transmittal) string { return strconv.Itoa(t.Number) + " · " + t.Title }

// list shows what the person sent or was sent in a project.
func (d *Desk) list(w http.ResponseWriter, r *http.Request) error {
	a, err := d.asked(r, false)
	if err != nil {
		return err
	}
	page, err := d.Onward(r)
	if err != nil {
		return err
	}
	place, all, next, err := d.rules.List(r.Context(), a.who, a.project, page)
	if err != nil {
		return err
	}
	senders := make([]string, len(all))
	for i, t := range all {
		senders[i] = t.SentBy
	}
	names, err := d.Names(r.Context(), senders...)
	if err != nil {
		return err
	}
	list := templates.ListingPage{Desk: d.Desk(r), Heading: texts.Say("sending.title"), Lead: texts.Say("sending.lead"),
		None: texts.Say("sending.none"), Trail: ground.Within(place), Pager: d.Ways(r, next)}
	for _, t := range all {
		list.Rows = append(list.Rows, templates.Listed{Name: called(t), URL: transmittal.Page(a.project, t.Number),
			What: texts.Say("sending.row", "By", sender(names, t.SentBy), "At", t.SentAt, "Files", t.Versions, "People", t.To)})
	}
	return d.Send(w, http.StatusOK, func(out io.Writer) error { return d.Pages.Listing(out, list) })
}

// sender is what whoever has sent something is called; an app is a dash.
func sender(names map[string]string, id string) string {
	if name := names[id]; name != "" {
		return name
	}
	return "–"
}

// fetches shows who has fetched what, the first first.
func (d *Desk) fetches(w http.ResponseWriter, r *http.Request) error {
	a, err := d.asked(r, true)
	if err != nil {
		return err
	}
	page, err := d.Onward(r)
	if err != nil {
		return err
	}
	seen, all, next, err := d.rules.Fetched(r.Context(), a.who, a.project, a.number, page)
	if err != nil {
		return err
	}
	people := make([]string, len(all))
	for i, f := range all {
		people[i] = f.UserID
	}
	names, err := d.Names(r.Context(), people...)
	if err != nil {
		return err
	}
	list := templates.ListingPage{Desk: d.Desk(r), Heading: texts.Say("sending.fetches", "Number", a.number),
		None: texts.Say("sending.fetches-none"), Trail: d.trail(seen, true), Pager: d.Ways(r, next)}
	for _, f := range all {
		list.Rows = append(list.Rows, templates.Listed{Name: names[f.UserID],
			What: texts.Say("sending.fetched", "File", f.Name, "At", f.At)})
	}
	return d.Send(w, http.StatusOK, func(out io.Writer) error { return d.Pages.Listing(out, list) })
}

// trail is the way to a transmittal, which is its last step where it is to be.
func (d *Desk) trail(s transmittal.Seen, whole bool) []templates.Link {
	trail := append(ground.Within(s.Place),
		templates.Link{URL: allURL(s.Place.Project.ID), Text: texts.Say("sending.title")})
	if whole {
		trail = append(trail, ground.Step(transmittal.Page(s.Place.Project.ID, s.Number), called(s.Transmittal)))
	}
	return trail
}

// bytes sends the bytes of a version to be saved.
func (d *Desk) bytes(w http.ResponseWriter, r *http.Request) error {
	a, err := d.asked(r, true)
	if err != nil {
		return err
	}
	name, err := httpio.PathID(r, "version_id")
	if err != nil {
		return err
	}
	ref, ok := d.URN.VersionRef(name)
	if !ok {
		return fault.Absent("version")
	}
	return d.rules.Fetch(w, r, a.who, a.project, a.number, ref)
}

// pack makes a ZIP file of what was sent, and leads to it.
func (d *Desk) pack(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	r = access.AsPerson(r, v.UserID)
	a, err := d.asked(r, true)
	if err != nil {
		return err
	}
	httpio.AtLeisure(w)
	awaited, done := v.Awaited(r.Context())
	defer done()
	made, err := d.rules.Pack(awaited, a.who, a.project, a.number)
	if err == nil {
		return webpage.See(w, r, ground.Root+"/archives/"+made.ID)
	}
	seen, failed := d.rules.Find(r.Context(), a.who, a.project, a.number)
	if failed != nil {
		return failed
	}
	here := transmittal.Page(a.project, a.number)
	return d.Again(w, r, templates.FormPage{Back: ground.Step(here, called(seen.Transmittal)),
		Heading: texts.Say("showing.zip-which", "Name", called(seen.Transmittal)),
		Form:    templates.Form{ID: "zip-form", Action: here + "/zip", Submit: texts.Say("showing.zip")}}, err)
}
