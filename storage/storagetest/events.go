package storagetest

import (
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func eventChecks() []treeCheck {
	return []treeCheck{
		{"a change writes who made it, for whom, through which app and in answer to what", eventSaysWho},
		{"every act on the tree writes its events", everyActTells},
		{"ListEvents pages newest first, and narrows by hub, project, subject, kind and actor", listEvents},
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
