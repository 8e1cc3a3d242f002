package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// errandOf is one operation on hubs and projects and whose it is.
type errandOf struct {
	method, path, body string
	ok                 int
	whose              string // "server", "hub", "project" or "rights"
	before             func(e *estate)
}

// whoMay says who makes which errands, in the order of who may least.
var whoMay = []struct {
	who string
	may []string
}{
	{"outsider", nil},
	{"other-admin", nil},
	{"member", nil},
	{"controller", []string{"rights"}},
	{"project-admin", []string{"rights", "project"}},
	{"hub-admin", []string{"rights", "project", "hub"}},
	{"root", []string{"rights", "project", "hub", "server"}},
}

func before(method, path, body string) func(*estate) {
	return func(e *estate) {
		if got := e.as("root", method, path, body); got.Status >= 300 {
			e.Fatalf("%s %s: %d %s", method, e.fill(path), got.Status, got.Body)
		}
	}
}

func errands() []errandOf {
	const folder = "/projects/{project}/folders/{files}"
	const hooks = "/projects/{project}/webhooks"
	freshHook := func(e *estate) {
		if e.names["hook"] != "none" {
			_ = e.as("root", "DELETE", hooks+"/{hook}", "") // it may be gone
		}
		e.names["hook"] = e.done(201, "POST", hooks, `{"url":"http://127.0.0.1:1/hook"}`).text("id")
		e.names["delivery"] = e.deliver()
	}
	freshGroup := func(e *estate) {
		e.names["victim"] = e.done(201, "POST", "/hubs/{hub}/groups", `{"name":"{new}"}`).text("id")
	}
	all := []errandOf{
		{"POST", "/hubs", `{"name":"{new}"}`, 201, "server", nil},
		{"GET", "/hubs/{hub}", "", 200, "hub", nil},
		{"PATCH", "/hubs/{hub}", `{"name":"{new}","region":"US","active":true}`, 200, "hub", nil},
		{"GET", "/hubs/{hub}/groups", "", 200, "hub", nil},
		{"POST", "/hubs/{hub}/groups", `{"name":"{new}"}`, 201, "hub", nil},
		{"GET", "/hubs/{hub}/groups/{group}", "", 200, "hub", nil},
		{"PATCH", "/hubs/{hub}/groups/{group}", `{"name":"{new}"}`, 200, "hub", nil},
		{"DELETE", "/hubs/{hub}/groups/{victim}", "", 204, "hub", freshGroup},
		{"GET", "/hubs/{hub}/groups/{group}/members", "", 200, "hub", nil},
		{"PUT", "/hubs/{hub}/groups/{group}/members/{known}", "", 204, "hub", nil},
		{"DELETE", "/hubs/{hub}/groups/{group}/members/{known}", "", 204, "hub",
			before("PUT", "/hubs/{hub}/groups/{group}/members/{known}", "")},
		{"GET", "/hubs/{hub}/apps", "", 200, "hub", nil},
		{"PUT", "/hubs/{hub}/apps/{client}", `{"level":"download","users":"none"}`, 200, "hub", nil},
		{"GET", "/hubs/{hub}/apps/{client}", "", 200, "hub", before("PUT", "/hubs/{hub}/apps/{client}", `{}`)},
		{"DELETE", "/hubs/{hub}/apps/{client}", "", 204, "hub", before("PUT", "/hubs/{hub}/apps/{client}", `{}`)},
		{"GET", "/hubs/{hub}/projects", "", 200, "hub", nil},
		{"POST", "/hubs/{hub}/projects", `{"name":"{new}"}`, 201, "hub", nil},
		{"GET", "/projects/{project}", "", 200, "project", nil},
		{"PATCH", "/projects/{project}", `{"name":"{new}","archived":false}`, 200, "project", nil},
		{"GET", "/hubs/{hub}/events", "", 200, "hub", nil},
		{"GET", "/projects/{project}/events?kind=project.", "", 200, "project", nil},
		{"POST", "/projects/{project}/purge", `{"hidden_days":30}`, 200, "server", nil},
		{"POST", "/projects/{project}/purge", `{}`, 200, "server", nil},
		{"GET", "/projects/{project}/reservations", "", 200, "project", nil},
		{"DELETE", "/projects/{project}/reservations/{item}", "", 204, "project", (*estate).reserve},
		{"GET", hooks, "", 200, "project", nil},
		{"POST", hooks, `{"url":"http://127.0.0.1:1/hook","events":["dm.version.added"]}`, 201, "project", nil},
		{"GET", hooks + "/{hook}", "", 200, "project", freshHook},
		{"GET", hooks + "/{hook}/deliveries", "", 200, "project", freshHook},
		{"POST", hooks + "/{hook}/deliveries/{delivery}/redeliver", "", 204, "project", freshHook},
		{"DELETE", hooks + "/{hook}", "", 204, "project", freshHook},
		{"GET", folder + "/effective?user={known}", "", 200, "rights", nil},
		{"GET", folder + "/grants", "", 200, "rights", nil},
	}
	hired := before("PUT", "/hubs/{hub}/members/{known}", `{}`)
	for _, grant := range []string{folder + "/grants/users/{known}", folder + "/grants/groups/{group}"} {
		given := func(e *estate) {
			hired(e)
			before("PUT", grant, `{"level":"view"}`)(e)
		}
		all = append(all,
			errandOf{"PUT", grant, `{"level":"edit"}`, 200, "rights", hired},
			errandOf{"GET", grant, "", 200, "rights", given},
			errandOf{"DELETE", grant, "", 204, "rights", given},
		)
	}
	for _, whose := range []string{"hub", "project"} {
		members := "/" + whose + "s/{" + whose + "}/members"
		added := before("PUT", members+"/{known}", `{}`)
		all = append(all,
			errandOf{"GET", members, "", 200, whose, nil},
			errandOf{"POST", members, `{"user":"known@example.test"}`, 201, whose, nil},
			errandOf{"PUT", members + "/{known}", `{"role":"member"}`, 200, whose, nil},
			errandOf{"GET", members + "/{known}", "", 200, whose, added},
			errandOf{"DELETE", members + "/{known}", "", 204, whose, added},
		)
	}
	return all
}

// Rules: ADMIN-2, ADMIN-9, ADMIN-14, ADMIN-22, HOOK-13
func TestWhoMayAdministerWhat(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		e := newEstate(t, database)
		e.reserve()
		e.names["victim"], e.names["hook"], e.names["delivery"] = e.names["group"], "none", "0"
		narrow := e.visitor("hub-admin@example.test").withPassword()
		bad := []struct {
			name, token string
			onlyWrites  bool
			status      int
			code        string
		}{
			{"nobody", "", false, 401, "missing_token"},
			{"a token of no kind", "x.y.z", false, 401, "invalid_token"},
			{"a two-legged token", e.token(e.tool, "grant_type", "client_credentials", "scope",
				"account:read account:write").text("access_token"), false, 403, "three_legged_required"},
			{"a hub admin's token for data", narrow.tokens(e.tool, "scope", "openid data:read").text("access_token"), false,
				403, "insufficient_scope"},
			{"a hub admin's token that only reads", narrow.tokens(e.tool, "scope", "openid account:read").text("access_token"),
				true, 403, "insufficient_scope"},
		}
		for _, op := range errands() {
			for _, c := range bad {
				if c.onlyWrites && op.method == "GET" {
					continue
				}
				if got := e.api(c.token, op.method, e.fill(op.path), e.fill(op.body)); got.Status != c.status ||
					got.text("code") != c.code {
					t.Errorf("%s: %s %s: %d %s", c.name, op.method, op.path, got.Status, got.Body)
				}
			}
			e.everybody(op)
		}
	})
}

// everybody tries the errand, in the order of who may least.
func (e *estate) everybody(op errandOf) {
	e.Helper()
	for _, c := range whoMay {
		want := op.ok
		switch {
		case slices.Contains(c.may, op.whose):
			if op.before != nil {
				op.before(e)
			}
		case op.whose == "server":
			want = http.StatusForbidden
		default:
			want = http.StatusNotFound
		}
		last := e.lastEvent()
		got := e.as(c.who, op.method, op.path, op.body)
		if got.Status != want {
			e.Errorf("%s: %s %s: %d %s, want %d", c.who, op.method, op.path, got.Status, got.Body, want)
		}
		if want != op.ok && e.lastEvent() != last {
			e.Errorf("%s: %s %s is refused and changes something", c.who, op.method, op.path)
		}
		if want == http.StatusNotFound && (strings.Contains(got.Body, "Tower") || strings.Contains(got.Body, "Main Hub")) {
			e.Errorf("%s: %s %s tells %s", c.who, op.method, op.path, got.Body)
		}
		if want == http.StatusCreated {
			if at := e.api(e.tokens[c.who], "GET", strings.TrimPrefix(got.Header.Get("Location"), "/admin/v1"),
				""); at.Status != http.StatusOK {
				e.Errorf("%s: %s %s: nothing at its Location: %d", c.who, op.method, op.path, at.Status)
			}
		}
	}
}

// Rule: ADMIN-9
func TestListsOfHubsHoldWhatTheCallerAdministers(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		e := newEstate(t, database)
		for who, want := range map[string]string{
			"root": "Main Hub, Other Hub", "hub-admin": "Main Hub", "other-admin": "Other Hub", "project-admin": "",
			"member": "", "outsider": "",
		} {
			got := e.as(who, "GET", "/hubs", "")
			if names := namesIn(got); strings.Join(names, ", ") != want {
				t.Errorf("%s: %d %s", who, got.Status, got.Body)
			}
			if want == "" && (got.Status != http.StatusForbidden || got.text("code") != "administrators_only") {
				t.Errorf("%s: %d %s", who, got.Status, got.Body)
			}
		}
		e.done(200, "PATCH", "/hubs/{hub}", `{"active":false}`)
		if got := e.as("hub-admin", "GET", "/hubs", ""); len(namesIn(got)) != 1 {
			t.Errorf("an inactive hub is gone for its administrator: %s", got.Body)
		}
	})
}
