package storagetest

import (
	"fmt"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func eventChecks() []treeCheck {
	return []treeCheck{
		{"a change writes who made it, for whom, through which app and in answer to what", eventSaysWho},
		{"every act on the tree writes its events", everyActTells},
		{"ListEvents pages newest first, and narrows by hub, project, subject, kind and actor", listEvents},
		{"ListEventsIn tells of a folder, of all that lies below it now and of what was moved out of it", eventsBelow},
		{"ListEventsIn tells of one user's changes, and goes on where its window has ended", eventsOfOne},
	}
}

func eventSaysWho(w *Tree) {
	change := storage.Change{
		Act: storage.Act{
			At: w.Now(), Actor: storage.Actor{Kind: storage.ActorClient, ID: "app"}, RequestID: "r1", Address: "192.0.2.9",
		},
		Caller: storage.Caller{ClientID: "app", UserID: "USER", OnBehalf: true},
	}
	folder, err := w.Data.CreateFolder(w.Ctx(), change, w.Project.ID,
		storage.Folder{ID: "uid", ParentID: w.Files.ID, Name: "N"})
	w.Must(err)
	w.Equal("USER", folder.CreatedBy)
	got := w.Events(storage.EventQuery{Subject: "uid"})
	want := storage.Event{
		Seq: got[0].Seq, Kind: storage.EventFolderCreated, Subject: "uid", HubID: w.Hub.ID,
		ProjectID: w.Project.ID, FolderID: w.Files.ID,
		Act: change.Act, Caller: change.Caller, Data: `{"name":"N","parent":"` + w.Files.ID + `"}`,
	}
	w.Equal([]storage.Event{want}, got)
}

func everyActTells(w *Tree) {
	for name := range w.changesOfTheTree() {
		change := w.changesOfTheTree()[name] // made anew, since one act can be in the way of another
		before := w.Events(storage.EventQuery{})[0].Seq
		w.Must(change())
		if w.Events(storage.EventQuery{})[0].Seq == before {
			w.Errorf("%s wrote no event", name)
		}
	}
}

// tells are the subjects and kinds of the events that are looked for, page by page.
func (w *Tree) tells(in storage.EventsIn, limit int) (all []string) {
	w.Helper()
	for page := (storage.PageRequest{Limit: limit}); ; {
		events, next, err := w.Data.ListEventsIn(w.Ctx(), in, page)
		w.Must(err)
		for _, e := range events {
			all = append(all, e.Kind+" "+e.Subject)
		}
		if page.After = next; next == "" {
			return all
		}
	}
}

func eventsBelow(w *Tree) {
	top, other := w.Folder(w.Files.ID, "top").ID, w.Folder(w.Files.ID, "other").ID
	below := w.Folder(top, "below").ID
	deep, away := w.Item(below, "deep.txt").Item.ID, w.Item(below, "away.txt").Item.ID
	w.Item(other, "elsewhere.txt")
	_, err := w.Data.UpdateItem(w.Ctx(), w.Change(), w.Project.ID, away, storage.ItemPatch{FolderID: &other})
	w.Must(err)
	w.Edit(top, storage.FolderPatch{Name: ptr("renamed")})
	want := []string{"folder.renamed " + top, "item.moved " + away, "item.created " + away, "item.created " + deep,
		"folder.created " + below, "folder.created " + top}
	for limit := 1; limit < 8; limit++ {
		w.Equal(want, w.tells(storage.EventsIn{ProjectID: w.Project.ID, FolderID: top}, limit))
	}
	w.Edit(below, storage.FolderPatch{ParentID: &other}) // it takes along what has happened in it
	in := storage.EventsIn{ProjectID: w.Project.ID, FolderID: other}
	if told := strings.Join(w.tells(in, 3), "\n"); !strings.Contains(told, "item.created "+deep) ||
		!strings.HasPrefix(told, "folder.moved "+below) {
		w.Errorf("told is\n%s", told)
	}
	in.FolderID = top
	w.Equal([]string{"folder.moved " + below, "folder.renamed " + top, "folder.created " + below, "folder.created " + top},
		w.tells(in, 3))
	w.Equal([]string(nil), w.tells(storage.EventsIn{ProjectID: "b.none"}, 3))
}

func eventsOfOne(w *Tree) {
	user := w.User().ID
	first, err := w.Data.CreateFolder(w.Ctx(), w.ChangeBy(user), w.Project.ID,
		storage.Folder{ID: "theirs", ParentID: w.Files.ID, Name: "theirs"})
	w.Must(err)
	for i := range 7 {
		w.Edit(w.Plans.ID, storage.FolderPatch{ExtensionData: ptr(fmt.Sprintf(`{"n": %d}`, i))})
	}
	in := storage.EventsIn{ProjectID: w.Project.ID, UserID: user, Window: 5}
	none, next, err := w.Data.ListEventsIn(w.Ctx(), in, storage.PageRequest{})
	w.Must(err)
	if len(none) > 0 || next == "" {
		w.Errorf("%d events and %q", len(none), next)
	}
	w.Equal([]string{"folder.created " + first.ID}, w.tells(in, 10))
	_, _, err = w.Data.ListEventsIn(w.Ctx(), in, storage.PageRequest{After: "x"})
	w.Refused(err, fault.Invalid, "")
}

func listEvents(w *Tree) {
	folder := w.Folder(w.Files.ID, "f")
	other := w.NewProject(w.NewHub("Other").ID, "Other")
	kinds := func(query storage.EventQuery, limit int) (all []string) {
		for page := (storage.PageRequest{Limit: limit}); ; {
			events, next, err := w.Data.ListEvents(w.Ctx(), query, page)
			w.Must(err)
			for _, e := range events {
				all = append(all, e.Kind)
			}
			if page.After = next; next == "" {
				return all
			}
		}
	}
	for limit := 1; limit < 4; limit++ {
		w.Equal([]string{storage.EventFolderCreated, storage.EventProjectCreated},
			kinds(storage.EventQuery{ProjectID: w.Project.ID}, limit))
		w.Equal([]string{storage.EventHubCreated}, kinds(storage.EventQuery{HubID: w.Hub.ID}, limit))
		w.Equal([]string{storage.EventProjectCreated}, kinds(storage.EventQuery{Subject: other.ID}, limit))
		w.Equal([]string(nil), kinds(storage.EventQuery{Subject: folder.ID, ProjectID: other.ID}, limit))
		w.Equal(5, len(kinds(storage.EventQuery{}, limit)))
	}
	change := storage.Change{Act: storage.Act{At: w.Now(), Actor: storage.Actor{Kind: storage.ActorUser, ID: "SOMEBODY"}}}
	_, err := w.Data.CreateFolder(w.Ctx(), change, w.Project.ID,
		storage.Folder{ID: "theirs", ParentID: w.Files.ID, Name: "theirs"})
	w.Must(err)
	hidden := true
	_, err = w.Data.UpdateFolder(w.Ctx(), w.Change(), w.Project.ID, folder.ID, storage.FolderPatch{Hidden: &hidden})
	w.Must(err)
	for limit := 1; limit < 4; limit++ {
		in := storage.EventQuery{ProjectID: w.Project.ID, Kind: "folder."}
		w.Equal([]string{storage.EventFolderHidden, storage.EventFolderCreated, storage.EventFolderCreated}, kinds(in, limit))
		in.Kind = storage.EventFolderCreated
		w.Equal([]string{storage.EventFolderCreated, storage.EventFolderCreated}, kinds(in, limit))
		in.Subject = folder.ID
		w.Equal([]string{storage.EventFolderCreated}, kinds(in, limit))
		w.Equal([]string{storage.EventFolderCreated}, kinds(storage.EventQuery{ActorID: "SOMEBODY"}, limit))
		for _, kind := range []string{"folder", "fol%.", "f_lder.", "Folder."} {
			w.Equal([]string(nil), kinds(storage.EventQuery{ProjectID: w.Project.ID, Kind: kind}, limit))
		}
	}
	_, _, err = w.Data.ListEvents(w.Ctx(), storage.EventQuery{}, storage.PageRequest{After: "x"})
	w.Refused(err, fault.Invalid, "")
	_, _, err = w.Data.ListEvents(w.Ctx(), storage.EventQuery{}, storage.PageRequest{Limit: 201})
	w.Refused(err, fault.Invalid, "")
}
