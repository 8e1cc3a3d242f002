package e2e

import (
	"encoding/json"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage"
)

// changeRead is an event as the API has it.
type changeRead struct {
	ID        int64
	Kind      string
	ActorKind string `json:"actor_kind"`
	ActorID   string `json:"actor_id"`
	ClientID  string `json:"client_id"`
	UserID    string `json:"user_id"`
	OnBehalf  bool   `json:"on_behalf"`
	HubID     string `json:"hub_id"`
	ProjectID string `json:"project_id"`
	Folder    string
	Subject   string
	Data      map[string]any
	RequestID string `json:"request_id"`
	Address   string
}

// changes reads all pages of events, so many a page.
func (e *estate) changes(who, path, limit string, narrow url.Values) (all []changeRead) {
	e.Helper()
	query := url.Values{"limit": {limit}}
	for name, values := range narrow {
		query[name] = values
	}
	for {
		got := e.as(who, "GET", path+"?"+query.Encode(), "")
		if got.Status != 200 {
			e.Fatalf("%s: %s: %d %s", who, path, got.Status, got.Body)
		}
		var page struct {
			Items []changeRead
			Next  string
		}
		e.must(json.Unmarshal([]byte(got.Body), &page))
		all = append(all, page.Items...)
		if page.Next == "" {
			return all
		}
		query.Set("after", page.Next)
	}
}

// Rule: ADMIN-22
func TestAdministratorsReadWhoChangedWhatAndThroughWhichApp(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		e := newEstate(t, database)
		files, _ := url.PathUnescape(e.names["files"])
		e.done(200, "PUT", "/projects/{project}/members/{known}", `{}`)
		if got := e.as("project-admin", "PUT", "/projects/{project}/folders/{files}/grants/users/{known}",
			`{"level":"view"}`); got.Status != 200 {
			t.Fatalf("a grant: %d %s", got.Status, got.Body)
		}
		const project, hub = "/projects/{project}/events", "/hubs/{hub}/events"
		all := e.changes("project-admin", project, "200", nil)
		newest := all[0]
		if newest.ID == 0 || newest.RequestID == "" || newest.Address == "" {
			t.Errorf("the newest: %+v", newest)
		}
		want := changeRead{
			ID: newest.ID, Kind: storage.EventGrantSet, ActorKind: "user", ActorID: e.users["project-admin"],
			ClientID: e.tool.ID, UserID: e.users["project-admin"], HubID: e.names["hub"], ProjectID: e.names["project"],
			Folder: newest.Folder, Subject: files,
			Data:      map[string]any{"user": e.users["known"], "level": float64(storage.LevelView)},
			RequestID: newest.RequestID, Address: newest.Address,
		}
		if diff := cmp.Diff(want, newest); diff != "" {
			t.Errorf("the newest (-want +got):\n%s", diff)
		}
		for _, limit := range []string{"1", "3"} {
			if diff := cmp.Diff(all, e.changes("hub-admin", project, limit, nil)); diff != "" {
				t.Errorf("%s a page (-want +got):\n%s", limit, diff)
			}
		}
		by := url.Values{"kind": {"grant."}, "subject": {files}, "actor": {e.users["project-admin"]}}
		if diff := cmp.Diff([]changeRead{newest}, e.changes("root", project, "1", by)); diff != "" {
			t.Errorf("the grants they gave (-want +got):\n%s", diff)
		}
		own := e.changes("hub-admin", hub, "2", nil)
		if last := own[len(own)-1]; last.Kind != storage.EventHubCreated || last.Subject != e.names["hub"] {
			t.Errorf("the oldest of the hub: %+v", last)
		}
		for _, c := range own {
			if c.ProjectID != "" || c.HubID != e.names["hub"] {
				t.Errorf("not of the hub itself: %+v", c)
			}
		}
	})
}

// Rule: ADMIN-22
func TestAnEventSaysThatAnAppNamedTheUserItself(t *testing.T) {
	t.Parallel()
	e := newEstate(t, sqliteURL(t))
	user := e.users["member"]
	change := storage.Change{
		Act: storage.Act{At: ambient.System().Now(), Actor: storage.Actor{Kind: storage.ActorClient, ID: e.tool.ID},
			RequestID: "r", Address: "192.0.2.1"},
		Caller: storage.Caller{ClientID: e.tool.ID, UserID: user, OnBehalf: true},
	}
	uid := ambient.System().UID()
	place, err := e.store.FindProject(t.Context(), storage.Caller{}, e.names["project"])
	e.must(err)
	_, err = e.store.CreateFolder(t.Context(), change, place.Project.ID,
		storage.Folder{ID: uid, ParentID: place.Project.RootFolderID, Name: "Made for somebody"})
	e.must(err)
	root := "urn:portico:fs.folder:co." + place.Project.RootFolderID
	want := changeRead{
		Kind: storage.EventFolderCreated, ActorKind: "client", ActorID: e.tool.ID, ClientID: e.tool.ID,
		UserID: user, OnBehalf: true,
		HubID: e.names["hub"], ProjectID: e.names["project"], Folder: root, Subject: "urn:portico:fs.folder:co." + uid,
		Data:      map[string]any{"name": "Made for somebody", "parent": place.Project.RootFolderID},
		RequestID: "r", Address: "192.0.2.1",
	}
	got := e.changes("project-admin", "/projects/{project}/events", "200", url.Values{"subject": {uid}})
	if len(got) == 1 {
		want.ID = got[0].ID
	}
	if diff := cmp.Diff([]changeRead{want}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
