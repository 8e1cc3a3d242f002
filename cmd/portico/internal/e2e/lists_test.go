package e2e

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// How much there is in a large organisation.
const (
	manyPeople = 10_000
	manyGroups = 1_000
	manyApps   = 200
)

// large is a site with that much, and an administrator.
func large(t testing.TB, database string) *visitor {
	t.Helper()
	s := start(t, database)
	s.person("admin@example.test", "--admin")
	var file strings.Builder
	file.WriteString("email,given_name,family_name,preferred_username,company\n")
	for i := range manyPeople {
		fmt.Fprintf(&file, "person-%05d@department.example.test,Jürgen %05d,Müller-Łukowski,user%05d,An Organisation of the Long Name\n", i, i, i)
	}
	s.command(file.String(), "user", "import", "-")
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{URL: database, Version: "1.0.0"})
	s.must(err)
	defer store.Close()
	at := storage.Act{At: time.Now()}
	for i := range manyGroups {
		s.must(store.CreateUserGroup(t.Context(), at, storage.UserGroup{
			ID: fmt.Sprintf("group-%05d", i), Name: fmt.Sprintf("Éditeurs %05d", i),
			Description: strings.Repeat("They edit. ", 12), CreatedAt: at.At,
		}))
	}
	for i := range manyApps {
		s.must(store.CreateClient(t.Context(), at, storage.Client{
			ID: fmt.Sprintf("%032d", i), Name: fmt.Sprintf("An App with a Rather Long Name %05d", i),
			Type: storage.ClientService, Profile: storage.ProfileStandard, CreatedAt: at.At, UpdatedAt: at.At,
		}))
	}
	return s.signedIn("admin@example.test")
}

// largeLists are pages of lists, and the address that one finds there.
var largeLists = map[string]string{
	"/admin/users": "",
	"/admin/users?q=" + url.QueryEscape("jurgen 09999"): `>person-09999@department.example.test<`,
	"/admin/users?q=user04711":                          `>person-04711@department.example.test<`,
	"/admin/users?q=MULLER":                             "10,000 people",
	"/admin/users?admin=on":                             `>admin@example.test<`,
	"/admin/users?disabled=on":                          "0 people",
	"/admin/users?no_factor=on":                         "10,001 people",
	"/admin/groups":                                     "1,000 groups",
	"/admin/groups?q=editeurs+00999":                    "/admin/groups/group-00999",
	"/admin/apps":                                       "200 apps",
	"/admin/apps?q=name+00199":                          "/admin/apps/" + fmt.Sprintf("%032d", 199),
	"/admin/audit":                                      "",
	"/admin/audit?about=group-00999":                    "group-00999",
	"/admin/groups/group-00999":                         "00999",
	"/admin/hubs":                                       "",
	"/admin/mail":                                       "",
	"/admin/resources":                                  "",
	"/admin/registrations":                              "",
	"/apps":                                             "",
	"/files":                                            "",
	"/admin/users?after=junk":                           "",
}

// Rule: ADMIN-31
func TestTenThousandPeopleAreFoundInTwoStepsOnSmallPages(t *testing.T) {
	t.Parallel()
	v := large(t, sqliteURL(t))
	for path, finds := range largeLists {
		got := v.fetch("GET", path)
		if got.Status == http.StatusSeeOther {
			got = v.fetch("GET", got.Header.Get("Location"))
		}
		if got.Status != http.StatusOK || !strings.Contains(got.Body, finds) {
			t.Errorf("%s: %d, without %q", path, got.Status, finds)
		}
		if weight, _ := v.weigh(path); weight >= maxWeight {
			t.Errorf("%s: %d bytes", path, weight)
		}
	}
	first := v.fetch("GET", "/admin/users")
	second := v.fetch("GET", hrefOf(first.Body, "next"))
	if back := v.fetch("GET", hrefOf(second.Body, "previous")); inner(back.Body, "</ul>",
		`id="users"`) != inner(first.Body, "</ul>", `id="users"`) {
		t.Error("the way back leads elsewhere")
	}
}

// largeHub gives the site a hub that 250 people belong to, all of them in one group, too. It
// returns where an administrator of the server looks after the hub.
func (v *visitor) largeHub(database string) (hub, group string) {
	v.Helper()
	var made struct{ ID string }
	v.commandJSON(&made, "", "hub", "create", "--name", "Example Works")
	var file strings.Builder
	file.WriteString("email,given_name,family_name\n")
	for i := range 250 {
		fmt.Fprintf(&file, "person-%03d@department.example.test,Jürgen,Müller %03d\n", i, i)
	}
	v.command(file.String(), "user", "import", "-")
	store, err := sqlstore.Open(v.Context(), sqlstore.Options{URL: database, Version: "1.0.0"})
	v.must(err)
	defer store.Close()
	at := storage.Change{Act: storage.Act{At: time.Now()}}
	crew := storage.Group{ID: "crew", HubID: made.ID, Name: "Crew", CreatedAt: at.At}
	v.must(store.CreateGroup(v.Context(), at, crew))
	var people struct{ Users []struct{ ID, Email string } }
	v.commandJSON(&people, "", "user", "list")
	for _, p := range people.Users {
		v.must(store.SetHubMember(v.Context(), at, made.ID, p.ID, p.Email == "admin@example.test"))
		v.must(store.AddGroupMember(v.Context(), at, made.ID, crew.ID, p.ID))
	}
	hub = "/files/hubs/" + made.ID + "/admin"
	return hub, hub + "/groups/" + crew.ID
}

// Rule: FILES-19
func TestALargeHubIsLookedAfterInSmallPages(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		s.person("admin@example.test", "--admin")
		v := s.signedIn("admin@example.test")
		hub, group := v.largeHub(database)
		for _, path := range []string{hub + "/people", group} {
			seen := 0
			for at := path; at != ""; {
				page := v.fetch("GET", at)
				seen += strings.Count(page.Body, `id="remove-`)
				if weight, _ := v.weigh(at); weight >= maxWeight || page.Status != http.StatusOK {
					t.Errorf("%s: %d, %d bytes", at, page.Status, weight)
				}
				at = ""
				if strings.Contains(page.Body, `id="next"`) {
					at = hrefOf(page.Body, "next")
				}
			}
			if seen != 251 {
				t.Errorf("%s shows %d people", path, seen)
			}
			if got := v.fetch("GET", path+"?q=muller+24"); strings.Count(got.Body, `id="remove-`) != 10 {
				t.Errorf("%s: of ten who fit not all are found:\n%s", path, got.Body)
			}
			if got := v.fetch("GET", path+"?q=nobody+here"); !strings.Contains(got.Body, "None fits") {
				t.Errorf("%s: a search that finds nobody:\n%s", path, got.Body)
			}
		}
	})
}

// hrefOf returns where the link with the id leads.
func hrefOf(body, id string) string {
	return html.UnescapeString(inner(body, `"`, `id="`+id+`"`, `href="`))
}

// Pages of lists in a large organisation, one after the other.
func BenchmarkListsOfTenThousand(b *testing.B) {
	for engine, database := range map[string]string{"sqlite": sqliteURL(b), "postgres": pgtest.URL(b)} {
		v := large(b, database)
		for path := range largeLists {
			b.Run(engine+path, func(b *testing.B) {
				for b.Loop() {
					v.fetch("GET", path)
				}
			})
		}
	}
}

// Rule: ADMIN-30
func TestAnAdministratorLooksAtWhatAFileWouldDoBeforeItDoesIt(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("admin@example.test", "--admin")
	s.person("person@example.test")
	admin := s.signedIn("admin@example.test")
	wrong := admin.upload("/admin/users/import", "file", []byte("email\nann@example.test\nnobody\n"))
	p := admin.fetch("GET", wrong.Header.Get("Location"))
	if !strings.Contains(p.Body, ">3</td>") || strings.Contains(p.Body, `id="import-form"`) {
		t.Errorf("a line that is wrong: %d\n%s", p.Status, p.Body)
	}
	none := admin.upload("/admin/users/import", "file", []byte("\x89PNG"))
	if none.Status != http.StatusUnprocessableEntity || !strings.Contains(none.Body, "form-errors") {
		t.Errorf("no CSV: %d", none.Status)
	}
	sent := admin.upload("/admin/users/import", "file", []byte("email\nann@example.test\nperson@example.test\n"))
	to := sent.Header.Get("Location")
	if p = admin.fetch("GET", to); !strings.Contains(p.Body, "ann@example.test") ||
		strings.Contains(s.command("", "user", "list"), "ann@example.test") {
		t.Errorf("before anybody said so: %d\n%s", p.Status, p.Body)
	}
	other := s.signedIn("person@example.test")
	if p := other.fetch("GET", to); p.Status != http.StatusForbidden {
		t.Errorf("somebody else: %d", p.Status)
	}
	page, err := admin.open(s.URL + to)
	s.must(err)
	if page, err = admin.submit(page, "import-form", nil); err != nil || !strings.Contains(page.Body, "ann@example.test") {
		t.Errorf("imported: %d, %v\n%s", page.Status, err, page.Body)
	}
	if p = admin.fetch("GET", to); p.Status != http.StatusNotFound {
		t.Errorf("the file is there still: %d", p.Status)
	}
}

// Rule: ADMIN-32
func TestAnAdministratorEndsOneSignInOfSomebody(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("admin@example.test", "--admin")
	id := s.person("person@example.test")
	admin, here, there := s.signedIn("admin@example.test"), s.signedIn("person@example.test"),
		s.signedIn("person@example.test")
	signIns := s.signIns(id)
	if told := admin.fetch("GET", "/admin/v1/users/"+id+"/sessions").object(t)["items"]; len(signIns) != 2 ||
		len(told.([]any)) != 2 {
		t.Fatalf("%v, and the API tells of %v", signIns, told)
	}
	admin.press("/admin/users/" + id + "/sessions/" + signIns[0].ID) // the newest
	for name, c := range map[string]struct {
		v    *visitor
		want int
	}{"the one": {there, http.StatusSeeOther}, "the other": {here, http.StatusOK}} {
		if p := c.v.fetch("GET", "/apps"); p.Status != c.want {
			t.Errorf("%s: %d", name, p.Status)
		}
	}
	if p := here.fetch("GET", "/admin/v1/users/"+id+"/sessions"); p.Status != http.StatusForbidden {
		t.Errorf("somebody else reads them: %d", p.Status)
	}
	s.command("", "user", "session", "end", id, signIns[1].ID)
	if p := here.fetch("GET", "/apps"); p.Status != http.StatusSeeOther {
		t.Errorf("ended on the command line: %d", p.Status)
	}
}

// signIn is where somebody is signed in.
type signIn struct {
	ID        string    `json:"id"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

// signIns are somebody's, the newest first.
func (s *site) signIns(userID string) []signIn {
	s.Helper()
	var list struct {
		Sessions []signIn `json:"sessions"`
	}
	s.commandJSON(&list, "", "user", "session", "list", userID, "--json")
	return list.Sessions
}

// Rule: SIGNIN-3
func TestSignInsLastAsLongAsTheSettingsSay(t *testing.T) {
	s := start(t, sqliteURL(t), "SESSION_ABSOLUTE=10m")
	id := s.person("person@example.test")
	s.signedIn("person@example.test")
	all := s.signIns(id)
	if len(all) != 1 || all[0].ExpiresAt.Sub(all[0].CreatedAt) != 10*time.Minute {
		t.Errorf("%+v", all)
	}
}
