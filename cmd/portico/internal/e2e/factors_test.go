package e2e

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

const (
	securityPath      = "/account/security"
	authenticatorPath = securityPath + "/authenticator"
)

// shownCode is what an authenticator app with the secret shows, so many steps from
// now (RFC 6238).
func shownCode(secret string, steps int64) string {
	key, _ := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	h := hmac.New(sha1.New, key)
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(time.Now().Unix()/30+steps)))
	sum := h.Sum(nil)
	at := sum[19] & 15
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[at:at+4])&0x7fffffff%1e6)
}

func secretOf(page string) string { return inner(page, "<", `id="secret"`, ">") }

// addsAuthenticator adds an app, and notes its secret and the recovery codes.
func (v *visitor) addsAuthenticator() {
	v.Helper()
	p, err := v.open(v.URL + authenticatorPath)
	v.must(err)
	v.authenticator = secretOf(p.Body)
	if p, err = v.submit(p, "authenticator-form", form("code", shownCode(v.authenticator, 0))); err != nil ||
		p.Status != http.StatusOK {
		v.Fatalf("adding: %v, status %d\n%s", err, p.Status, p.Body)
	}
	v.recovery = strings.Fields(inner(p.Body, "<", `id="revealed-recovery-codes"`, ">"))
}

// recoveryCode is one that the visitor has not used, the last first.
func (v *visitor) recoveryCode() (code string) {
	for i := len(v.recovery) - 1; i >= 0 && code == ""; i-- {
		code, v.recovery[i] = v.recovery[i], ""
	}
	return code
}

// typesCode signs in as somebody with an authenticator.
func (s *site) typesCode(email, code string) (*visitor, page) {
	s.Helper()
	v := s.visitor(email)
	p, err := v.open(s.URL + "/login?then=%2Faccount%2Fsecurity")
	s.must(err)
	p, err = v.submit(p, "login-form", form("username", email, "password", password))
	s.must(err)
	if p.At.Path != "/login/code" {
		s.Fatalf("after the password at %s, status %d", p.At, p.Status)
	}
	p, err = v.submit(p, "code-form", form("code", code))
	s.must(err)
	return v, p
}

// Rules: FACTOR-7, FACTOR-8
func TestAPersonAddsAnAuthenticatorAppAndRemovesIt(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		c := connect(s)
		second := start(t, database)
		elsewhere := s.signedIn("person@example.test")
		p, err := c.person.open(s.URL + authenticatorPath)
		s.must(err)
		if !strings.Contains(p.Body, `<svg id="qr"`) || len(secretOf(p.Body)) != 32 {
			t.Fatalf("no QR code:\n%s", p.Body)
		}
		for name, values := range map[string][]string{"nothing": nil, "a wrong code": {"code", "12345"}} {
			got, err := c.person.submit(p, "authenticator-form", form(values...))
			if err != nil || got.Status != http.StatusUnprocessableEntity || secretOf(got.Body) != secretOf(p.Body) {
				t.Errorf("%s: %v, status %d\n%s", name, err, got.Status, got.Body)
			}
		}
		if !c.alive(s) {
			t.Error("tokens end before anything is added")
		}
		c.person.addsAuthenticator()
		if len(c.person.recovery) != 10 {
			t.Fatalf("recovery codes %q", c.person.recovery)
		}
		c.dead(s, "tokens outlive the new factor")
		c.dead(second, "tokens outlive the new factor on another server")
		if got := elsewhere.fetch("GET", securityPath); got.Status != http.StatusSeeOther {
			t.Errorf("another session: %d", got.Status)
		}
		if got := c.person.fetch("GET", securityPath); !strings.Contains(got.Body, "10 are left") {
			t.Errorf("afterwards %d\n%s", got.Status, got.Body)
		}
		s.mailed("person@example.test", "factor-added")

		v, p := s.typesCode("person@example.test", c.person.recovery[0])
		if p.At.Path != securityPath || !strings.Contains(p.Body, "9 are left") {
			t.Fatalf("with a recovery code at %s\n%s", p.At, p.Body)
		}
		if _, p = s.typesCode("person@example.test", c.person.recovery[0]); p.Status != http.StatusUnprocessableEntity {
			t.Errorf("the same again: at %s, status %d", p.At, p.Status)
		}
		if got := v.press(securityPath + "/codes"); !strings.Contains(got.Body, `id="revealed-recovery-codes"`) {
			t.Errorf("new codes: %d\n%s", got.Status, got.Body)
		}
		if _, p = s.typesCode("person@example.test", c.person.recovery[2]); p.Status != http.StatusUnprocessableEntity {
			t.Errorf("a void code: %d", p.Status)
		}
		if got := v.press(securityPath + "/remove"); got.Status != http.StatusSeeOther {
			t.Errorf("removing: %d\n%s", got.Status, got.Body)
		}
		s.mailed("person@example.test", "factor-removed")
		s.signedIn("person@example.test")
		if got := c.person.fetch("GET", securityPath); got.Status != http.StatusSeeOther {
			t.Errorf("the other session outlives the removal: %d", got.Status)
		}
	})
}

// mailed looks whether there is a mail of the kind to somebody.
func (s *site) mailed(to, kind string) {
	s.Helper()
	if list := s.command("", "mail", "list", "--json"); !strings.Contains(list, kind) || !strings.Contains(list, to) {
		s.Errorf("no mail %s to %s: %s", kind, to, list)
	}
}

// Rules: FACTOR-9, FACTOR-16
func TestAnAdministratorRemovesALostFactor(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		adminID := s.person("admin@example.test", "--admin")
		id := s.person("person@example.test")
		admin := s.signedIn("admin@example.test")
		tool := s.client("--redirect-uri", callback, "--scope", "openid user-profile:read account:read account:write")
		token := s.visitor("admin@example.test").withPassword().tokens(tool, "scope",
			"openid account:read account:write").text("access_token")
		lost := "/admin/users/" + id + "/second-factor"
		for name, remove := range map[string]func() bool{
			"page": func() bool { return admin.press(lost).Status == http.StatusSeeOther },
			"API": func() bool {
				return s.api(token, "DELETE", "/users/"+id+"/second-factor", "").Status == http.StatusNoContent
			},
			"command": func() bool {
				return strings.Contains(s.command("", "user", "factor", "remove", "person@example.test", "--yes"), "is removed")
			},
		} {
			person := s.signedIn("person@example.test")
			person.addsAuthenticator()
			if got := admin.fetch("GET", lost); !strings.Contains(got.Body, "Make sure by another way") {
				t.Errorf("%s: the question %d\n%s", name, got.Status, got.Body)
			}
			if got := s.api(token, "GET", "/users/"+id, ""); !strings.Contains(got.Body, `"is_2fa_enabled":true`) {
				t.Errorf("%s: %s", name, got.Body)
			}
			if got := person.press(lost); got.Status != http.StatusForbidden {
				t.Errorf("%s: somebody else removes it: %d", name, got.Status)
			}
			if !remove() {
				t.Errorf("%s: it is not removed", name)
			}
			if got := person.fetch("GET", securityPath); got.Status != http.StatusSeeOther {
				t.Errorf("%s: the session outlives it: %d", name, got.Status)
			}
			s.signedIn("person@example.test") // with the password alone
		}
		s.mailed("person@example.test", "factor-removed")
		trail := s.command("", "audit", "list", "--kind", "user.factor_removed", "--ndjson")
		if strings.Count(trail, "user.factor_removed") != 3 || strings.Count(trail, adminID) != 2 ||
			strings.Count(trail, "operator") != 1 {
			t.Errorf("the trail has %s", trail)
		}
		if got := s.api(token, "DELETE", "/users/"+id+"/second-factor", ""); got.Status != http.StatusNotFound {
			t.Errorf("none to remove: %d", got.Status)
		}
		admin.addsAuthenticator()
		if got := admin.press("/admin/users/" + adminID + "/second-factor"); got.Status != http.StatusConflict {
			t.Errorf("an administrator gets around their own: %d", got.Status)
		}
	})
}
