package e2e

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// works is a developer's apps as they are in use, so that what pages say of
// their end can be tried.
type works struct {
	*furnished
	id, secret string // of a server-to-server app
	app        string // a token of the app
	robot      *robot
	machine    string // a token of its service account
}

// inUse registers a server-to-server app with a service account and uses all of
// it.
func (f *furnished) inUse() *works {
	f.Helper()
	w := &works{furnished: f}
	id, created := f.admin.registered("service", "name", "App in use")
	w.id, w.secret = id, inner(created.Body, "<", `id="revealed-client-secret"`, ">")
	f.admin.press("/apps/"+id+"/service-accounts", "name", "robot")
	w.robot = &robot{site: f.site, owner: client{ID: id, Secret: w.secret}, TokenURL: f.URL + tokenPath}
	w.robot.AccountID = inner(f.admin.fetch("GET", "/apps/"+id).Body, `"`, `id="account-`)
	key := f.admin.press("/apps/" + id + "/service-accounts/" + w.robot.AccountID + "/keys").Body
	w.robot.KID = inner(key, "<", `id="revealed-key-id"`, ">")
	w.robot.PrivateKey = html.UnescapeString(inner(key, "<", `id="revealed-private-key"`, ">"))
	w.app = w.newToken().text("access_token")
	w.machine = w.robot.exchange(w.robot.sign("jti-" + id)).text("access_token")
	if !w.alive(w.app) || !w.alive(w.machine) {
		f.Fatal("the tokens of a new app are not taken")
	}
	return w
}

func (w *works) newToken() answer {
	return w.token(client{ID: w.id, Secret: w.secret}, "grant_type", "client_credentials", "scope", "data:read")
}

// alive reports whether the data API takes the token.
func (f *furnished) alive(token string) bool {
	f.Helper()
	got := f.bearing(token, "GET", "/project/v1/hubs", "")
	if got.Status != http.StatusOK && got.Status != http.StatusUnauthorized {
		f.Errorf("a token: %d %s", got.Status, got.Body)
	}
	return got.Status == http.StatusOK
}

// Rule: PORTAL-18
func TestWhatPagesSayEndsWithinASecondDoes(t *testing.T) {
	f := furnish(t, sqliteURL(t), nil)
	account := func(w *works) string { return "/apps/" + w.id + "/service-accounts/" + w.robot.AccountID }
	for name, c := range map[string]struct {
		end  func(w *works) answer
		gone func(w *works) bool
	}{
		"an app that its developer deletes": {
			func(w *works) answer { return f.admin.press("/apps/" + w.id + "/delete") },
			func(w *works) bool { return !w.alive(w.app) && !w.alive(w.machine) },
		},
		"an app that an administrator disables": {
			func(w *works) answer { return f.admin.press("/admin/apps/" + w.id + "/disable") },
			func(w *works) bool {
				return !w.alive(w.app) && !w.alive(w.machine) && w.newToken().Status == http.StatusUnauthorized
			},
		},
		"a secret that is deleted": {
			func(w *works) answer {
				f.admin.press("/apps/" + w.id + "/secrets")
				old := regexp.MustCompile(`/apps/`+w.id+`/secrets/[^/]+/delete`).FindAllString(f.admin.fetch("GET",
					"/apps/"+w.id).Body, -1)
				return f.admin.press(old[1])
			},
			func(w *works) bool { return w.newToken().Status == http.StatusUnauthorized },
		},
		"scopes that are taken away": {
			func(w *works) answer {
				return f.admin.press("/apps/"+w.id+"/edit", "name", "App", "profile", "platform", "scopes.data:write", "on")
			},
			func(w *works) bool { return w.newToken().Status == http.StatusBadRequest },
		},
		"a service account that is disabled": {
			func(w *works) answer { return f.admin.press(account(w)+"/status", "status", "DISABLED") },
			func(w *works) bool { return !w.alive(w.machine) && w.alive(w.app) },
		},
		"a service account that is deleted": {
			func(w *works) answer { return f.admin.press(account(w) + "/delete") },
			func(w *works) bool { return !w.alive(w.machine) && w.alive(w.app) },
		},
		"a key that is deleted": {
			func(w *works) answer { return f.admin.press(account(w) + "/keys/" + w.robot.KID + "/delete") },
			func(w *works) bool { return !w.alive(w.machine) && w.alive(w.app) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			withinASecond(t, func() time.Duration {
				w := f.inUse()
				return f.takes(func() answer { return c.end(w) }, func() bool { return c.gone(w) })
			})
		})
	}
	people := 0
	for name, end := range map[string]func(id string) answer{
		"a person who is disabled": func(id string) answer {
			return f.admin.press("/admin/users/" + id +
				"/disable")
		},
		"a person who is signed out everywhere": func(id string) answer {
			return f.admin.press("/admin/users/" +
				id + "/end-sessions")
		},
		"a person who is deleted": func(id string) answer { return f.admin.press("/admin/users/" + id + "/delete") },
	} {
		t.Run(name, func(t *testing.T) {
			withinASecond(t, func() time.Duration {
				people++
				email := fmt.Sprintf("guest-%d@example.test", people)
				id := f.person(email)
				app := f.client()
				v := f.visitor(email).withPassword()
				token := v.tokens(app).text("access_token")
				return f.takes(func() answer { return end(id) }, func() bool {
					return f.userInfo(token).Status == http.StatusUnauthorized && v.fetch("GET", "/apps").Status == http.StatusSeeOther
				})
			})
		})
	}
}

// takes ends something and returns how long it went on.
func (f *furnished) takes(end func() answer, gone func() bool) time.Duration {
	f.Helper()
	if got := end(); got.Status != http.StatusSeeOther {
		f.Fatalf("ending it: %d\n%s", got.Status, got.Body)
	}
	began := time.Now()
	for !gone() {
		if time.Since(began) > patience {
			f.Fatal("it does not end")
		}
	}
	return time.Since(began)
}

// withinASecond tries a few times: a second is little on a busy machine.
func withinASecond(t *testing.T, try func() time.Duration) {
	t.Helper()
	var took []time.Duration
	for len(took) < 5 {
		took = append(took, try())
		if took[len(took)-1] < time.Second {
			return
		}
	}
	t.Errorf("%s, which is never a second", took)
}

// Rule: PORTAL-18
func TestPagesCountAndDateWhatIsThere(t *testing.T) {
	f := furnish(t, sqliteURL(t), nil)
	w := f.inUse()
	f.command("", "user", "disable", "person@example.test", "--force")
	system := f.admin.fetch("GET", "/admin/system").Body
	for label, want := range map[string]string{
		"Users": "2, of them 1 disabled", "Administrators": "1", "Apps": "4, of them 0 disabled", "Service accounts": "2",
		"Base URL": f.URL, "Database": "SQLite, answers",
	} {
		if got := fact(system, label); got != want {
			t.Errorf("%s: %q, want %q", label, got, want)
		}
	}
	today := time.Now().UTC().Format("2 Jan 2006")
	user := f.admin.fetch("GET", "/admin/users/"+f.adminID).Body
	if last := fact(user, "Last sign-in"); !strings.HasPrefix(last, today) {
		t.Errorf("the last sign-in was %q", last)
	}
	if person := f.admin.fetch("GET", "/admin/users/"+f.web["userId"]).Body; fact(person, "Last sign-in") != "never" ||
		!strings.Contains(person, ">disabled<") {
		t.Errorf("who never signed in:\n%s", person)
	}

	// Uses are written a moment later; then the page of the app knows them, of
	// what was used and of nothing else.
	deadline := time.Now().Add(patience)
	for {
		page := f.admin.fetch("GET", "/apps/"+w.id).Body
		secrets, account, key := inner(page, "</ul>", `id="secrets"`, "<ul"),
			inner(page, "</span>", `id="account-`, `class="more"`), inner(page, "</span>", `id="key-`, `class="more"`)
		if used(secrets) && used(account) && used(key) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("what was used looks unused:\n%s\n%s\n%s", secrets, account, key)
		}
	}
	page := f.admin.fetch("GET", "/apps/"+f.service["clientId"]).Body
	if account := inner(page, "</span>", `id="account-`, `class="more"`); used(account) {
		t.Errorf("what was not used looks used: %s", account)
	}

	// The key that the page calls active signs, before a rotation and after.
	for range 2 {
		active := ""
		for _, row := range strings.Split(inner(f.admin.fetch("GET", "/admin/keys").Body, "</tbody>", "<tbody>"), "<tr>") {
			if strings.Contains(row, ">active<") && strings.Contains(row, ">RS256<") {
				active = inner(row, "<", "<code>")
			}
		}
		if kid := kidOf(t, w.newToken().text("access_token")); kid != active {
			t.Errorf("the active key is %s, tokens are signed with %s", active, kid)
		}
		f.admin.press("/admin/keys/rotate", "at_once", "on")
	}
}

func used(row string) bool {
	last := after(row, "last used ")
	return strings.HasPrefix(last, "<time")
}

// fact returns what a page says beside the label.
func fact(body, label string) string {
	return inner(body, "<", "<dt>"+label+"</dt>", "<bdi>")
}

// kidOf returns which key signed the JWT.
func kidOf(t testing.TB, token string) string {
	t.Helper()
	var header struct{ Kid string }
	if err := json.Unmarshal(jwtPart(t, token, 0), &header); err != nil {
		t.Fatal(err)
	}
	return header.Kid
}
