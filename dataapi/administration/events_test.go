package administration_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// history makes changes of many kinds in a project and returns it, with a
// folder and an item in it.
func (o *office) history() (project storage.Project, folder, item string) {
	o.Helper()
	project = o.project()
	files, err := o.rules.FindTopFolder(o.Context(), project.ID, storage.FolderFiles)
	o.must(err)
	folder, item = "AAAAAAAAAAAAAAAAAAAAAA", "BBBBBBBBBBBBBBBBBBBBBA"
	change := o.change()
	change.Actor = storage.Actor{Kind: storage.ActorClient, ID: "app"}
	_, err = o.store.CreateFolder(o.Context(), change, project.ID,
		storage.Folder{ID: folder, ParentID: files.ID, Name: "Folder"})
	o.must(err)
	_, err = o.store.CreateItem(o.Context(), o.change(), project.ID,
		storage.Item{ID: item, FolderID: folder, Name: "Item"}, storage.NewVersion{Name: "Item"})
	o.must(err)
	_, err = o.rules.ArchiveProject(o.Context(), o.change(), project.ID, true)
	o.must(err)
	return project, folder, item
}

// kinds returns what happened, page by page.
func (o *office) kinds(wanted administration.EventsWanted, limit int) []string {
	o.Helper()
	all := []string{}
	page := storage.PageRequest{Limit: limit}
	for last := int64(0); ; {
		events, next, err := o.rules.ListEvents(o.Context(), wanted, page)
		o.must(err)
		for _, e := range events {
			if last != 0 && e.Seq >= last {
				o.Errorf("%d comes after %d", e.Seq, last)
			}
			last = e.Seq
			all = append(all, e.Kind)
		}
		if len(events) > limit {
			o.Errorf("a page of %d has %d", limit, len(events))
		}
		if next == "" {
			return all
		}
		if page.After = next; len(events) == 0 {
			o.Fatal("an empty page has a next one")
		}
	}
}

// Rule: ADMIN-22
func TestWhatHappenedInAProjectIsReadByKindSubjectAndActor(t *testing.T) {
	eachEngine(t, func(t *testing.T, o *office) {
		other := o.project()
		project, folder, item := o.history()
		of := func(narrow administration.EventsWanted) administration.EventsWanted {
			narrow.ProjectID = project.ID
			return narrow
		}
		made := []string{"item.created", "folder.created"}
		for name, c := range map[string]struct {
			wanted administration.EventsWanted
			want   []string
		}{
			"all": {of(administration.EventsWanted{}),
				append(append([]string{"project.archived"}, made...), "project.created")},
			"all of another project": {administration.EventsWanted{ProjectID: other.ID}, []string{"project.created"}},
			"a hub's own":            {administration.EventsWanted{HubID: project.HubID}, []string{"hub.created"}},
			"a kind":                 {of(administration.EventsWanted{Kind: "item.created"}), made[:1]},
			"kinds": {of(administration.EventsWanted{Kind: "project."}),
				[]string{"project.archived", "project.created"}},
			"a kind there is none of":  {of(administration.EventsWanted{Kind: "item.moved"}), []string{}},
			"a folder":                 {of(administration.EventsWanted{Subject: folder}), made[1:]},
			"a folder by its URN":      {of(administration.EventsWanted{Subject: o.rules.FolderURN(folder)}), made[1:]},
			"an item by its URN":       {of(administration.EventsWanted{Subject: o.rules.ItemURN(item)}), made[:1]},
			"a folder elsewhere":       {administration.EventsWanted{ProjectID: other.ID, Subject: folder}, []string{}},
			"an actor":                 {of(administration.EventsWanted{ActorID: "app"}), made[1:]},
			"an actor who did nothing": {of(administration.EventsWanted{ActorID: "nobody"}), []string{}},
			"everything at once": {of(administration.EventsWanted{Kind: "folder.", Subject: folder, ActorID: "app"}),
				made[1:]},
			"everything, one not so": {of(administration.EventsWanted{Kind: "item.", Subject: folder, ActorID: "app"}),
				[]string{}},
			"a project as the subject": {of(administration.EventsWanted{Subject: project.ID}),
				[]string{"project.archived", "project.created"}},
			"an absent project":         {administration.EventsWanted{ProjectID: "b.none"}, []string{}},
			"a twin that is none there": {of(administration.EventsWanted{Subject: "urn:portico:dtt:" + folder}), made[1:]},
		} {
			for _, limit := range []int{1, 2, 3, storage.MaxPage} {
				if diff := cmp.Diff(c.want, o.kinds(c.wanted, limit)); diff != "" {
					t.Errorf("%s, %d a page (-want +got):\n%s", name, limit, diff)
				}
			}
		}
	})
}

// Rule: ADMIN-22
func TestAnEventIsAskedForByTheNameItIsShownWith(t *testing.T) {
	eachEngine(t, func(t *testing.T, o *office) {
		project, _, _ := o.history()
		for _, e := range []storage.Event{
			{Kind: "folder.moved", Subject: "AAAAAAAAAAAAAAAAAAAAAA"}, {Kind: "grant.set", Subject: "AAAAAAAAAAAAAAAAAAAAAA"},
			{Kind: "version.added", Subject: "BBBBBBBBBBBBBBBBBBBBBA"},
			{Kind: "twin.created", Subject: "AAAAAAAAAAAAAAAAAAAAAA"},
			{Kind: "object.stored", Subject: "bucket/some-key"}, {Kind: "member.set", Subject: "SOMEBODY"},
		} {
			wanted := administration.EventsWanted{ProjectID: project.ID, Subject: o.rules.SubjectName(e)}
			if _, _, err := o.rules.ListEvents(t.Context(), wanted, storage.PageRequest{}); err != nil {
				t.Errorf("%s: %v", wanted.Subject, err)
			}
		}
		events, _, err := o.rules.ListEvents(t.Context(), administration.EventsWanted{ProjectID: project.ID},
			storage.PageRequest{})
		o.must(err)
		for _, e := range events {
			same, _, err := o.rules.ListEvents(t.Context(), administration.EventsWanted{ProjectID: project.ID, Kind: e.Kind,
				Subject: o.rules.SubjectName(e)}, storage.PageRequest{})
			o.must(err)
			if diff := cmp.Diff([]storage.Event{e}, same); diff != "" {
				t.Errorf("%s (-want +got):\n%s", e.Kind, diff)
			}
		}
	})
}

// Rule: ADMIN-22
func TestWhatCannotBeAskedOfEventsIsNamed(t *testing.T) {
	eachEngine(t, func(t *testing.T, o *office) {
		project, _, _ := o.history()
		refused := func(field string, narrow administration.EventsWanted, after string) {
			t.Helper()
			narrow.ProjectID = project.ID
			_, _, err := o.rules.ListEvents(t.Context(), narrow, storage.PageRequest{After: after})
			if !fault.Is(err, fault.Invalid) || fault.From(err).Source != field {
				t.Errorf("%+v after %q: %v, want it to be about %s", narrow, after, err, field)
			}
		}
		for _, kind := range []string{"folder", ".", "Folder.moved", "folder.moved.", "folder.%", " folder.", "folder. "} {
			refused("kind", administration.EventsWanted{Kind: kind}, "")
		}
		for _, subject := range []string{"urn:portico:fs.folder:co.short", "urn:other:fs.folder:co.AAAAAAAAAAAAAAAAAAAAAA",
			"urn:portico:os.object:bucket"} {
			refused("subject", administration.EventsWanted{Subject: subject}, "")
		}
		for _, after := range []string{"x", "1.5", "99999999999999999999"} {
			refused("after", administration.EventsWanted{}, after)
		}
	})
}
