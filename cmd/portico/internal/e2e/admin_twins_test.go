package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// twinErrands are the operations on twins, whose they are, and what they answer.
func twinErrands() []errandOf {
	const twin, model = "/twins/{twin}", "/twins/{twin}/models/{model}"
	added := before("PUT", twin+"/members/{known}", `{"access":"Read"}`)
	return []errandOf{
		{"GET", "/hubs/{hub}/twins", "", 200, "hub", nil},
		{"POST", "/hubs/{hub}/twins", `{"name":"{new}","props":{"Identity Data":{"Owner":"Ä"}}}`, 201, "hub", nil},
		{"GET", twin, "", 200, "manage", nil},
		{"PATCH", twin, `{"name":"{new}"}`, 200, "manage", nil},
		{"GET", twin + "/members", "", 200, "manage", nil},
		{"PUT", twin + "/members/{known}", `{"access":"ReadWrite"}`, 204, "manage",
			before("PUT", "/hubs/{hub}/members/{known}", `{}`)},
		{"DELETE", twin + "/members/{known}", "", 204, "manage", added},
		{"GET", twin + "/models", "", 200, "manage", nil},
		{"POST", twin + "/models", `{"label":"{new}"}`, 201, "manage", nil},
		{"POST", model + "/elements", "key,z:c\ndoor,{new}\n", 200, "manage", nil},
	}
}

func newTwinEstate(t *testing.T, database string) *estate {
	e := newEstate(t, database)
	e.names["twin"] = e.done(201, "POST", "/hubs/{hub}/twins", `{"name":"Tower"}`).text("id")
	e.names["model"] = e.done(201, "POST", "/twins/{twin}/models", `{"label":"Heating"}`).text("id")
	for who, access := range map[string]string{"project-admin": "ReadWrite", "controller": "Manage", "member": "Owner"} {
		e.done(204, "PUT", "/twins/{twin}/members/"+e.users[who], `{"access":"`+access+`"}`)
	}
	return e
}

// asFor sends a body as what it is.
func (e *estate) asFor(who, method, path, body string) answer {
	e.Helper()
	if !strings.HasSuffix(path, "/elements") {
		return e.as(who, method, path, body)
	}
	r, err := http.NewRequestWithContext(e.Context(), method, e.URL+"/admin/v1"+e.fill(path),
		strings.NewReader(e.fill(body)))
	e.must(err)
	r.Header.Set("Content-Type", "text/csv")
	if e.tokens[who] != "" {
		r.Header.Set("Authorization", "Bearer "+e.tokens[who])
	}
	got, err := try(e.plain, r)
	e.must(err)
	return got
}

// Rule: TWIN-1
func TestWhoMayAdministerTwins(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		e := newTwinEstate(t, database)
		for _, who := range []struct {
			name string
			may  string
		}{{"outsider", ""}, {"other-admin", ""}, {"project-admin", ""}, {"controller", "manage"}, {"member", "manage"},
			{"hub-admin", "manage hub"}, {"root", "manage hub"}, {"nobody", ""}} {
			for _, op := range twinErrands() {
				want := http.StatusNotFound
				if who.name == "nobody" {
					want = http.StatusUnauthorized
				}
				if strings.Contains(who.may, op.whose) {
					want = op.ok
				}
				if op.before != nil {
					op.before(e)
				}
				last := e.lastEvent()
				got := e.asFor(who.name, op.method, op.path, op.body)
				if got.Status != want {
					t.Errorf("%s: %s %s: %d %s, want %d", who.name, op.method, op.path, got.Status, got.Body, want)
				}
				if changed := e.lastEvent() != last; changed != (want < 300 && op.method != "GET") {
					t.Errorf("%s: %s %s changes something: %v", who.name, op.method, op.path, changed)
				}
			}
		}
	})
}

// Rule: TWIN-1
func TestOwnersOfTwinsAreMadeByOwners(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		e := newTwinEstate(t, database)
		known, owner := "/twins/{twin}/members/{known}", "/twins/{twin}/members/"+e.users["member"]
		for _, access := range []string{"Read", "Owner"} { // an account that is none of the hub, and none at all
			body := `{"access":"` + access + `"}`
			stands := e.as("controller", "PUT", "/twins/{twin}/members/known@example.test", body)
			nobody := e.as("controller", "PUT", "/twins/{twin}/members/nobody-at-all@example.test", body)
			if stands.Status != http.StatusNotFound || nobody.Status != stands.Status ||
				stands.text("detail") != nobody.text("detail") {
				t.Errorf("%s: %d %s, but of nobody %d %s", access, stands.Status, stands.Body, nobody.Status, nobody.Body)
			}
		}
		steps := []struct {
			who, method, path, body string
			want                    int
		}{
			{"controller", "PUT", known, `{"access":"Read"}`, 404}, // no member of the hub
			{"hub-admin", "PUT", "/twins/{twin}/members/known@example.test", `{"access":"Read"}`, 204},
			{"controller", "PUT", known, `{"access":"Manage"}`, 204},
			{"controller", "PUT", known, `{"access":"Owner"}`, 403},
			{"member", "PUT", known, `{"access":"Owner"}`, 204},
			{"controller", "PUT", known, `{"access":"Read"}`, 403},
			{"controller", "DELETE", owner, "", 403},
			{"member", "PUT", known, `{"access":"All"}`, 422},
			{"member", "PUT", known, `[]`, 400},
			{"member", "DELETE", known, "", 204},
			{"member", "DELETE", known, "", 404},
			{"root", "DELETE", owner, "", 204},
			{"root", "GET", "/twins/what", "", 422},
			{"root", "GET", "/twins/urn:portico:dtt:AAAAAAAAAAAAAAAAAAAAAA", "", 404},
			{"root", "POST", "/twins/{twin}/models", `{"label":" "}`, 422},
			{"root", "POST", "/hubs/{hub}/twins", `{"name":"x","props":{"a":"b"}}`, 400},
		}
		for _, s := range steps {
			if got := e.as(s.who, s.method, s.path, s.body); got.Status != s.want {
				t.Errorf("%s: %s %s %s: %d %s, want %d", s.who, s.method, s.path, s.body, got.Status, got.Body, s.want)
			}
		}
		if got := e.asFor("root", "POST", "/twins/{twin}/models/{model}/elements", "key,n\n"); got.Status != 422 {
			t.Errorf("a bad file: %d %s", got.Status, got.Body)
		}
		if got := e.as("root", "POST", "/twins/{twin}/models/{model}/elements", `{}`); got.Status != 415 {
			t.Errorf("no file: %d %s", got.Status, got.Body)
		}
	})
}
