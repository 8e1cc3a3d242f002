package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Rule: REFRESH-13
func TestARestoredDatabaseTakesNoHonestRefreshForReuse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "portico.db")
	s := newSite(t, "sqlite:"+file)
	s.desk.away = true
	process := s.spawn()
	s.person("person@example.test")
	c := s.client()
	token := s.visitor("person@example.test").tokens(c).text("refresh_token")
	backup := filepath.Join(dir, "backup.db")
	execute(t, "sqlite", file, "VACUUM INTO '"+backup+"'")
	for range 3 {
		token = s.refresh(c, token).text("refresh_token")
	}
	s.must(process.stop())
	for _, old := range []string{file, file + "-wal", file + "-shm"} {
		s.must(os.RemoveAll(old))
	}
	s.must(os.Rename(backup, file))
	s.spawn()
	got := s.refresh(c, token)
	if got.Status != http.StatusOK {
		t.Fatalf("the newest token, after the restore: %d %s", got.Status, got.Body)
	}
	if said := s.command("", "audit", "list"); !strings.Contains(said, "grant.caught_up") {
		t.Errorf("the audit trail does not tell of it: %s", said)
	}
	forged := strings.Repeat("A", 22) + token[22:] // the id of a grant that nobody gave
	if got := s.refresh(c, forged); !got.is(http.StatusBadRequest, "invalid_grant") {
		t.Errorf("a token that nobody issued: %d %s", got.Status, got.Body)
	}
	if got := s.refresh(c, got.text("refresh_token")); got.Status != http.StatusOK {
		t.Errorf("the next one: %d %s", got.Status, got.Body)
	}
}
