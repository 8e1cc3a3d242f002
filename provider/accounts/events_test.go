package accounts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/provider/accounts"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// counted is a store that counts how often it is asked about an app.
type counted struct {
	*sqlstore.Store
	asked int
}

func (c *counted) ListCalled(ctx context.Context, ids []string) ([]storage.Called, error) {
	c.asked++
	return c.Store.ListCalled(ctx, ids)
}

// Rule: HOME-7
func TestAPageOfEventsNamesItsAppsByOneQuestion(t *testing.T) {
	store, err := sqlstore.Open(t.Context(), engine.Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	act := storage.Act{At: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	for i := range 30 {
		id := fmt.Sprint("app", i)
		detail, err := json.Marshal(map[string]string{"client_id": id})
		if err == nil && i > 0 { // the first is gone
			err = store.CreateClient(t.Context(), act,
				storage.Client{ID: id, Name: "Of " + id, CreatedAt: act.At, UpdatedAt: act.At})
		}
		if err == nil {
			err = store.RecordAudit(t.Context(), storage.AuditEvent{Act: act, Kind: "consent.granted", Subject: "u",
				Detail: string(detail)})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	asked := &counted{Store: store}
	events, _, err := accounts.New(accounts.Options{Store: asked}).Events(t.Context(), "u", storage.PageRequest{})
	if err != nil || len(events) != 30 || asked.asked != 1 {
		t.Fatalf("%d events by %d questions: %v", len(events), asked.asked, err)
	}
	for i, e := range events { // the newest first
		want := fmt.Sprint("Of app", 29-i)
		if i == 29 {
			want = ""
		}
		if e.AppID != fmt.Sprint("app", 29-i) || e.AppName != want {
			t.Errorf("event %d: %+v", i, e)
		}
	}
}

// ofNobody are events after which nobody is there to read of them, and those that are about an
// address, whoever may have it.
var ofNobody = []string{"user.deleted", "user.invited", "user.recovery_asked", "user.sign_up_asked"}

// Rule: HOME-7
func TestAPersonReadsOfAllThatHappensToAnAccount(t *testing.T) {
	store, err := sqlstore.Open(t.Context(), engine.Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	act := storage.Act{At: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	happened := map[string]bool{}
	for _, kind := range people.AuditKinds() {
		if strings.HasPrefix(kind, "user.") && !slices.Contains(ofNobody, kind) || kind == "scim.user_taken_over" {
			happened[kind] = true
			if err := store.RecordAudit(t.Context(), storage.AuditEvent{Act: act, Kind: kind, Subject: "u"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	rules := accounts.New(accounts.Options{Store: store})
	events, _, err := rules.Events(t.Context(), "u", storage.PageRequest{})
	for _, e := range events {
		delete(happened, e.Kind)
	}
	if err != nil || len(events) < 15 || len(happened) > 0 {
		t.Errorf("%d are read, but not %v, %v", len(events), happened, err)
	}
}
