package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// Rule: FACTOR-19
func TestAnAdministratorMustHaveASecondFactorWhereThatIsDemanded(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database, "SECOND_FACTOR=administrators")
		s.person("admin@example.test", "--admin")
		s.person("person@example.test")
		s.signedIn("person@example.test")
		admin := s.visitor("admin@example.test")
		p, err := admin.open(s.URL + "/login?then=%2Fadmin%2Fsystem")
		s.must(err)
		p, err = admin.submit(p, "login-form", form("username", admin.email, "password", password))
		if err != nil || p.At.Path != "/login/enrol" {
			t.Fatalf("after the password at %s, %v", p.At, err)
		}
		if got := admin.fetch("GET", "/admin/system"); got.Status != http.StatusSeeOther {
			t.Errorf("before the factor is added: %d", got.Status)
		}
		shown, err := admin.submit(p, "enrol-form", form("code", shownCode(secretOf(p.Body), 0)))
		if codes := strings.Fields(inner(shown.Body, "<", `id="revealed-recovery-codes"`, ">")); err != nil ||
			len(codes) != 10 {
			t.Fatalf("recovery codes %q, at %s, %v\n%s", codes, shown.At, err, shown.Body)
		}
		if again, err := admin.open(shown.At.String()); err != nil || again.Status != http.StatusGone {
			t.Errorf("the codes once more: %d, %v", again.Status, err)
		}
		if got := admin.fetch("GET", "/admin/system"); !strings.Contains(got.Body, "Administrators must have one") {
			t.Errorf("afterwards %d\n%s", got.Status, got.Body)
		}
	})
}
