package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/oauth2"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/devices"
	"github.com/portico-id/portico/storage"
)

const (
	devicePath  = "/authentication/v2/device_authorization"
	deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
)

// screen is an app that asks from devices.
func (w *world) screen() app {
	return w.app(apps.Registration{Type: storage.ClientNative, Devices: true, RedirectURIs: []string{},
		Scopes: []string{"openid", "data:read"}})
}

// begun is a device that waits.
type begun struct {
	app
	device, user string
}

func (w *world) begin(a app, pairs ...string) begun {
	w.Helper()
	got := w.post(devicePath, a, form(append([]string{"client_id", a.ID, "scope", "openid data:read"}, pairs...)...))
	if got.Status != http.StatusOK || got.Header.Get("Cache-Control") != "no-store" {
		w.Fatalf("status %d: %s", got.Status, got.Body)
	}
	said := got.JSON(w)
	if said["verification_uri"] != w.URL+"/device" || said["expires_in"] != 600.0 || said["interval"] != 5.0 ||
		said["verification_uri_complete"] != fmt.Sprintf("%s/device?user_code=%s", w.URL, said["user_code"]) {
		w.Errorf("said %v", said)
	}
	return begun{a, said["device_code"].(string), said["user_code"].(string)}
}

func (w *world) poll(d begun) answer {
	w.Helper()
	return w.token(d.app, form("grant_type", deviceGrant, "device_code", d.device))
}

// What strangers ask for is kept until it is answered, so that it may not be large.
//
// Rule: DEVICE-1
func TestADeviceAsksForNoMoreThanAnAppAtAuthorize(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.screen()
	for length, want := range map[int]int{8 << 10: http.StatusBadRequest, 4 << 10: http.StatusOK} {
		for _, name := range []string{"login_hint", "state"} {
			got := w.post(devicePath, a, form("client_id", a.ID, "scope", "openid", name, strings.Repeat("x", length)))
			if got.Status != want {
				t.Errorf("%d bytes of %s: %d %.200s", length, name, got.Status, got.Body)
			}
		}
	}
}

// typed signs the person in, and types the code.
func (b *browser) typed(code string) visit {
	b.Helper()
	v := b.get(b.URL + "/device")
	if v.At.Path == "/login" {
		v = b.submit(v, "login-form", form("username", somebody, "password", goodPassword))
	}
	return b.submit(v, "device-form", form("user_code", code))
}

func (b *browser) decide(d begun, decision string) visit {
	b.Helper()
	return b.submit(b.typed(d.user), "consent-form", form("decision", decision))
}

// Rule: DEVICE-1
func TestADeviceGetsWhatAPersonAllows(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		user := w.person(somebody)
		for _, a := range []app{w.screen(), w.app(apps.Registration{Devices: true,
			Scopes: []string{"openid", "data:read"}})} {
			d := w.begin(a)
			if !regexp.MustCompile(`^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$`).MatchString(d.user) {
				t.Errorf("user code %q", d.user)
			}
			w.refused(w.poll(d), http.StatusBadRequest, "authorization_pending")
			if v := w.browser().decide(d, "allow"); v.Status != http.StatusOK || v.At.Query().Get("done") != "allowed" {
				t.Fatalf("status %d at %s", v.Status, v.At)
			}
			tokens := w.granted(a, form("grant_type", deviceGrant, "device_code", d.device))
			claims, err := w.Keys.VerifyAccess(t.Context(), tokens["access_token"].(string))
			if err != nil || claims.UserID != user.ID || claims.GrantID == "" || tokens["scope"] != "openid data:read" ||
				tokens["id_token"] == nil {
				t.Errorf("%v: %+v, %v", err, claims, tokens)
			}
			w.granted(a, form("grant_type", "refresh_token", "refresh_token", tokens["refresh_token"].(string)))
		}
	})
}

// Rules: DEVICE-1, RES-2
func TestADeviceGetsTokensForTheResourceThatItAsksFor(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.resource(orders)
		w.resource(billing)
		a := w.app(apps.Registration{Devices: true, Scopes: []string{"openid", "email", "data:read"},
			OptionalScopes: []string{"email"}})
		gets := func(scopes string, chosen []string, asked, at []string) answer {
			t.Helper()
			got := w.post(devicePath, a, named(form("scope", scopes), asked...)).JSON(t)
			d := begun{a, got["device_code"].(string), got["user_code"].(string)}
			b := w.browser()
			b.submit(b.typed(d.user), "consent-form", form(append([]string{"decision", "allow"}, chosen...)...))
			return w.token(a, named(form("grant_type", deviceGrant, "device_code", d.device), at...))
		}
		one, both := []string{orders}, []string{orders, billing}
		w.is(gets("openid read", nil, one, nil).JSON(t), one, "read")
		w.is(gets("openid read", nil, both, []string{billing}).JSON(t), []string{billing}, "read")
		w.refused(gets("openid read", nil, one, []string{billing}), http.StatusBadRequest, "invalid_target")
		w.is(gets("openid data:read", nil, []string{w.URL}, nil).JSON(t), []string{w.URL}, "openid data:read")
		w.is(gets("openid email read", nil, one, nil).JSON(t), one, "read")
		kept := gets("openid email data:read", []string{"scope.email", "on"}, nil, nil).JSON(t)
		w.is(kept, []string{w.URL}, "openid email data:read")
		tokens := gets("openid read", nil, both, []string{orders}).JSON(t)
		w.is(w.refreshWith(a, tokens, "resource", billing).JSON(t), []string{billing}, "read")
	})
}

// Rule: DEVICE-1
func TestWhoMayAskFromDevices(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		d := w.begin(w.screen())
		for name, a := range map[string]app{
			"not registered for it": w.app(apps.Registration{Type: storage.ClientNative, Scopes: []string{"openid"}}),
			"a platform client":     w.app(apps.Registration{Profile: storage.ProfilePlatform, Scopes: []string{"openid"}}),
		} {
			got := w.post(devicePath, a, form("client_id", a.ID, "scope", "openid"))
			if a.Secret != "" {
				got = w.post(devicePath, a, form("scope", "openid"))
			}
			w.refused(got, http.StatusBadRequest, "unauthorized_client")
			d.app = a
			w.refused(w.poll(d), http.StatusBadRequest, "unauthorized_client")
			if t.Failed() {
				t.Fatal(name)
			}
		}
		w.refused(w.post(devicePath, app{}, form("client_id", "nobody", "scope", "openid")), http.StatusUnauthorized,
			"invalid_client")
		screen := w.screen()
		w.refused(w.post(devicePath, screen, form("client_id", screen.ID, "scope", "account:read")),
			http.StatusBadRequest, "invalid_scope")
		if got := w.post(devicePath+"?device_code=x", screen,
			form("client_id", screen.ID)); got.Status != http.StatusBadRequest {
			t.Errorf("a device code in the URL: %d", got.Status)
		}
	})
}

// Rule: DEVICE-2
func TestWhatADeviceIsTold(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		a := w.screen()
		d := w.begin(a)
		other := d
		other.app = w.screen()
		w.refused(w.poll(other), http.StatusBadRequest, "invalid_grant")
		w.refused(w.poll(begun{a, "unknown", ""}), http.StatusBadRequest, "invalid_grant")
		w.refused(w.token(a, form("grant_type", deviceGrant)), http.StatusBadRequest, "invalid_request")

		w.browser().decide(d, "deny")
		w.refused(w.poll(d), http.StatusBadRequest, "access_denied")

		late := w.begin(a)
		w.wait(10 * time.Minute)
		w.refused(w.poll(late), http.StatusBadRequest, "expired_token")

		allowed := w.begin(a)
		w.browser().decide(allowed, "allow")
		other.device = allowed.device
		w.refused(w.poll(other), http.StatusBadRequest, "invalid_grant")
		w.granted(a, form("grant_type", deviceGrant, "device_code", allowed.device, "scope", "openid data:read"))
		w.refused(w.poll(allowed), http.StatusBadRequest, "invalid_grant")

		forgotten := w.begin(a)
		w.browser().decide(forgotten, "allow")
		w.wait(6 * time.Minute)
		w.refused(w.poll(forgotten), http.StatusBadRequest, "expired_token")
	})
}

// Rules: DEVICE-2, SERVER-53
func TestADeviceHasToWaitLonger(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		d := w.begin(w.screen())
		for i, one := range []struct {
			wait time.Duration
			want string
		}{
			{0, "authorization_pending"}, {time.Second, "slow_down"}, {6 * time.Second, "slow_down"},
			{15 * time.Second, "authorization_pending"}, {5 * time.Second, "slow_down"},
			{20 * time.Second, "authorization_pending"}, {-time.Minute, "authorization_pending"}, // the clock was ahead
			{time.Second, "slow_down"}, {30 * time.Second, "authorization_pending"},
		} {
			w.wait(one.wait)
			if got := w.poll(d); got.JSON(t)["error"] != one.want {
				t.Errorf("%d: %s, want %s", i, got.Body, one.want)
			}
		}
	})
}

// Rule: DEVICE-2
func TestADeviceThatAsksOneServerWaitsForAll(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		other := newWorld(t, settings{database: database, beside: w})
		d, patient := w.begin(w.screen()), w.begin(w.screen())
		for i, one := range []struct {
			at   *world
			wait time.Duration
			want string
		}{
			{w, 0, "authorization_pending"}, {other, time.Second, "slow_down"}, {w, 6 * time.Second, "slow_down"},
			{other, 15 * time.Second, "authorization_pending"},
		} {
			w.wait(one.wait)
			if got := one.at.poll(d); got.JSON(t)["error"] != one.want {
				t.Errorf("%d: %s, want %s", i, got.Body, one.want)
			}
			if got := one.at.poll(patient); i == 0 && got.JSON(t)["error"] != "authorization_pending" {
				t.Errorf("another device: %s", got.Body)
			}
		}
	})
}

// Rule: DEVICE-3
func TestADeviceIsAnsweredOnce(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		a := w.screen()
		d := w.begin(a)
		w.browser().decide(d, "allow")
		code := w.token(a, form("grant_type", "authorization_code", "code", d.device, "redirect_uri", callback))
		w.refused(code, http.StatusBadRequest, "invalid_grant")
		var won atomic.Int32
		var refresh atomic.Value
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				switch got := w.poll(d); got.Status {
				case http.StatusOK:
					won.Add(1)
					refresh.Store(got.JSON(t)["refresh_token"])
				default:
					w.refused(got, http.StatusBadRequest, "invalid_grant")
				}
			})
		}
		all.Wait()
		if won.Load() != 1 {
			t.Fatalf("%d of 50 got tokens", won.Load())
		}
		w.granted(a, form("grant_type", "refresh_token", "refresh_token", refresh.Load().(string)))

		b, web := w.browser(), w.app(apps.Registration{Devices: true})
		w.refused(w.token(web, form("grant_type", deviceGrant, "device_code", b.code(web, somebody))),
			http.StatusBadRequest, "invalid_grant")
	})
}

// Rule: DEVICE-4
func TestThePersonIsAskedAboutADevice(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		a := w.app(apps.Registration{Type: storage.ClientNative, Devices: true, FirstParty: true,
			Scopes: []string{"openid", "data:read"}})
		for i := range 2 {
			d, b := w.begin(a), w.browser()
			filled := b.get(w.URL + "/device?user_code=" + d.user)
			filled = b.submit(filled, "login-form", form("username", somebody, "password", goodPassword))
			if filled.At.Path != "/device" || !strings.Contains(string(filled.Body), `value="`+d.user+`"`) {
				t.Fatalf("%d: %s:\n%s", i, filled.At, filled.Body)
			}
			w.refused(w.poll(d), http.StatusBadRequest, "authorization_pending")
			wide := func(r rune) rune { return r - 'A' + 'Ａ' } // of a Chinese keyboard, or marked for a line from right to left
			v := b.typed([]string{" " + strings.ToLower(strings.Replace(d.user, "-", " ", 1)),
				"\u2068" + strings.Map(wide, strings.Replace(d.user, "-", "", 1)) + "\u2069"}[i])
			for _, want := range []string{`id="device"`, d.user, "data:read", a.Name} {
				if v.At.Path != "/device/confirm" || !strings.Contains(string(v.Body), want) {
					t.Errorf("%d: %s lacks %q:\n%s", i, v.At, want, v.Body)
				}
			}
			v = b.submit(v, "consent-form", form("decision", "allow"))
			if v.At.Query().Get("done") != "allowed" {
				t.Errorf("%d: at %s", i, v.At)
			}
			w.granted(a, form("grant_type", deviceGrant, "device_code", d.device))
		}
	})
}

// Rule: DEVICE-4
func TestATicketIsForOneSignIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		d := w.begin(w.screen())
		b := w.browser()
		asked := b.typed(d.user)
		other := w.browser()
		other.typed("nonsense")
		if v := other.get(asked.At.String()); v.At.Path != "/device" || !v.fillsIn(d.user) {
			t.Errorf("another sign-in: status %d at %s", v.Status, v.At)
		}
		if v := b.get(w.URL + "/device/confirm?request=nonsense"); v.Status != http.StatusGone {
			t.Errorf("no ticket: status %d", v.Status)
		}
		action, fields := asked.form(b, "consent-form")
		fields.Set("decision", "allow")
		fields.Set("shown", "openid data:read account:write")
		if v := b.posted(action, fields); v.Status != http.StatusBadRequest {
			t.Errorf("other scopes than were shown: status %d", v.Status)
		}
		b.submit(asked, "consent-form", form("decision", "allow"))
		if v := b.submit(asked, "consent-form", form("decision", "deny")); v.At.Query().Get("done") != "allowed" {
			t.Errorf("a second answer: status %d at %s", v.Status, v.At)
		}
		w.granted(d.app, form("grant_type", deviceGrant, "device_code", d.device))
	})
}

// fillsIn reports whether the page has the code in its field.
func (v visit) fillsIn(code string) bool { return strings.Contains(string(v.Body), `value="`+code+`"`) }

// Rules: DEVICE-4, FORM-1
func TestAnAnswerToADeviceThatIsSentAgainSaysWhatWasAnswered(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		a := w.screen()
		for decision, want := range map[string]string{"allow": "allowed", "deny": "denied"} {
			b := w.browser()
			asked := b.typed(w.begin(a).user)
			var both sync.WaitGroup
			for range 2 { // clicks
				both.Go(func() {
					if v := b.submit(asked, "consent-form", form("decision", decision)); v.At.Query().Get("done") != want {
						t.Errorf("%s: status %d at %s", decision, v.Status, v.At)
					}
				})
			}
			both.Wait()
			if v := b.get(asked.At.String()); v.At.Query().Get("done") != want {
				t.Errorf("%s, and gone back: status %d at %s", decision, v.Status, v.At)
			}
		}
	})
}

// Rule: DEVICE-4
func TestACodeThatWasTypedIsThereAfterAnotherSignIn(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	d := w.begin(w.screen())
	for name, send := range map[string]func(b *browser, field, asked visit) visit{
		"the code": func(b *browser, field, _ visit) visit {
			return b.submit(field, "device-form", form("user_code", strings.ToLower(d.user)))
		},
		"the answer": func(b *browser, _, asked visit) visit {
			return b.submit(asked, "consent-form", form("decision", "allow"))
		},
		"a look at the page": func(b *browser, _, asked visit) visit { return b.get(asked.At.String()) },
	} {
		b := w.browser()
		asked := b.typed(d.user)
		field := b.get(w.URL + "/device")
		b.posted("/signout", nil)
		v := send(b, field, asked)
		if v.At.Path != "/login" {
			t.Fatalf("%s, signed out: %d at %s", name, v.Status, v.At)
		}
		v = b.submit(v, "login-form", form("username", somebody, "password", goodPassword))
		if v.At.Path != "/device" || !v.fillsIn(d.user) {
			t.Errorf("%s: %d at %s\n%s", name, v.Status, v.At, v.Body)
		}
	}
	w.refused(w.poll(d), http.StatusBadRequest, "authorization_pending")
}

// Rules: ACCESS-1, ACCESS-2
func TestADeviceOfAnAppThatIsForOthersGetsANoAndSaysSo(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.screen()
	d, b := w.begin(a), w.browser()
	asked := b.typed(d.user)
	_, err := w.Apps.Update(t.Context(), w.act(), a.ID, apps.Change{Restricted: new(true), ByAdministrator: true})
	w.must(err)
	w.Provider.ForgetClients()
	barred := b.get(asked.At.String())
	if barred.Status != http.StatusForbidden {
		t.Fatalf("the page of before: %d", barred.Status)
	}
	w.wait(2 * time.Second)
	if v := b.get(w.URL + barred.href(b, "switch")); v.At.Path != "/login" || v.Status != http.StatusOK {
		t.Errorf("as somebody else: %d at %s", v.Status, v.At)
	}
	if v := b.submit(asked, "consent-form", form("decision", "allow")); v.At.Query().Get("done") != "denied" {
		t.Errorf("allowed all the same: %d at %s", v.Status, v.At)
	}
	w.refused(w.poll(d), http.StatusBadRequest, "access_denied")
}

// href is where the link with the id leads.
func (v visit) href(b *browser, id string) string {
	b.Helper()
	page, err := html.Parse(strings.NewReader(string(v.Body)))
	b.must(err)
	for n := range page.Descendants() {
		if at := attributes(n); n.Data == "a" && at["id"] == id {
			return at["href"]
		}
	}
	b.Fatalf("no link %q on %s", id, v.At)
	return ""
}

// posted sends what is no form of a page.
func (b *browser) posted(action string, fields url.Values) visit {
	b.Helper()
	r, err := http.NewRequest(http.MethodPost, b.URL+action, strings.NewReader(fields.Encode()))
	b.must(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", b.URL)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.follow(r)
}

// Rules: DEVICE-4, FACTOR-22
func TestADeviceOfAnAppThatDemandsASecondFactorGetsNothingWithoutOne(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		user := w.person(somebody)
		a := w.app(apps.Registration{Devices: true, SecondFactor: true, ByAdministrator: true,
			Scopes: []string{"openid", "data:read"}})
		d, b := w.begin(a), w.browser()
		b.typed(w.begin(w.screen()).user) // signed in by the password, which is enough for this one
		v := b.typed(d.user)
		if v.At.Path != "/login" {
			t.Fatalf("by the password alone at %s", v.At)
		}
		v = b.submit(v, "login-form", form("username", somebody, "password", goodPassword))
		b.adds(v, &device{world: w, user: user})
		w.refused(w.poll(d), http.StatusBadRequest, "authorization_pending")
		v = b.submit(b.get(w.URL+"/device?user_code="+d.user), "device-form", form("user_code", d.user))
		if v.At.Path != "/device/confirm" {
			t.Fatalf("by two factors at %s", v.At)
		}
		b.submit(v, "consent-form", form("decision", "allow"))
		w.wait(10 * time.Second)
		claims := payload(t, w.granted(d.app, form("grant_type", deviceGrant, "device_code", d.device))["access_token"])
		if claims["acr"] != storage.ACRTwoFactors {
			t.Errorf("acr %v", claims["acr"])
		}
	})
}

// Rule: DEVICE-5
func TestUserCodesCannotBeGuessed(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		user := w.person(somebody)
		d, b := w.begin(w.screen()), w.browser()
		for range 12 { // who is right uses none up
			if v := b.typed(d.user); v.Status != http.StatusOK {
				t.Fatalf("status %d", v.Status)
			}
		}
		page := b.get(w.URL + "/device")
		var looked, held atomic.Int32
		var all sync.WaitGroup
		for range 1000 {
			all.Go(func() {
				switch v := b.submit(page, "device-form", form("user_code", "BBBB-BBBB")); v.Status {
				case http.StatusUnprocessableEntity:
					looked.Add(1)
				case http.StatusTooManyRequests:
					held.Add(1)
				}
			})
		}
		all.Wait()
		if looked.Load() != 10 || held.Load() != 990 {
			t.Errorf("%d looked at, %d held back", looked.Load(), held.Load())
		}
		if v := b.typed(d.user); v.Status != http.StatusTooManyRequests || v.Header.Get("Retry-After") == "" {
			t.Errorf("the right code after that: status %d", v.Status)
		}
		w.anHourOfTries(user.ID, "") // tests have no address
		d = w.begin(d.app)
		b.decide(d, "allow")
		w.granted(d.app, form("grant_type", deviceGrant, "device_code", d.device))
	})
}

// anHourOfTries has an hour pass for who types codes: on SQLite the clock goes on, and on
// PostgreSQL, where that of the database counts, what was counted goes back by as much.
func (w *world) anHourOfTries(userID, address string) {
	w.Helper()
	w.wait(time.Hour)
	if !strings.HasSuffix(w.Name(), "postgres") {
		return
	}
	ring, err := sealing.New([]byte(strings.Repeat("k", 32)), nil, w.ambient)
	w.must(err)
	for _, name := range []string{"user " + userID, "network " + ratelimit.Key("", address)} {
		w.must(w.Store.ReturnTry(w.Context(), ring.MAC("user code try", []byte(name)), time.Hour))
	}
}

// Rule: DEVICE-5
func TestATryThatTheNetworkHasNoRoomForCostsTheAccountNothing(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		one, other := w.person(somebody), w.person("other@example.test")
		ring, err := sealing.New([]byte(strings.Repeat("k", 32)), nil, w.ambient)
		w.must(err)
		all := devices.New(w.Store, w.ambient, ring)
		tries := func(n int, userID, address, want string) {
			t.Helper()
			for i := range n {
				if _, err := all.Enter(t.Context(), userID, address, "BBBB-BBBB"); !fault.HasReason(err, want) {
					t.Errorf("try %d of %s at %s: %v, want %s", i, userID, address, err, want)
				}
			}
		}
		tries(10, one.ID, here, devices.ReasonWrongCode)
		tries(30, other.ID, here, devices.ReasonTooMany)    // the network has no room
		tries(30, one.ID, elsewhere, devices.ReasonTooMany) // nor the account, and the network loses nothing
		tries(10, other.ID, elsewhere, devices.ReasonWrongCode)
		tries(1, other.ID, "203.0.113.9", devices.ReasonTooMany)
	})
}

// Rule: DEVICE-6
func TestWhatEndsADevice(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		user := w.person(somebody)
		for name, end := range map[string]func(a app){
			"user disabled":   func(app) { w.must(w.Store.SetUserDisabled(t.Context(), w.act(), user.ID, true)) },
			"client disabled": func(a app) { w.must(w.Store.SetClientDisabled(t.Context(), w.act(), a.ID, true)) },
			"signed out":      func(app) { w.must(w.Store.EndSessions(t.Context(), w.act(), user.ID, "")) },
			"consent gone":    func(a app) { w.must(w.Store.WithdrawConsent(t.Context(), w.act(), user.ID, a.ID)) },
			"for others": func(a app) {
				_, err := w.Apps.Update(t.Context(), w.act(), a.ID, apps.Change{Restricted: new(true), ByAdministrator: true})
				w.must(err)
			},
			"no devices any more": func(a app) {
				_, err := w.Apps.Update(t.Context(), w.act(), a.ID, apps.Change{Devices: new(false), ByAdministrator: true})
				w.must(err)
			},
		} {
			a := w.app(apps.Registration{Devices: true, Scopes: []string{"openid", "data:read"}})
			d := w.begin(a)
			w.browser().decide(d, "allow")
			end(a)
			w.Provider.ForgetClients()
			if got := w.poll(d); got.Status != http.StatusBadRequest && got.Status != http.StatusUnauthorized {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
			w.must(w.Store.SetUserDisabled(t.Context(), w.act(), user.ID, false))
		}
	})
}

// Rule: DEVICE-7
func TestOAuth2OfGoSignsInAsADevice(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		a := w.screen()
		config := oauth2.Config{ClientID: a.ID, Scopes: []string{"openid", "data:read"}, Endpoint: oauth2.Endpoint{
			DeviceAuthURL: w.URL + devicePath, TokenURL: w.URL + "/authentication/v2/token", AuthStyle: oauth2.AuthStyleInParams,
		}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		asked, err := config.DeviceAuth(ctx)
		w.must(err)
		w.browser().decide(begun{a, asked.DeviceCode, asked.UserCode}, "allow")
		asked.Interval = 1
		token, err := config.DeviceAccessToken(ctx, asked)
		w.must(err)
		token.Expiry = time.Now().Add(-time.Minute)
		renewed, err := config.TokenSource(ctx, token).Token()
		if err != nil || renewed.AccessToken == token.AccessToken {
			t.Errorf("renewing: %v", err)
		}
	})
}
