package e2e

import (
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"

	"github.com/portico-id/portico/internal/harness/passkeytest"
)

const passkeyPath = securityPath + "/passkey"

var (
	challengeInPage = regexp.MustCompile(`data-challenge="([^"]+)"`)
	personInPage    = regexp.MustCompile(`data-user="([^"]+)"`)
	removalInPage   = regexp.MustCompile(`href="` + passkeyPath + `/([^"]+)"`)
)

func found(in *regexp.Regexp, body string) string {
	if m := in.FindStringSubmatch(body); m != nil {
		return m[1]
	}
	return ""
}

// addsPasskey adds a passkey of a device that is made for it, and notes the
// recovery codes if it is the first factor.
func (v *visitor) addsPasskey() *passkeytest.Passkey { return v.addsPasskeyNamed("Phone") }

// addsPasskeyNamed is addsPasskey of a device with the name.
func (v *visitor) addsPasskeyNamed(label string) *passkeytest.Passkey {
	v.Helper()
	p, err := v.open(v.URL + passkeyPath)
	v.must(err)
	user, err := base64.RawURLEncoding.DecodeString(found(personInPage, p.Body))
	v.must(err)
	key := passkeytest.New("localhost", v.URL, string(user))
	p, err = v.submit(p, "passkey-form", form("label", label, "passkey", key.Made(found(challengeInPage, p.Body))))
	if err != nil || p.Status != http.StatusOK {
		v.Fatalf("adding a passkey: %v, status %d\n%s", err, p.Status, p.Body)
	}
	if codes := strings.Fields(inner(p.Body, "<", `id="revealed-recovery-codes"`, ">")); len(codes) > 0 {
		v.recovery = codes
	}
	return key
}

// passkeyID is what the server calls the visitor's first passkey.
func (v *visitor) passkeyID() string {
	v.Helper()
	return found(removalInPage, v.fetch("GET", securityPath).Body)
}

// usesPasskey signs in with a passkey alone.
func (s *site) usesPasskey(email string, key *passkeytest.Passkey) (*visitor, page) {
	s.Helper()
	v := s.visitor(email)
	p, err := v.open(s.URL + "/login?then=%2Faccount%2Fsecurity")
	s.must(err)
	p, err = v.submit(p, "passkey-form", form("passkey", key.Used(found(challengeInPage, p.Body))))
	s.must(err)
	return v, p
}

// Rule: FACTOR-17
func TestAPasskeyEndsWhatWasBegunBeforeItOnEveryServer(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		c := connect(s)
		second := start(t, database)
		elsewhere := s.signedIn("person@example.test")
		key := c.person.addsPasskey()
		if len(c.person.recovery) != 10 {
			t.Fatalf("recovery codes %q", c.person.recovery)
		}
		c.dead(s, "tokens outlive the new passkey")
		c.dead(second, "tokens outlive the new passkey on another server")
		if got := elsewhere.fetch("GET", securityPath); got.Status != http.StatusSeeOther {
			t.Errorf("another session: %d", got.Status)
		}
		s.mailed("person@example.test", "factor-added")
		v, p := s.usesPasskey("person@example.test", key)
		if p.At.Path != securityPath || !strings.Contains(p.Body, "Phone") {
			t.Fatalf("with the passkey at %s, %d\n%s", p.At, p.Status, p.Body)
		}
		if got := v.press(passkeyPath + "/" + v.passkeyID()); got.Status != http.StatusSeeOther {
			t.Errorf("removing: %d\n%s", got.Status, got.Body)
		}
		s.mailed("person@example.test", "factor-removed")
		if got := c.person.fetch("GET", securityPath); got.Status != http.StatusSeeOther {
			t.Errorf("the other session outlives the removal: %d", got.Status)
		}
		if _, p := s.usesPasskey("person@example.test", key); p.Status != http.StatusUnprocessableEntity {
			t.Errorf("the removed passkey: at %s, status %d", p.At, p.Status)
		}
		s.signedIn("person@example.test")
	})
}

// Rule: FACTOR-17
func TestAPasskeyIsAddedOnce(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("person@example.test")
	v := s.signedIn("person@example.test")
	p, err := v.open(s.URL + passkeyPath)
	s.must(err)
	key := passkeytest.New("localhost", s.URL, "somebody")
	forms := formsOf(v, passkeyPath, p.Body)
	var own pageForm
	for _, one := range forms {
		if one.at.Path == passkeyPath {
			own = one
		}
	}
	for name, fields := range map[string][]string{"no answer": {"label", "x"},
		"no name": {"passkey", key.Made(found(challengeInPage, p.Body))}} {
		if got := v.press(passkeyPath, fields...); got.Status != http.StatusUnprocessableEntity ||
			!strings.Contains(got.Body, `id="form-errors"`) {
			t.Errorf("%s: %d", name, got.Status)
		}
	}
	own.fields.Set("passkey", key.Made(found(challengeInPage, p.Body)))
	first, again := v.sends(own), v.sends(own)
	if to := first.Header.Get("Location"); !strings.HasPrefix(to, "/shown/") || again.Header.Get("Location") != to {
		t.Errorf("%d to %s, and again %d to %s", first.Status, to, again.Status, again.Header.Get("Location"))
	}
	if got := v.press(passkeyPath, "label", "x", "passkey",
		key.Made(found(challengeInPage, v.fetch("GET", passkeyPath).Body))); got.Status != http.StatusUnprocessableEntity &&
		got.Status != http.StatusConflict {
		t.Errorf("the same key once more: %d", got.Status)
	}
}

// A device would keep, and offer from then on, a passkey that the server has refused.
//
// Rule: FACTOR-17
func TestAPasskeyIsNamedBeforeADeviceIsAsked(t *testing.T) {
	t.Parallel()
	s := start(t, sqliteURL(t))
	s.person("person@example.test")
	b := newTab(t, chromium(t), true)
	b.device()(false)
	b.continues(s.signedIn("person@example.test"))
	b.open(s.URL + passkeyPath)
	b.write("label", " ")
	b.click("passkey-form-submit")
	b.says("error-label", "name")
}

// device gives the tab a device that keeps passkeys, and knows its person. It
// answers by itself while present.
func (b *tab) device() (present func(bool)) {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, webauthn.Enable, webauthn.EnableParams{}); err != nil {
		b.Fatal(err)
	}
	got, err := chromedp.Call(b.ctx, webauthn.AddVirtualAuthenticator,
		webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
			HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
		}})
	if err != nil {
		b.Fatal(err)
	}
	return func(is bool) {
		_, err := chromedp.Call(b.ctx, webauthn.SetAutomaticPresenceSimulation,
			webauthn.SetAutomaticPresenceSimulationParams{AuthenticatorID: got.AuthenticatorID, Enabled: is})
		if err != nil {
			b.Fatal(err)
		}
	}
}
