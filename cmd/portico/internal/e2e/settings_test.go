package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// forget takes settings out of what the command line is told.
func (s *site) forget(names ...string) {
	s.environ = slices.DeleteFunc(slices.Clone(s.environ), func(setting string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(setting, "PORTICO_"+name+"=") })
	})
}

// Rules: ACCOUNT-6, SERVER-26
func TestTheCommandLineAgreesWithTheServerOnItsDatabase(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		const domain = "robots.example.test"
		s := start(t, database, "SERVICE_ACCOUNT_EMAIL_DOMAIN="+domain, "SERVICE_ACCOUNT_EXPIRY=36h")
		s.forget("LISTEN", "SERVICE_ACCOUNT_EMAIL_DOMAIN", "SERVICE_ACCOUNT_EXPIRY")
		r := s.robot()
		if r.TokenURL != s.URL+tokenPath {
			t.Errorf("a key is for %s, and the server is %s", r.TokenURL, s.URL)
		}
		var account struct {
			Email     string    `json:"email"`
			CreatedAt time.Time `json:"created_at"`
			ExpiresAt time.Time `json:"expires_at"`
		}
		s.commandJSON(&account, "", "service-account", "show", r.AccountID)
		if want := "robot@" + r.owner.ID + "." + domain; account.Email != want {
			t.Errorf("the account's address is %s, want %s", account.Email, want)
		}
		if life := account.ExpiresAt.Sub(account.CreatedAt); life != 36*time.Hour {
			t.Errorf("an account lasts %v", life)
		}
		s.person("person@example.test")
		var link struct{ URL string }
		s.commandJSON(&link, "", "user", "password-link", "person@example.test")
		if !strings.HasPrefix(link.URL, s.URL+"/password?") {
			t.Errorf("a link leads to %s", link.URL)
		}
		s.environ = append(s.environ, "PORTICO_BASE_URL=https://id.example.test")
		s.commandJSON(&link, "", "user", "password-link", "person@example.test")
		if !strings.HasPrefix(link.URL, "https://id.example.test/password?") {
			t.Errorf("told another base URL, a link leads to %s", link.URL)
		}
	})
}
