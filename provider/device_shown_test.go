package provider_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/provider/apps"
)

// What a device asks for by name in the claims parameter is on no page that asks, so
// nobody gets it, also where something else is left out.
//
// Rules: DEVICE-4, ACCESS-6
func TestADeviceLearnsNothingThatItsPageDidNotShow(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		a := w.app(apps.Registration{Devices: true, Scopes: []string{"openid", "email", "data:read"},
			OptionalScopes: []string{"data:read"}})
		for name, chosen := range map[string][]string{
			"all chosen": {"scope.data:read", "on"}, "something left out": nil,
		} {
			d, b := w.begin(a, "claims", `{"userinfo":{"email":null}}`), w.browser()
			page := b.typed(d.user)
			if strings.Contains(string(page.Body), `id="scope-email"`) || strings.Contains(string(page.Body), "email address") {
				t.Fatalf("%s: the page asks for the address", name)
			}
			b.submit(page, "consent-form", form(append([]string{"decision", "allow"}, chosen...)...))
			tokens := w.granted(a, form("grant_type", deviceGrant, "device_code", d.device))
			told := w.userInfo(tokens["access_token"].(string)).JSON(t)
			if told["email"] != nil {
				t.Errorf("%s: with the scope %v the device is told %v", name, tokens["scope"], told)
			}
		}
	})
}

// Rule: DEVICE-4
func TestADeviceGetsNoScopeThatItsPageDidNotShow(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		a := w.screen()
		b := w.browser()
		got := w.post(devicePath, a, form("client_id", a.ID, "scope", "openid data:read data:write")).JSON(t)
		d := begun{a, got["device_code"].(string), got["user_code"].(string)}
		page := b.typed(d.user) // shows what the app is registered for
		if strings.Contains(string(page.Body), "data:write") {
			t.Fatalf("shown: %s", page.Body)
		}
		_, err := w.Apps.Update(t.Context(), w.act(), a.ID,
			apps.Change{Scopes: &[]string{"openid", "data:read", "data:write"}})
		w.must(err)
		w.wait(time.Second)
		b.submit(page, "consent-form", form("decision", "allow"))
		if got := w.poll(d); got.Status == http.StatusOK && strings.Contains(got.JSON(t)["scope"].(string), "data:write") {
			t.Errorf("the person was never asked for data:write: %s", got.Body)
		}
	})
}
