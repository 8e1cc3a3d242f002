package e2e

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestTheBinaryServesKeepsAndStopsWhenTold(t *testing.T) {
	s := newSite(t, "sqlite:"+filepath.Join(t.TempDir(), "portico.db"))
	s.binary = filepath.Join(t.TempDir(), "portico")
	if said, err := exec.Command("go", "build", "-o", s.binary, "../..").CombinedOutput(); err != nil {
		t.Fatalf("building cmd/portico: %v\n%s", err, said)
	}
	first := s.spawn()
	s.person("person@example.test")
	c := s.client()
	token := s.visitor("person@example.test").tokens(c).text("access_token")
	if err := first.stop(); err != nil {
		t.Errorf("told to stop, it ended with %v", err)
	}
	s.spawn()
	if got := s.userInfo(token); got.Status != http.StatusOK {
		t.Errorf("after a stop and a start a token gives %d %s", got.Status, got.Body)
	}
}
