package moving_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/moving"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// house is a Moving over a SQLite file of its own.
type house struct {
	*testing.T
	moving *moving.Moving
	store  *sqlstore.Store
	act    storage.Act
}

func newHouse(t *testing.T) *house {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	source, _ := ambient.Fixed(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC), 1)
	return &house{T: t, store: store, moving: moving.New(moving.Options{Store: store, Ambient: source,
		CheckGroup: people.CheckGroup, Client: apps.New(apps.Options{Store: store, Ambient: source}).Arrived,
		SetField: setField}), act: storage.Act{At: source.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}}
}

func setField(user *storage.User, field, value string) error {
	return people.Set(user, people.Setting{Field: field, Value: value})
}

func fits(field, value string) bool { return setField(new(storage.User), field, value) == nil }

func (h *house) imports(how moving.How, lines ...string) moving.Report {
	h.Helper()
	report, err := h.moving.Import(h.Context(), h.act, strings.NewReader(strings.Join(lines, "\n")), how)
	if err != nil {
		h.Fatal(err)
	}
	return report
}

// kept returns how many people, groups and clients there are.
func (h *house) kept() [3]int {
	h.Helper()
	users, err := h.store.ListUsers(h.Context(), storage.UserFilter{}, storage.PageRequest{})
	if err != nil {
		h.Fatal(err)
	}
	groups, err := h.store.ListUserGroups(h.Context(), "", storage.PageRequest{})
	if err != nil {
		h.Fatal(err)
	}
	clients, err := h.store.ListClients(h.Context(), storage.ClientFilter{}, storage.PageRequest{})
	if err != nil {
		h.Fatal(err)
	}
	return [3]int{users.Total, groups.Total, clients.Total}
}

// converted is the document of files in testdata.
func converted(t *testing.T, from string, names ...string) (string, error) {
	t.Helper()
	var files []io.Reader
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, bytes.NewReader(text))
	}
	var out strings.Builder
	err := moving.Convert(from, files, &out, fits)
	return out.String(), err
}
