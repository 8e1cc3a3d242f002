package e2e

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// estate is two hubs and people who administer different parts of them.
type estate struct {
	*site
	store  *sqlstore.Store
	tool   client            // whose tokens people use
	users  map[string]string // ids
	tokens map[string]string
	names  map[string]string // what stands for {name} in paths and bodies
	count  int
}

const allOfIt = "openid account:read account:write data:read"

// newEstate makes it, and everybody's token, through the administration API.
func newEstate(t *testing.T, database string) *estate {
	s := start(t, database)
	e := &estate{
		site: s, tool: s.client("--redirect-uri", callback, "--scope", allOfIt),
		users: map[string]string{}, tokens: map[string]string{}, names: map[string]string{},
	}
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{URL: database, Version: version.Number})
	s.must(err)
	t.Cleanup(func() { s.must(store.Close()) })
	e.store = store
	for _, name := range []string{"root", "hub-admin", "project-admin", "controller", "member",
		"outsider", "other-admin"} {
		flags := []string{}
		if name == "root" {
			flags = append(flags, "--admin")
		}
		e.users[name] = s.person(name+"@example.test", flags...)
		e.tokens[name] = s.visitor(name+"@example.test").withPassword().tokens(e.tool, "scope", allOfIt).text("access_token")
	}
	e.users["known"] = s.person("known@example.test")
	e.furnish()
	return e
}

// furnish gives everybody their part.
func (e *estate) furnish() {
	e.names["hub"] = e.done(201, "POST", "/hubs", `{"name":"Main Hub","region":"EMEA"}`).text("id")
	other := e.done(201, "POST", "/hubs", `{"name":"Other Hub"}`).text("id")
	e.names["project"] = e.done(201, "POST", "/hubs/{hub}/projects", `{"name":"Tower"}`).text("id")
	made := e.done(200, "GET", "/projects/{project}", "")
	e.names["root"] = url.PathEscape(made.text("root_folder"))
	e.names["client"], e.names["known"] = e.tool.ID, e.users["known"]
	for name, place := range map[string]string{
		"hub-admin": "/hubs/{hub}", "other-admin": "/hubs/" + other, "project-admin": "/projects/{project}",
		"member":     "/projects/{project}",
		"controller": "/hubs/{hub}",
	} {
		role := "member"
		if strings.HasSuffix(name, "-admin") {
			role = "admin"
		}
		e.done(200, "PUT", place+"/members/"+e.users[name], `{"role":"`+role+`"}`)
	}
	e.names["group"] = e.done(201, "POST", "/hubs/{hub}/groups", `{"name":"Engineers"}`).text("id")
	e.names["files"] = e.topFolder("Project Files")
	e.done(200, "PUT", "/projects/{project}/folders/{files}/grants/users/"+e.users["controller"], `{"level":"control"}`)
	e.done(200, "PUT", "/projects/{project}/folders/{files}/grants/users/"+e.users["member"], `{"level":"edit"}`)
}

// topFolder returns the id of the project's folder, in the form of paths.
func (e *estate) topFolder(name string) string {
	place, err := e.store.FindProject(e.Context(), storage.Caller{}, e.names["project"])
	e.must(err)
	folders, err := e.store.ListTopFolders(e.Context(), place, storage.TopQuery{WithHidden: true})
	e.must(err)
	i := slices.IndexFunc(folders, func(f storage.Folder) bool { return f.Name == name })
	return url.PathEscape("urn:portico:fs.folder:co." + folders[i].ID)
}

// fill puts names into a path or body; {new} is another word each time.
func (e *estate) fill(text string) string {
	e.count++
	text = strings.ReplaceAll(text, "{new}", fmt.Sprintf("Name %d", e.count))
	for name, value := range e.names {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}

func (e *estate) as(who, method, path, body string) answer {
	e.Helper()
	return e.api(e.tokens[who], method, e.fill(path), e.fill(body))
}

// done is what the server administrator does, which must succeed.
func (e *estate) done(status int, method, path, body string) answer {
	e.Helper()
	got := e.as("root", method, path, body)
	if got.Status != status {
		e.Fatalf("%s %s: %d %s, want %d", method, e.fill(path), got.Status, got.Body, status)
	}
	return got
}

// change is an act of the store below the rules.
func (e *estate) change(user string) storage.Change {
	act := storage.Act{At: ambient.System().Now(), Actor: storage.Actor{Kind: storage.ActorUser, ID: user}}
	return storage.Change{Act: act, Caller: storage.Caller{UserID: user}}
}

// lastEvent is the number of the newest change.
func (e *estate) lastEvent() int64 {
	events, _, err := e.store.ListEvents(e.Context(), storage.EventQuery{}, storage.PageRequest{Limit: 1})
	e.must(err)
	return events[0].Seq
}

// reserve makes an item that the member has reserved, and names it.
func (e *estate) reserve() {
	ctx, member := e.Context(), e.users["member"]
	uid := ambient.System().UID()
	files, _ := url.PathUnescape(e.names["files"])
	folder := files[strings.LastIndex(files, ".")+1:]
	project := e.names["project"]
	_, err := e.store.CreateItem(ctx, e.change(member), project,
		storage.Item{ID: uid, FolderID: folder, Name: uid + ".txt"}, storage.NewVersion{Name: uid + ".txt"})
	e.must(err)
	_, err = e.store.ReserveItem(ctx, e.change(member), project, uid)
	e.must(err)
	e.names["item"] = url.PathEscape("urn:portico:dm.lineage:" + uid)
}

// deliver makes a delivery of the webhook, not due for long, and returns its
// id. The server's worker may move the webhook on at that very moment.
func (e *estate) deliver() string {
	ctx := e.Context()
	later := ambient.System().Now().AddDate(0, 0, 1)
	for queued := false; !queued; {
		hook, err := e.store.FindWebhook(ctx, e.names["project"], e.names["hook"])
		e.must(err)
		queued, err = e.store.QueueDeliveries(ctx, hook, hook.Position, later,
			[]storage.WebhookDelivery{{Event: "dm.version.added", Subject: "s", Body: "{}"}})
		e.must(err)
	}
	hook, err := e.store.FindWebhook(ctx, e.names["project"], e.names["hook"])
	e.must(err)
	log, _, err := e.store.ListDeliveries(ctx, hook.ID, storage.PageRequest{})
	e.must(err)
	return strconv.FormatInt(log[len(log)-1].ID, 10)
}
