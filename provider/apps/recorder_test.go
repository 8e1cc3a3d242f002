package apps_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// recorded is a recorder over a database with one web client.
func recorded(t *testing.T) (*apps.Recorder, *sqlstore.Store, storage.Client) {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	h := newHouse(t)
	client := storage.Client{
		ID: "c1", Name: "n", Type: storage.ClientWeb, Profile: storage.ProfileStandard, CreatedAt: h.ambient.Now(),
		UpdatedAt: h.ambient.Now(),
		Secrets:   []storage.ClientSecret{{ID: "s1", Hash: []byte("x"), CreatedAt: h.ambient.Now()}},
	}
	if err := store.CreateClient(t.Context(), h.act(), client); err != nil {
		t.Fatal(err)
	}
	return apps.NewRecorder(store, slog.New(slog.DiscardHandler)), store, client
}

var noon = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)

func failure(got string) storage.ClientFailure {
	return storage.ClientFailure{ClientID: "c1", At: noon, Kind: storage.FailureScope, Got: got, Expected: "openid",
		Times: 1, RequestID: "r"}
}

// Rule: PORTAL-9
func TestTheRecorderWritesUsesAndCountsTheSameFailure(t *testing.T) {
	r, store, client := recorded(t)
	r.SecretUsed("s1", noon.Add(time.Minute))
	r.SecretUsed("s1", noon)
	for range 3 {
		r.Failed(failure("a"))
	}
	r.Failed(failure("b"))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	found, err := store.FindClient(t.Context(), client.ID)
	if err != nil || !found.Secrets[0].LastUsedAt.Equal(noon.Add(time.Minute)) {
		t.Errorf("last used %v, %v", found.Secrets, err)
	}
	list, err := store.ListClientFailures(t.Context(), client.ID, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]int{}
	for _, f := range list {
		times[f.Got] = f.Times
	}
	if diff := cmp.Diff(map[string]int{"a": 3, "b": 1}, times); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Rule: PORTAL-8
func TestAFloodOfFailuresCostsTwentyRowsAndLongTextsAreCut(t *testing.T) {
	r, store, client := recorded(t)
	r.Failed(failure("0" + strings.Repeat("\x00é", 2000) + "\xff"))
	for i := range 1000 {
		r.Failed(failure(fmt.Sprint("n", i)))
	}
	if err := r.Flush(); err != nil {
		t.Fatal(err)
	}
	list, err := store.ListClientFailures(t.Context(), client.ID, time.Unix(0, 0))
	if err != nil || len(list) != 20 {
		t.Fatalf("%d rows, %v", len(list), err)
	}
	longest := 0
	for _, f := range list {
		longest = max(longest, len([]rune(f.Got)))
	}
	if longest != 501 {
		t.Errorf("%d characters are kept", longest)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// broken is a store that is away for a while.
type broken struct{ *sqlstore.Store }

func (broken) MarkSecretsUsed(context.Context, map[string]time.Time) error {
	return errors.New("away")
}

func TestUsesThatCannotBeWrittenWait(t *testing.T) {
	_, store, _ := recorded(t)
	r := apps.NewRecorder(broken{store}, slog.New(slog.DiscardHandler))
	r.SecretUsed("s1", noon)
	if err := r.Flush(); err == nil {
		t.Error("no error")
	}
	if err := r.Close(); err == nil {
		t.Error("the use was forgotten")
	}
}
