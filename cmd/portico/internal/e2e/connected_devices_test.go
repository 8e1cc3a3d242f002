package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// Rule: HOME-15
func TestAPersonSeesAndEndsWhatDevicesHave(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		s.person("admin@example.test", "--admin")
		userID := s.person("person@example.test")
		s.person("other@example.test")
		person, other := s.signedIn("person@example.test"), s.signedIn("other@example.test")
		app := s.client("--redirect-uri", callback, "--scope", "openid email", "--devices")
		tool := s.client("--redirect-uri", callback, "--scope", "openid account:read account:write", "--first-party")
		scopes := []string{"scope", "openid account:read account:write"}
		own := person.tokens(tool, scopes...).text("access_token")
		others := other.tokens(tool, scopes...).text("access_token")
		admin := s.signedIn("admin@example.test").tokens(tool, scopes...).text("access_token")
		elsewhere := person.tokens(app, "scope", "openid email")
		alive := func(tokens answer) bool { return s.userInfo(tokens.text("access_token")).Status == http.StatusOK }
		device := func() answer {
			return s.send(tokenPath, app, "grant_type", deviceGrant, "device_code", person.allowsDevice(app, "openid email"))
		}
		apps, consents := "/account/v1/apps", "/admin/v1/users/"+userID+"/consents"
		for name, end := range map[string]func(id string) answer{
			"on the page": func(id string) answer { return person.press(connectedPath, "app", app.ID, "device", id) },
			"by a program of theirs": func(id string) answer {
				return s.bearing(own, "DELETE", apps+"/"+app.ID+"/devices/"+id, "")
			},
			"by an administrator's program": func(id string) answer {
				return s.bearing(admin, "DELETE", consents+"/"+app.ID+"/devices/"+id, "")
			},
			"on the command line": func(id string) answer {
				s.command("", "consent", "withdraw", "person@example.test", app.ID, "--device", id)
				return answer{}
			},
		} {
			kept := device()
			id := inner(person.fetch("GET", connectedPath).Body, `"`, `name="device" value="`)
			lost := device()
			page := person.fetch("GET", connectedPath).Body
			first := inner(page, `"`, `name="device" value="`)
			if !strings.Contains(page, "asked from <bdi>127.0.0.1</bdi>") || first == id || id == "" {
				t.Fatalf("%s: the page does not tell of devices:\n%s", name, page)
			}
			for _, list := range []string{s.bearing(own, "GET", apps, "").Body, s.bearing(admin, "GET", consents, "").Body,
				s.command("", "consent", "list", "person@example.test", "--json")} {
				if !strings.Contains(list, first) || !strings.Contains(list, id) {
					t.Errorf("%s: a list does not tell of them: %s", name, list)
				}
			}
			if got := other.press(connectedPath, "app", app.ID, "device", first); got.Status != http.StatusSeeOther {
				t.Errorf("%s: somebody else's button: %d", name, got.Status)
			}
			for _, path := range []string{app.ID + "/devices/" + first, "nothing/devices/" + first} {
				if got := s.bearing(others, "DELETE", apps+"/"+path, ""); got.Status != http.StatusNotFound {
					t.Errorf("%s: somebody else's program: %d %s", name, got.Status, got.Body)
				}
			}
			if !alive(lost) {
				t.Fatalf("%s: somebody else ended it", name)
			}
			if got := end(first); got.Status >= http.StatusBadRequest {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
			s.within(time.Second, func() bool {
				return !alive(lost) && s.refresh(app, lost.text("refresh_token")).is(http.StatusBadRequest, "invalid_grant")
			}, "%s: the device goes on", name)
			if !alive(kept) || !alive(elsewhere) {
				t.Errorf("%s: it took another device, or another sign-in, along", name)
			}
		}
		person.press(connectedPath + "/" + app.ID + "/withdraw")
		if alive(elsewhere) {
			t.Error("a sign-in outlives the consent")
		}
	})
}
