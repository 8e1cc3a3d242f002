package app

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/tracing"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/directory"
	"github.com/portico-id/portico/storage"
)

// crowd makes more and more of what lists of administrators show.
type crowd struct {
	*testing.T
	*App
	made   int
	takes  *httptest.Server // the traces, that count statements
	admin  storage.User
	cookie *http.Cookie
	first  *strings.Replacer // names the first of each in the template of a path
	claims clientprofile.Claims
}

func newCrowd(t *testing.T) *crowd {
	c := &crowd{T: t, App: open(t, configure(t))}
	c.takes = httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(c.takes.Close)
	c.admin = c.person("admin")
	w := httptest.NewRecorder()
	_, err := c.parts.desks.sessions.Start(w, httptest.NewRequest(http.MethodGet, "/", nil), c.admin,
		storage.ACRPassword, nil, c.act())
	c.must(err)
	c.cookie = w.Result().Cookies()[0]
	return c
}

func (c *crowd) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func (c *crowd) act() storage.Act { return storage.Act{At: c.parts.Ambient.Now()} }

func (c *crowd) person(name string) storage.User {
	c.Helper()
	user := storage.User{ID: c.parts.Ambient.PersonID(), Email: name + "@example.test", Admin: name == "admin",
		CreatedAt: c.act().At, UpdatedAt: c.act().At}
	c.must(c.parts.Store.CreateUser(c.Context(), c.act(), user, "hash"))
	return user
}

// more makes one more of each.
func (c *crowd) more() {
	c.Helper()
	c.made++
	store, ctx, act, name := c.parts.Store, c.Context(), c.act(), fmt.Sprint("name", c.made)
	owner := c.person(name)
	group := storage.UserGroup{ID: c.parts.Ambient.UID(), Name: name, CreatedAt: act.At}
	c.must(store.CreateUserGroup(ctx, act, group))
	c.must(store.AddUserGroupMember(ctx, act, group.ID, c.admin.ID))
	c.claims = append(c.claims, clientprofile.Claim{Name: "role", Source: clientprofile.SourceRole, GroupID: group.ID,
		Value: name})
	client := storage.Client{ID: name, Name: name, Type: storage.ClientWeb, Profile: storage.ProfilePlatform,
		OwnerUserID: owner.ID, HomeURI: "https://app.example.test/", Scopes: []string{"openid"}, CreatedAt: act.At,
		UpdatedAt: act.At}
	c.must(store.CreateClient(ctx, act, client))
	c.must(store.AddClientMember(ctx, act, client.ID, c.admin.ID))
	c.allow(client.ID)
	client.ID, client.OwnerUserID = "own"+name, c.admin.ID
	c.must(store.CreateClient(ctx, act, client))
	c.must(store.AddClientMember(ctx, act, client.ID, owner.ID))
	if client.ID, client.Type = "robots", storage.ClientService; c.made == 1 {
		c.must(store.CreateClient(ctx, act, client))
	}
	c.must(store.CreateServiceAccount(ctx, act, storage.ServiceAccount{ID: c.parts.Ambient.UID(), ClientID: client.ID,
		Name: name, Email: name + "@accounts.example.test", Status: storage.ServiceAccountEnabled, CreatedAt: act.At,
		ExpiresAt: act.At.Add(time.Hour)}))
	c.must(store.CreateSCIMConnection(ctx, act, storage.SCIMConnection{ID: c.parts.Ambient.UID(), Name: "of " + name,
		CreatedAt: act.At}))
	config, err := json.Marshal(map[string]any{"hosts": []string{"ldaps://ldap.example.test"}, "base": "dc=example"})
	c.must(err)
	_, err = c.parts.directories.Create(ctx, act, name, "openldap", directory.Change{Config: config})
	c.must(err)
	hub := storage.Hub{ID: "b." + c.parts.Ambient.UUID(), Name: name, Active: true, CreatedAt: act.At, UpdatedAt: act.At}
	c.must(store.CreateHub(ctx, storage.Change{Act: act}, hub))
	c.must(store.ProvisionApp(ctx, storage.Change{Act: act}, storage.AppAccess{HubID: hub.ID, ClientID: "name1",
		Level: storage.LevelEdit, Users: storage.AppForNobody, CreatedAt: act.At}))
	if c.made == 1 {
		c.first = strings.NewReplacer("{clientId}", name, "{directoryId}", name, "{userId}", owner.ID, "{groupId}",
			group.ID, "{hubId}", hub.ID)
	}
	told, err := store.FindClient(ctx, "name1")
	c.must(err)
	told.OwnClaims = c.claims.Text()
	c.must(store.UpdateClient(ctx, act, told))
}

// allow lets an app in for the administrator.
func (c *crowd) allow(clientID string) {
	c.Helper()
	act := c.act()
	request := storage.LoginRequest{ID: c.parts.Ambient.UID(), ClientID: clientID, CreatedAt: act.At,
		ExpiresAt: act.At.Add(time.Hour)}
	c.must(c.parts.Store.ParkLoginRequest(c.Context(), request))
	request.DecidedBy, request.DecidedAt, request.Allowed = "session", act.At, true
	c.must(c.parts.Store.DecideLoginRequest(c.Context(), act, request, c.admin.ID, []string{"openid"}))
}

// questions is how often a page asks the database, and whether there is one.
func (c *crowd) questions(path string) (n int, shown bool) {
	c.Helper()
	tracer := tracing.New(tracing.Options{URL: c.takes.URL, Share: 1, Source: c.parts.Ambient,
		Log: slog.New(slog.DiscardHandler)})
	ctx, all := tracer.Request(c.Context(), "")
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, c.URL()+path, nil)
	r.AddCookie(c.cookie)
	c.server.Handler.ServeHTTP(w, r)
	all.End(nil)
	tracer.Close()
	sent, lost := tracer.Counts()
	return int(sent + lost), w.Code == http.StatusOK
}

// pages are how often each page asks the database that there is one of.
func (c *crowd) pages() map[string]int {
	c.Helper()
	asked := map[string]int{}
	asked["/apps/robots"], _ = c.questions("/apps/robots")
	for prefix, routes := range map[string][]httpio.Route{"": c.desk(), "/account/v1": c.ownAPI(),
		"/admin/v1": c.adminAPI()} {
		for _, route := range routes {
			path := c.first.Replace(prefix + route.Template)
			if _, reads := route.Methods[http.MethodGet]; !reads || strings.Contains(path, "{") {
				continue
			}
			if n, shown := c.questions(path); shown {
				asked[path] = n
			}
		}
	}
	return asked
}

// Rule: PAGE-15
func TestPagesOfManyRowsAskTheDatabaseAsOftenAsThoseOfFew(t *testing.T) {
	c := newCrowd(t)
	c.more()
	few := c.pages()
	for range 6 {
		c.more()
	}
	many := c.pages()
	if len(few) < 100 {
		t.Errorf("%d pages were opened", len(few))
	}
	for path, n := range few {
		if many[path] > n+3 { // of what is known for a moment it may have been asked again
			t.Errorf("%s asks %d times of one and %d times of seven", path, n, many[path])
		}
	}
}
