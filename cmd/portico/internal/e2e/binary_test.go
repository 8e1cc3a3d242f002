package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// build has the site's processes run the program as it is released, whatever
// this binary is: compiled in that way most of it is in Go's cache.
func (s *site) build() {
	s.Helper()
	s.binary = filepath.Join(s.TempDir(), "portico")
	cmd := exec.Command("go", releaseBuild(s.binary, "../..")...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("building cmd/portico: %v\n%s", err, said)
	}
}

func releaseBuild(into, of string) []string {
	return []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", into, of}
}

func TestTheBinaryServesKeepsAndStopsWhenTold(t *testing.T) {
	t.Parallel()
	database := "sqlite:" + filepath.Join(t.TempDir(), "portico.db")
	s := newSite(t, database)
	s.build()
	first := s.spawn()
	s.person("person@example.test")
	c := s.client()
	token := s.visitor("person@example.test").tokens(c).text("access_token")
	// The command hashed the password cheaply, and the sign-in as the program does.
	if kept := s.keptHash(database, "person@example.test"); !strings.HasPrefix(kept, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("the password is kept as %s", kept)
	}
	if err := first.stop(); err != nil {
		t.Errorf("told to stop, it ended with %v", err)
	}
	s.spawn()
	if got := s.userInfo(token); got.Status != http.StatusOK {
		t.Errorf("after a stop and a start a token gives %d %s", got.Status, got.Body)
	}
}
