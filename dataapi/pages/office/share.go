package office

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/level"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

const (
	fieldUser  = administration.FieldUser
	fieldLevel = administration.FieldLevel

	groupPrefix = "group:"
)

// may says what a level is, in plain words.
var may = map[storage.Level]texts.Text{
	storage.LevelNone: texts.Say("filing.level.none"), storage.LevelView: texts.Say("filing.level.view"),
	storage.LevelDownload: texts.Say("filing.level.download"), storage.LevelPublish: texts.Say("filing.level.publish"),
	storage.LevelCollaborate: texts.Say("filing.level.collaborate"), storage.LevelEdit: texts.Say("filing.level.edit"),
	storage.LevelControl: texts.Say("filing.level.control"),
}

func levels(chosen string) []templates.Option {
	var all []templates.Option
	for l := storage.LevelView; l <= storage.LevelControl; l++ {
		all = append(all, templates.Option{Value: level.Name(l), Label: may[l], Chosen: level.Name(l) == chosen})
	}
	return all
}

// given is the folder that the address names, for those who may give rights in it.
func (d *Desk) given(r *http.Request) (access.Spot, error) {
	at, err := d.Find.ReachFolder(r)
	if err == nil && !access.MayGive(at.Standing) {
		err = fault.New(fault.Forbidden, access.ReasonNoRight, "Only who may control the folder sees who has rights in it.")
	}
	return at, err
}

// showShare serves the page with those who have rights that were given in this very
// folder, and the form that gives some.
func (d *Desk) showShare(w http.ResponseWriter, r *http.Request, _ errand) error {
	at, err := d.given(r)
	if err != nil {
		return err
	}
	list, err := d.sharePage(r, at, url.Values{fieldLevel: {level.Name(storage.LevelDownload)}})
	if err != nil {
		return err
	}
	return d.list(w, r, list)
}

func (d *Desk) sharePage(r *http.Request, at access.Spot, values url.Values) (templates.ListingPage, error) {
	here := d.FolderURL(at.Project.ID, at.Folder.ID)
	list := templates.ListingPage{Heading: texts.Say("filing.share.title", "Name", at.Folder.Name),
		Lead: texts.Say("filing.share.lead"), None: texts.Say("filing.share.none"), More: texts.Say("filing.share.more"),
		Ways: []templates.Button{{ID: "sees", URL: here + "/sees", Text: texts.Say("filing.sees.ask")}},
		Form: templates.Form{ID: "share-form", Action: here + "/share", Submit: texts.Say("filing.share.submit"),
			Inputs: []templates.Input{
				{Kind: templates.InputText, Name: fieldUser, Label: texts.Say("filing.share.who"), Value: values.Get(fieldUser),
					Required: true, Max: maxHandle, Hint: texts.Say("filing.share.who-hint")},
				{Kind: templates.InputChoice, Name: fieldLevel, Label: texts.Say("filing.share.level"),
					Options: levels(values.Get(fieldLevel))},
			}}}
	grants, err := d.rules.ListGrants(r.Context(), at.Project.ID, at.Folder.ID)
	if err != nil {
		return list, err
	}
	names, err := d.subjects(r.Context(), at.Hub.ID, grants)
	for _, g := range grants {
		id := g.UserID + g.GroupID
		list.Rows = append(list.Rows, templates.Listed{Name: names[id], ID: id, What: may[g.Level],
			Acts: []templates.Button{{ID: "remove-" + id, URL: here + "/share/" + subject(g) + "/remove",
				Text: texts.Say("parts.remove")}}})
	}
	byName(list.Rows)
	if err == nil {
		list.Trail, err = d.Trail(r.Context(), at)
	}
	return list, err
}

// subject names whom something was given to, in an address.
func subject(g storage.FolderGrant) string {
	if g.GroupID != "" {
		return groupPrefix + g.GroupID
	}
	return g.UserID
}

// subjects returns what people and groups are called.
func (d *Desk) subjects(ctx context.Context, hubID string, grants []storage.FolderGrant) (map[string]string, error) {
	var ids []string
	for _, g := range grants {
		if g.UserID != "" {
			ids = append(ids, g.UserID)
		}
	}
	names, err := d.rules.Names(ctx, ids)
	if err != nil {
		return nil, err
	}
	groups, err := d.rules.ListGroups(ctx, hubID)
	for _, g := range groups {
		names[g.ID] = g.Name
	}
	return names, err
}

// share gives somebody, or a group, a level.
func (d *Desk) share(w http.ResponseWriter, r *http.Request, e errand) error {
	at, err := d.Find.ReachFolder(r)
	if err != nil {
		return err
	}
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err = d.give(r.Context(), e, at, values); err != nil {
		list, failed := d.sharePage(r, at, values)
		if failed != nil {
			return failed
		}
		if !access.MayGive(at.Standing) {
			list.Rows = nil // the right to see them was withdrawn meanwhile
		}
		return d.again(w, r, list, err)
	}
	_, err = d.given(r)
	return seen(w, r, err, d.FolderURL(at.Project.ID, at.Folder.ID)+"/share", "shared")
}

func (d *Desk) give(ctx context.Context, e errand, at access.Spot, values url.Values) error {
	place, _, err := d.rules.FolderFor(ctx, e.who, at.Project.ID, at.Folder.ID)
	if fault.Is(err, fault.NotFound) || err == nil && !access.MayGive(at.Standing) {
		err = mayNotGive()
	}
	if err != nil {
		return err
	}
	grant := storage.FolderGrant{FolderID: at.Folder.ID}
	if grant.Level, err = level.Parse(values.Get(fieldLevel), fieldLevel); err != nil {
		return err
	}
	handle := handleIn(values, fieldUser)
	group, err := d.rules.FindGroup(ctx, at.Hub.ID, handle)
	switch {
	case err == nil:
		grant.GroupID = group.ID
	case !fault.HasReason(err, storage.ReasonGroupAbsent):
		return err
	default:
		grant.UserID, err = d.rules.MemberFor(ctx, e.who, place, handle)
		if fault.HasReason(err, storage.ReasonUserAbsent) && !strings.Contains(handle, "@") {
			err = fault.Newf(fault.NotFound, storage.ReasonUserAbsent,
				"There is no user, service account or group %q. In names of groups capital letters count.", handle)
		}
		if err != nil {
			return asked(err)
		}
	}
	return d.rules.GrantFor(ctx, e.who, place, e.change, grant)
}

func mayNotGive() error {
	return fault.New(fault.Forbidden, access.ReasonNoRight, "Only who may control the folder gives rights in it.")
}

// asked keeps a refusal about a person with the field that names them.
func asked(err error) error {
	if f := fault.From(err); f.Source == "" && f.Kind != fault.Internal {
		return f.At(fieldUser)
	}
	return err
}

// taken is the grant that the address names, of those in this very folder: of anybody else
// not even the name is told.
func (d *Desk) taken(r *http.Request, at access.Spot) (storage.FolderGrant, string, error) {
	id, err := httpio.PathID(r, "subject_id")
	if err != nil {
		return storage.FolderGrant{}, "", err
	}
	grants, err := d.rules.ListGrants(r.Context(), at.Project.ID, at.Folder.ID)
	if err != nil {
		return storage.FolderGrant{}, "", err
	}
	i := slices.IndexFunc(grants, func(g storage.FolderGrant) bool { return subject(g) == id })
	if i < 0 {
		return storage.FolderGrant{}, "", fault.Absent("grant")
	}
	g := grants[i]
	names, err := d.subjects(r.Context(), at.Hub.ID, grants[i:i+1])
	return g, names[g.UserID+g.GroupID], err
}

// askUnshare asks once before a level is taken back.
func (d *Desk) askUnshare(w http.ResponseWriter, r *http.Request, _ errand) error {
	at, err := d.given(r)
	if err != nil {
		return err
	}
	_, name, err := d.taken(r, at)
	if err != nil {
		return err
	}
	back := templates.Link{URL: d.FolderURL(at.Project.ID, at.Folder.ID) + "/share",
		Text: texts.Say("filing.share.title", "Name", at.Folder.Name)}
	return d.Ask(w, r, templates.ConfirmPage{Back: back,
		Heading: texts.Say("filing.share.take", "Name", name, "Folder", at.Folder.Name), Action: r.URL.EscapedPath(),
		Stops:  []texts.Text{texts.Say("filing.share.take-stops")},
		Submit: texts.Say("parts.remove"), CancelURL: back.URL})
}

// unshare takes it back. What was taken back before is none the less.
func (d *Desk) unshare(w http.ResponseWriter, r *http.Request, e errand) error {
	at, err := d.given(r)
	if err != nil {
		return err
	}
	g, _, err := d.taken(r, at)
	if err == nil {
		err = d.rules.RemoveGrant(r.Context(), e.change, at.Project.ID, g)
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	_, err = d.given(r)
	return seen(w, r, err, d.FolderURL(at.Project.ID, at.Folder.ID)+"/share", "unshared")
}
