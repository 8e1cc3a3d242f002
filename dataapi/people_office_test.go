package dataapi_test

import (
	"context"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/tree"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// The expectations are those of TestPermissionMatrix for what takes control.
//
// Rule: FILES-9
func TestFoldersAreSharedByThoseWhoMayGiveRightsAndNobodyElse(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		expected := readings()
		for name, who := range s.callers() {
			if who.user == "" || who.client != app || who.scope != "" {
				continue
			}
			for _, on := range s.things() {
				want := expected[name].want("permissions", on)
				folder := s.pagesOf(on)["folder"]
				for _, page := range []string{"/share", "/sees", "/sees?user=" + s.deep} {
					if got := p.open(who.user, folder+page); got.Code != want {
						t.Errorf("%s, %s of %s: %d, want %d", name, page, on.name, got.Code, want)
					}
				}
				grants, err := s.Admin.ListGrants(s.Context(), s.tower.ID, on.folder)
				s.Must(err)
				got := p.press(who.user, folder+"/share", "user", s.outsider, "level", "view")
				now, err := s.Admin.ListGrants(s.Context(), s.tower.ID, on.folder)
				s.Must(err)
				if shared := len(now) > len(grants); shared != (want == http.StatusOK) ||
					shared != (got.Code == http.StatusSeeOther) {
					t.Errorf("%s shares %s: %d, shared: %v", name, on.name, got.Code, shared)
				}
				if want == http.StatusOK {
					p.press(who.user, folder+"/share/"+s.outsider+"/remove")
					if now, _ := s.Admin.ListGrants(s.Context(), s.tower.ID, on.folder); len(now) != len(grants) {
						t.Errorf("%s takes nothing back in %s", name, on.name)
					}
				}
			}
		}
	})
}

// Rule: FILES-10
func TestAPageSaysWhatSomebodySeesAndWhy(t *testing.T) {
	s := newSQLiteScene(t)
	p := s.pages()
	control := s.User("controller")
	s.grant(storage.FolderGrant{FolderID: s.inner, UserID: control, Level: storage.LevelControl})
	sees := s.pagesOf(thing{"Inner", s.inner, s.deepItem})["folder"] + "/sees?user="
	for user, want := range map[string][]string{
		s.editor:    {"May also move, hide and restore.", "Outer"},
		s.viewer:    {"May see what is here.", "Outer · Readers"},
		s.hubAdmin:  {"May do everything, and share.", "As an administrator of the hub"},
		s.projAdmin: {"As an administrator of the project"},
		s.outsider:  {"May do nothing here.", "Nothing gives them a right here."},
	} {
		body := p.open(s.projAdmin, sees+user).Body.String()
		for _, says := range want {
			if !strings.Contains(body, says) {
				t.Errorf("of %s it does not say %q\n%s", user, says, body)
			}
		}
	}
	if body := p.open(control, sees+s.editor).Body.String(); strings.Contains(body, "Outer") ||
		!strings.Contains(body, "May also move") {
		t.Errorf("who can't see Outer reads\n%s", body)
	}
	got := p.press(s.projAdmin, strings.TrimSuffix(sees, "?user="), "user", s.viewer)
	if to := got.Header().Get("Location"); got.Code != http.StatusSeeOther || !strings.Contains(to, "user="+s.viewer) {
		t.Errorf("%d to %s", got.Code, to)
	}
	got = p.press(s.projAdmin, strings.TrimSuffix(sees, "?user="), "user", "nobody@example.test")
	if got.Code != http.StatusUnprocessableEntity || !strings.Contains(got.Body.String(), `value="nobody@example.test"`) {
		t.Errorf("nobody: %d", got.Code)
	}
	for where, body := range map[string]string{"whoever was refused": got.Body.String(),
		"nobody yet": p.open(s.projAdmin, strings.TrimSuffix(sees, "?user=")).Body.String()} {
		if strings.Contains(body, "Nothing gives them a right here.") {
			t.Errorf("of %s it says what they may do", where)
		}
	}
}

// officeAct is a form of those who look after a hub or a project.
type officeAct struct {
	path   string
	fields []string
	done   func() bool
}

// Whom these pages are not there for is said by TestEveryDoorOfThePagesLetsInWhomTheAPIWould.
//
// Rule: FILES-11
func TestAHubIsLookedAfterByItsAdministratorsAlone(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		hub, tower := "/files/hubs/"+s.hub.ID+"/admin", "/files/projects/"+s.tower.ID
		group := hub + "/groups/" + s.group.ID
		newcomer := s.User("newcomer")
		acts := []officeAct{
			{hub, []string{"name", "Quay"}, func() bool {
				return strings.Contains(p.open(s.hubAdmin, hub).Body.String(),
					"Quay")
			}},
			{hub + "/people", []string{"user", newcomer, "role", "on"}, func() bool {
				m, err := s.Admin.FindMember(s.Context(), administration.Membership{HubID: s.hub.ID, UserID: newcomer})
				return err == nil && m.Admin
			}},
			{hub + "/people/" + newcomer + "/remove", nil, func() bool {
				_, err := s.Admin.FindMember(s.Context(), administration.Membership{HubID: s.hub.ID, UserID: newcomer})
				return err != nil
			}},
			{tower + "/people", []string{"user", newcomer}, func() bool {
				_, err := s.Admin.FindMember(s.Context(), administration.Membership{ProjectID: s.tower.ID, UserID: newcomer})
				return err == nil
			}},
			{tower + "/people/" + newcomer + "/remove", nil, func() bool {
				_, err := s.Admin.FindMember(s.Context(), administration.Membership{ProjectID: s.tower.ID, UserID: newcomer})
				return err != nil
			}},
			{hub + "/people", []string{"user", newcomer}, func() bool {
				_, err := s.Admin.FindMember(s.Context(), administration.Membership{HubID: s.hub.ID, UserID: newcomer})
				return err == nil
			}},
			{hub + "/groups", []string{"name", "Welders"}, func() bool {
				_, err := s.Admin.FindGroup(s.Context(), s.hub.ID, "Welders")
				return err == nil
			}},
			{group, []string{"user", newcomer}, func() bool {
				return strings.Contains(p.open(s.hubAdmin, group).Body.String(),
					newcomer)
			}},
			{group + "/members/" + newcomer + "/remove", nil, func() bool {
				return !strings.Contains(p.open(s.hubAdmin, group).Body.String(), newcomer)
			}},
			{hub + "/apps", []string{"client", stranger, "level", "view", "users", "none"}, func() bool {
				a, err := s.Admin.FindApp(s.Context(), s.hub.ID, stranger)
				return err == nil && a.Level == storage.LevelView && a.Users == storage.AppForNobody
			}},
			{hub + "/apps/" + url.PathEscape(stranger) + "/remove", nil, func() bool {
				_, err := s.Admin.FindApp(s.Context(), s.hub.ID, stranger)
				return err != nil
			}},
			{"/files/projects/" + s.tower.ID + "/items/" + itemURN(s.reserved) + "/release", nil, func() bool {
				return strings.Contains(p.open(s.hubAdmin, tower+"/reservations").Body.String(), "Nobody has reserved")
			}},
			{tower + "/name", []string{"name", "Spire"}, func() bool {
				f, err := s.Admin.FindProject(s.Context(), s.tower.ID)
				return err == nil && f.Name == "Spire"
			}},
			{tower + "/naming", []string{"fields", "Number: ###", "separator", "-"}, func() bool {
				rule, err := s.Store.FindNaming(s.Context(), s.tower.ID)
				return err == nil && len(rule.Fields) == 1
			}},
			{tower + "/archive", []string{"archived", "on"}, func() bool {
				f, err := s.Admin.FindProject(s.Context(), s.tower.ID)
				return err == nil && f.Archived
			}},
			{group + "/delete", nil, func() bool {
				_, err := s.Admin.FindGroup(s.Context(), s.hub.ID, s.group.ID)
				return err != nil
			}},
		}
		for _, c := range acts {
			if got := p.press(s.hubAdmin, c.path, c.fields...); got.Code != http.StatusSeeOther || !c.done() {
				t.Errorf("%s: %d\n%s", c.path, got.Code, got.Body)
			}
		}
		for _, d := range doors() {
			pattern := regexp.MustCompile("^" + variableOf.ReplaceAllString(d.path, "[^/]+") + "$")
			done := slices.ContainsFunc(acts, func(c officeAct) bool { return pattern.MatchString(c.path) })
			if d.method == http.MethodPost && (d.opens == forHub || d.opens == forProject) && !done {
				t.Errorf("POST %s is carried out by no act here", d.path)
			}
		}
		got := p.press(s.hubAdmin, hub+"/people", "user", "who@example.test")
		if got.Code != http.StatusUnprocessableEntity || !strings.Contains(got.Body.String(), "who@example.test") {
			t.Errorf("an address that nobody has: %d\n%s", got.Code, got.Body)
		}
	})
}

// Rule: FILES-11
func TestAProjectLeadsThoseWhoLookAfterItToWhatTheyDo(t *testing.T) {
	s := newSQLiteScene(t)
	p, tower := s.pages(), "/files/projects/"+s.tower.ID
	for user, leads := range map[string]bool{s.projAdmin: true, s.hubAdmin: true, s.editor: false} {
		shown := p.open(user, tower).Body.String()
		for _, page := range []string{"/people", "/name", "/reservations", "/naming", "/archive"} {
			if strings.Contains(shown, `href="`+tower+page+`"`) != leads {
				t.Errorf("to %s it leads %s: %v\n%s", page, user, !leads, shown)
			}
		}
	}
}

// Rules: FILES-11, FORM-9
func TestWhoTakesThemselvesOutOfChargeIsToldThatItIsDone(t *testing.T) {
	s := newSQLiteScene(t)
	p := s.pages()
	hub, tower := "/files/hubs/"+s.hub.ID+"/admin", "/files/projects/"+s.tower.ID
	share := s.pagesOf(thing{"Outer", s.outer, s.report})["folder"] + "/share"
	control := storage.FolderGrant{FolderID: s.outer, UserID: s.viewer, Level: storage.LevelControl}
	for _, c := range []struct {
		user, path string
		fields     []string
	}{
		{s.viewer, share, []string{"user", s.viewer, "level", "view"}},
		{s.viewer, share + "/" + s.viewer + "/remove", nil},
		{s.projAdmin, tower + "/people/" + s.projAdmin + "/remove", nil},
		{s.hubAdmin, hub + "/people", []string{"user", s.hubAdmin}},
	} {
		s.grant(control)
		sent := p.press(c.user, c.path, c.fields...)
		got := p.open(c.user, sent.Header().Get("Location"))
		if sent.Code != http.StatusSeeOther || got.Code != http.StatusOK ||
			!strings.Contains(got.Body.String(), `id="done"`) {
			t.Errorf("%s: %d, and then %d\n%s", c.path, sent.Code, got.Code, got.Body)
		}
	}
}

// Rule: CDE-5
func TestAPageSaysHowTheFilesOfAProjectAreCalled(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		path := "/files/projects/" + s.tower.ID + "/naming"
		got := p.press(s.projAdmin, path, "fields", "Type: DR, M3\nNumber: ###", "separator", ".")
		if body := got.Body.String(); got.Code != http.StatusUnprocessableEntity ||
			!strings.Contains(body, "Type: DR, M3") || !strings.Contains(body, `aria-invalid="true"`) {
			t.Errorf("a separator that is none: %d\n%s", got.Code, body)
		}
		if got := p.press(s.projAdmin, path, "fields", "Type: a-b", "separator", "-"); !strings.Contains(got.Body.String(),
			`id="error-fields"`) {
			t.Errorf("a value with the separator: %d\n%s", got.Code, got.Body)
		}
		got = p.press(s.projAdmin, path, "fields", "Type: DR, M3\r\nNumber: ###", "separator", "-", "holding", s.outer)
		if got.Code != http.StatusSeeOther {
			t.Fatalf("%d\n%s", got.Code, got.Body)
		}
		rule, err := s.Store.FindNaming(t.Context(), s.tower.ID)
		s.Must(err)
		s.Equal(storage.Naming{Separator: "-", Holding: s.outer, Fields: []storage.NamingField{
			{Name: "Type", Values: []string{"DR", "M3"}}, {Name: "Number", Digits: 3}}}, rule)
		if body := p.open(s.projAdmin, path).Body.String(); !strings.Contains(body, "looks like Type-Number") ||
			!strings.Contains(body, `value="`+s.outer+`" selected`) {
			t.Errorf("the rule is shown as\n%s", body)
		}
		s.Equal(http.StatusSeeOther, p.press(s.hubAdmin, path, "fields", "", "separator", "", "holding", "").Code)
		rule, err = s.Store.FindNaming(t.Context(), s.tower.ID)
		s.Must(err)
		s.Equal(storage.Naming{}, rule)
	})
}

// A client id says nothing to somebody who decides whether an app stays.
//
// Rule: FILES-11
func TestTheAppsOfAHubAreCalledByTheirNames(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p, apps := s.pages(), "/files/hubs/"+s.hub.ID+"/admin/apps"
		name := "Crane <Planner>"
		now := w.Ambient.Now()
		w.Must(w.Store.CreateClient(w.Context(), w.Operator().Act, storage.Client{ID: "crane", Name: name,
			Type: storage.ClientService, Profile: storage.ProfileStandard, CreatedAt: now, UpdatedAt: now}))
		w.provision(s.hub, "crane", storage.LevelView, storage.AppForNobody)
		list := p.open(s.hubAdmin, apps).Body.String()
		if !strings.Contains(list, html.EscapeString(name)) || !strings.Contains(list, "<code><bdi>crane</bdi></code>") {
			t.Errorf("the list lacks the app's name, or its id\n%s", list)
		}
		if ask := p.open(s.hubAdmin, apps+"/crane/remove").Body.String(); !strings.Contains(ask, html.EscapeString(name)) {
			t.Errorf("who is asked reads\n%s", ask)
		}
	})
}

// Keyboards of telephones put a blank behind what they complete, and so does who copies.
//
// Rule: FILES-11
func TestBlanksAroundWhoIsNamedAreNothing(t *testing.T) {
	s := newSQLiteScene(t)
	p := s.pages()
	hub := "/files/hubs/" + s.hub.ID + "/admin"
	folder := p.pagesOf(thing{"Outer", s.outer, s.report})["folder"]
	for _, path := range []string{hub + "/people", "/files/projects/" + s.tower.ID + "/people",
		hub + "/groups/" + s.group.ID, folder + "/share", folder + "/sees"} {
		if got := p.press(s.hubAdmin, path, "user", " "+s.viewer+" ", "level", "view"); got.Code != http.StatusSeeOther {
			t.Errorf("%s: %d\n%s", path, got.Code, got.Body)
		}
	}
	s.Client("crane")
	if got := p.press(s.hubAdmin, hub+"/apps", "client", " crane ", "level", "view",
		"users", string(storage.AppForNobody)); got.Code != http.StatusSeeOther {
		t.Errorf("an app: %d\n%s", got.Code, got.Body)
	}
}

// Their ids, by which they would stand there else, say nothing to anybody.
//
// Rule: FILES-9
func TestWhoHasRightsInAFolderIsListedByName(t *testing.T) {
	s := newSQLiteScene(t)
	folder := s.pagesOf(thing{"Outer", s.outer, s.report})["folder"]
	var want []string
	for _, name := range []string{"älmann", "Berta", "zora"} {
		group, err := s.Admin.CreateGroup(s.Context(), s.Operator(), s.hub.ID, name)
		s.Must(err)
		s.Must(s.Store.SetFolderGrant(s.Context(), s.Operator(), s.tower.ID,
			storage.FolderGrant{FolderID: s.outer, GroupID: group.ID, Level: storage.LevelView}))
		want = append(want, "<bdi>"+name+"</bdi>")
	}
	s.Must(s.Store.SetFolderGrant(s.Context(), s.Operator(), s.tower.ID,
		storage.FolderGrant{FolderID: s.outer, UserID: s.outsider, Level: storage.LevelView}))
	list := s.pages().open(s.hubAdmin, folder+"/share").Body.String()
	for i, name := range append(want[:2:2], "<bdi>Name of "+s.outsider, want[2]) {
		_, rest, found := strings.Cut(list, name)
		if !found {
			t.Fatalf("%d: %s is not behind those before it\n%s", i, name, list)
		}
		list = rest
	}
}

// Rule: FILES-19
func TestWhoIsCalledAsSomebodyElseIsToldApartByTheId(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p, hub := s.pages(), "/files/hubs/"+s.hub.ID+"/admin"
		now := w.Ambient.Now()
		for _, id := range []string{"TWINTWINTWINTWIA", "TWINTWINTWINTWIB"} {
			s.Must(s.Store.CreateUser(s.Context(), s.Operator().Act, storage.User{ID: id, Email: id + "@example.test",
				Profile: storage.Profile{Name: "Anna Schmidt"}, CreatedAt: now, UpdatedAt: now}, ""))
			s.Must(s.Store.AddGroupMember(s.Context(), s.Operator(), s.hub.ID, s.group.ID, id))
			s.grant(storage.FolderGrant{FolderID: s.outer, UserID: id, Level: storage.LevelView})
		}
		for _, page := range []string{hub + "/people", hub + "/groups/" + s.group.ID,
			s.pagesOf(thing{"Outer", s.outer, s.report})["folder"] + "/share"} {
			body := p.open(s.hubAdmin, page).Body.String()
			for id, shown := range map[string]bool{"TWINTWINTWINTWIA": true, "TWINTWINTWINTWIB": true, s.viewer: false} {
				if strings.Contains(body, "<code><bdi>"+id+"</bdi></code>") != shown {
					t.Errorf("%s shows the id %s: %v\n%s", page, id, !shown, body)
				}
			}
		}
	})
}

// Rule: FILES-9
func TestWhoMissesAGroupsNameIsToldThatThereIsNoneSuch(t *testing.T) {
	s := newSQLiteScene(t)
	p, share := s.pages(), s.pagesOf(thing{"Outer", s.outer, s.report})["folder"]+"/share"
	control := s.User("controller")
	s.grant(storage.FolderGrant{FolderID: s.outer, UserID: control, Level: storage.LevelControl})
	for _, user := range []string{s.hubAdmin, control} {
		got := p.press(user, share, "user", "readers", "level", "view")
		if body := got.Body.String(); got.Code != http.StatusUnprocessableEntity ||
			!strings.Contains(body, "There is no user, service account or group “readers”.") ||
			!strings.Contains(body, `id="error-user"`) {
			t.Errorf("to %s: %d\n%s", user, got.Code, body)
		}
	}
}

// slowFolder is a store that does not find a folder in time.
type slowFolder struct {
	*sqlstore.Store
	id string
}

func (f slowFolder) FindFolder(ctx context.Context, who storage.Caller, project, id string) (storage.Place,
	storage.Folder, error) {
	if id == f.id {
		return storage.Place{}, storage.Folder{}, fault.New(fault.Unavailable, "", "The database does not answer.")
	}
	return f.Store.FindFolder(ctx, who, project, id)
}

// Rule: FILES-21
func TestASlowDatabaseIsTakenForNoRefusal(t *testing.T) {
	s := newSQLiteScene(t)
	slow := slowFolder{s.Store, s.outer}
	s.Admin = administration.New(administration.Options{Store: slow, Ambient: s.Ambient, Namespace: "portico"})
	share := s.pagesOf(thing{"Outer", s.outer, s.report})["folder"] + "/share"
	got := s.pages().press(s.hubAdmin, share, "user", s.outsider, "level", "view")
	if body := got.Body.String(); !strings.Contains(body, "The server is slow") || !strings.Contains(body, s.outsider) {
		t.Errorf("a right that is there: %d\n%s", got.Code, body)
	}
	s.Must(s.Store.SetNaming(s.Context(), s.Operator(), s.tower.ID, storage.Naming{Separator: "-", Holding: s.outer,
		Fields: []storage.NamingField{{Name: "Number", Digits: 3}}}))
	rules := tree.New(slow, access.Finder{Store: slow, URN: "portico"}, s.Ambient)
	change := s.Operator()
	change.Caller.UserID = s.hubAdmin
	_, err := rules.AddItem(s.Context(), change, s.tower.ID, storage.Item{FolderID: s.inner, Name: "x.txt"},
		storage.NewVersion{Name: "x.txt"})
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("a name for the folder of such names: %v", err)
	}
}
