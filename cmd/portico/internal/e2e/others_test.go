package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// Everything that belongs to somebody is asked for by id, by everybody else: it
// is as if it were not there. What is not there at all answers the same.
//
// Rules: ADMIN-15, PORTAL-1
func TestWhatBelongsToOthersIsNotThere(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		f := furnish(t, database, nil)
		f.person("other@example.test")
		f.person("boss@example.test", "--admin")
		other, boss := f.signedIn("other@example.test"), f.signedIn("boss@example.test")
		f.person("member@example.test")
		f.admin.press("/admin/apps/"+f.web["clientId"]+"/members", "member", "member@example.test")
		member := f.signedIn("member@example.test") // of the web app alone
		rival := f.client("--type", "service", "--scope",
			"application:service_account:read application:service_account:write application:service_account_key:read application:service_account_key:write")
		rivals := f.token(rival, "grant_type", "client_credentials").text("access_token")

		for _, route := range pageRoutes(t) {
			if !strings.HasPrefix(route.template, "/apps/{clientId}") {
				continue
			}
			for _, path := range f.at(route.template) {
				// The address of a form leads to the page that has the form, whoever asks and whether it is there or not.
				if got := other.fetch(route.method, path); route.method == "GET" && got.Status == http.StatusSeeOther &&
					strings.HasPrefix(path, got.Header.Get("Location")+"/") {
					continue
				}
				notThere(t, path, other.fetch(route.method, path))
				notThere(t, path, boss.fetch(route.method, path)) // administrators have pages of their own
				if strings.Contains(path, f.service["clientId"]) {
					notThere(t, path, member.fetch(route.method, path))
				}
			}
		}
		for _, route := range routesBelow(t, "/authentication/v2/service-accounts/") {
			for _, path := range f.at(route.template) {
				notThere(t, path, f.bearing(rivals, route.method, path, `{"status":"DISABLED"}`))
			}
		}
		for _, path := range []string{"/admin/audit/" + f.web["eventId"], "/admin/audit/999999999",
			"/admin/v1/audit/" + f.web["eventId"]} {
			notThere(t, path, other.fetch("GET", path))
			notThere(t, path, member.fetch("GET", path))
		}

		// Those whom it belongs to see all of it, and nothing was changed.
		for _, c := range []struct {
			who  *visitor
			path string
			has  string
		}{
			{f.admin, "/apps/" + f.service["clientId"], f.service["keyId"]},
			{f.admin, "/apps/" + f.service["clientId"], ">enabled<"},
			{member, "/apps/" + f.web["clientId"], "Site Planner"}, {boss, "/admin/audit/" + f.web["eventId"], f.web["eventId"]},
			{boss, "/admin/v1/audit/" + f.web["eventId"], f.web["eventId"]},
			{boss, "/admin/apps/" + f.service["clientId"], "Nightly Import"},
		} {
			if got := c.who.fetch("GET", c.path); got.Status != http.StatusOK || !strings.Contains(got.Body, c.has) {
				t.Errorf("%s as %s: %d\n%s", c.path, c.who.email, got.Status, got.Body)
			}
		}
	})
}

func notThere(t *testing.T, path string, got answer) {
	t.Helper()
	if got.Status != http.StatusNotFound || strings.Contains(got.Body, "Site Planner") ||
		strings.Contains(got.Body, "Nightly Import") {
		t.Errorf("%s: %d\n%s", path, got.Status, got.Body)
	}
}

// bearing calls an operation with a token and a body of JSON.
func (s *site) bearing(token, method, path, body string) answer {
	s.Helper()
	r, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	s.must(err)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	got, err := try(s.plain, r)
	s.must(err)
	return got
}

// A second is little on a busy machine: one of a few tries must do.
//
// Rule: PORTAL-7
func TestARefusedRequestIsOnTheAppsPageWithinASecond(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		s.person("dev@example.test")
		dev := s.signedIn("dev@example.test")
		var took []time.Duration
		for len(took) < 5 {
			took = append(took, dev.refusal())
			if took[len(took)-1] < time.Second {
				t.Logf("there after %s", took)
				return
			}
		}
		t.Errorf("there after %s, which is never a second", took)
	})
}

// refusal lets an app be refused in every way, and returns how long its page
// needed to say so.
func (v *visitor) refusal() time.Duration {
	v.Helper()
	id, created := v.registered("web")
	secret := inner(created.Body, "<", `id="revealed-client-secret"`, ">")
	wrong := client{ID: id, Secret: "wrong-secret-of-mine", RedirectURIs: []string{callback + "/elsewhere"}}
	_, err := v.visitor("x").open(v.authorizeURL(wrong))
	v.must(err)
	v.token(wrong, "grant_type", "client_credentials")
	v.token(client{ID: id, Secret: secret}, "grant_type", "client_credentials", "scope", "data:write")
	began := time.Now()
	for {
		body := v.fetch("GET", "/apps/"+id).Body
		failures := inner(body, "</section>", `id="failures"`)
		redirect := inner(failures, "</dl>", "The callback URL is not registered", "<dl")
		scope := inner(failures, "</dl>", "A scope the app is not registered for", "<dl")
		if strings.Contains(redirect, callback+"/elsewhere<") && strings.Contains(redirect, callback+"<") &&
			strings.Contains(failures, "The app could not prove itself") && strings.Contains(scope, "data:write") &&
			!strings.Contains(after(body, `id="secrets"`), "last used <span") {
			if strings.Contains(body, wrong.Secret) {
				v.Error("the wrong secret is shown")
			}
			return time.Since(began)
		}
		if time.Since(began) > patience {
			v.Fatalf("not there:\n%s", body)
		}
	}
}
