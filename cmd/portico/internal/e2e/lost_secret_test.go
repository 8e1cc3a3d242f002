package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Rules: KEY-12
func TestAServerGoesOnWithANewSecretWhenTheOldIsLost(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := newSite(t, database)
		s.person("editor@example.test")
		app := s.client("--redirect-uri", callback)
		server := s.spawn()
		before := s.visitor("editor@example.test").tokens(app).text("access_token")
		if s.userInfo(before).Status != http.StatusOK {
			t.Fatal("the token is not good")
		}
		_, trouble := s.commanded("", "key", "forget", "--sealed", "--yes")
		if !strings.Contains(trouble, "opens the signing keys") {
			t.Errorf("with the secret that opens them: %s", trouble)
		}
		s.must(server.stop())
		at := slices.IndexFunc(s.environ, func(v string) bool { return strings.HasPrefix(v, "PORTICO_SECRET=") })
		s.environ[at] += ", and another one"
		if _, trouble := s.commanded("", "key", "list"); !strings.Contains(trouble, "does not open the signing keys") {
			t.Errorf("with another secret: %s", trouble)
		}
		if _, trouble := s.commanded("", "key", "forget", "--sealed"); !strings.Contains(trouble, "--yes") {
			t.Errorf("without a word: %s", trouble)
		}
		s.command("", "key", "forget", "--sealed", "--yes")
		s.spawn()
		if s.userInfo(before).Status != http.StatusUnauthorized {
			t.Error("a token of a forgotten key is good")
		}
		after := s.visitor("editor@example.test").tokens(app).text("access_token")
		if s.userInfo(after).Status != http.StatusOK {
			t.Error("a new token is not good")
		}
	})
}
