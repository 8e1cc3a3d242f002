package people_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/storage"
)

// Rule: ADMIN-27
func TestWhatLeavesTheAuditTrailIsInAFileBefore(t *testing.T) {
	h := newHouse(t)
	audit := h.store.(storage.AuditStore)
	now, folder := h.ambient.Now(), filepath.Join(t.TempDir(), "audit")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for subject, at := range map[string]time.Time{"old": now.Add(-48 * time.Hour), "new": now} {
		must(audit.RecordAudit(t.Context(), storage.AuditEvent{Act: storage.Act{At: at}, Kind: "k", Subject: subject}))
	}
	subjects := func() (all []string) {
		events, _, err := audit.ListAudit(t.Context(), storage.AuditFilter{Kind: "k"}, storage.PageRequest{})
		must(err)
		for _, e := range events {
			all = append(all, e.Subject)
		}
		return all
	}
	for _, want := range []int{1, 0} {
		n, err := h.people.RetireAudit(t.Context(), now.Add(-24*time.Hour), folder, 100)
		must(err)
		if n != want {
			t.Errorf("%d events went, want %d", n, want)
		}
	}
	name := filepath.Join(folder, "audit-"+now.Add(-48*time.Hour).Format("2006-01")+".ndjson")
	text, err := os.ReadFile(name)
	must(err)
	const torn = `{"id":1,"at":"20`
	must(os.WriteFile(name, []byte(torn), 0o600)) // as a full disk leaves it
	must(audit.RecordAudit(t.Context(), storage.AuditEvent{Act: storage.Act{At: now.Add(-48 * time.Hour)},
		Kind: "k", Subject: "older"}))
	if _, err := h.people.RetireAudit(t.Context(), now.Add(-24*time.Hour), folder, 100); err != nil {
		t.Error(err)
	}
	again, err := os.ReadFile(name)
	must(err)
	if lines := strings.Split(string(again), "\n"); len(lines) != 3 || lines[0] != torn || !json.Valid([]byte(lines[1])) {
		t.Errorf("behind what was broken off the file has %s", again)
	}
	if lines := string(text); strings.Count(lines, "\n") != 1 || !strings.Contains(lines, `"subject":"old"`) {
		t.Errorf("the file has %s", lines)
	}
	if _, err := h.people.RetireAudit(t.Context(), now.Add(time.Hour), name, 100); err == nil {
		t.Error("what could not be written was taken out")
	}
	if got := subjects(); len(got) != 1 || got[0] != "new" {
		t.Errorf("the trail has %v", got)
	}
}
