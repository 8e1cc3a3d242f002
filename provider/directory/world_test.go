package directory_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/harness/ldaptest"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/provider/directory"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// world is directories over a real database.
type world struct {
	testing.TB
	Store *sqlstore.Store
	Rules *directory.Directories
	said  *bytes.Buffer

	ambient *ambient.Source
	ahead   atomic.Int64
}

func newWorld(t testing.TB, database string) *world {
	t.Helper()
	w := &world{TB: t, said: new(bytes.Buffer)}
	w.ambient = ambient.New(func() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) },
		ambient.System().Random())
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{URL: database, Version: "0.1.0", Migrate: true})
	w.must(err)
	t.Cleanup(func() { _ = store.Close() })
	w.Store = store
	ring, err := sealing.New([]byte(strings.Repeat("k", 32)), nil, w.ambient)
	w.must(err)
	w.Rules = directory.New(directory.Options{Store: store, Ambient: w.ambient, Ring: ring,
		Log: slog.New(slog.NewTextHandler(w.said, nil)),
		Set: func(user *storage.User, field, value string) error {
			return people.Set(user, people.Setting{Field: field, Value: value})
		}})
	return w
}

func onSQLite(t testing.TB) *world { return newWorld(t, sqlitetest.URL(t)) }

func eachEngine(t *testing.T, test func(t *testing.T, w *world)) {
	t.Run("sqlite", func(t *testing.T) { test(t, onSQLite(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, newWorld(t, pgtest.URL(t))) })
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) wait(d time.Duration) { w.ahead.Add(int64(d)) }

func (w *world) act() storage.Act {
	return storage.Act{At: w.ambient.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}
}

// config is what a directory of ldaptest needs.
func config(more map[string]any) directory.Change {
	c := map[string]any{"bind_dn": ldaptest.Service, "base": ldaptest.People, "group_base": ldaptest.Groups,
		"networks": []string{"127.0.0.0/8"}, "vouches_for": []string{"works.test"}}
	for name, value := range more {
		c[name] = value
	}
	text, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	return directory.Change{Config: text, Secret: new(ldaptest.Password)}
}

// works makes the slapd the directory works.
func (w *world) works(s *ldaptest.Slapd, more map[string]any) {
	w.Helper()
	all := map[string]any{"hosts": []string{s.TLS}, "ca": s.CA}
	for name, value := range more {
		all[name] = value
	}
	_, err := w.Rules.Create(w.Context(), w.act(), "works", "openldap", config(all))
	w.must(err)
}

// set changes the directory.
func (w *world) set(more map[string]any) {
	w.Helper()
	w.wait(10 * time.Microsecond)
	text, err := json.Marshal(more)
	w.must(err)
	_, err = w.Rules.Set(w.Context(), w.act(), "works", directory.Change{Config: text, Secret: new(ldaptest.Password)})
	w.must(err)
}

// try signs somebody in as the sign-in page does.
func (w *world) try(login, password string) (websession.SignIn, bool, error) {
	w.Helper()
	user, hash, err := w.Store.FindUserByLogin(w.Context(), login)
	if err != nil && !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Invalid) { // a NUL is in no name here
		w.Fatal(err)
	}
	return w.Rules.Judge(w.Context(), storage.Typed{Login: login, Password: password, User: user, HasHash: hash != ""},
		func() error { return nil })
}

// in reports whether the directory lets somebody in.
func (w *world) in(login, password string) bool {
	w.Helper()
	_, asked, err := w.try(login, password)
	if err != nil && !fault.Is(err, fault.Unauthenticated) {
		w.Logf("%s: %v, cause %v", login, err, fault.From(err).Unwrap())
	}
	return asked && err == nil
}

// person adds a user with a password, whose address is proven.
func (w *world) person(email string) storage.User {
	w.Helper()
	user := storage.User{ID: w.ambient.PersonID(), Email: email, EmailVerified: true, CreatedAt: w.ambient.Now(),
		UpdatedAt: w.ambient.Now(), Profile: storage.Profile{Name: email}}
	w.must(w.Store.CreateUser(w.Context(), w.act(), user, "hash"))
	return user
}

func (w *world) walk(gone bool) storage.DirectoryWalk {
	w.Helper()
	said, err := w.Rules.Walk(w.Context(), "works", gone)
	if err != nil {
		w.Logf("the walk says %v, cause %v", err, fault.From(err).Unwrap())
	}
	return said
}

func (w *world) groupsOf(userID string) (names []string) {
	w.Helper()
	groups, err := w.Store.ListGroupsOfUser(w.Context(), userID)
	w.must(err)
	for _, g := range groups {
		names = append(names, g.Name)
	}
	return names
}

func (w *world) user(login string) storage.User {
	w.Helper()
	user, _, err := w.Store.FindUserByLogin(w.Context(), login)
	w.must(err)
	return user
}

// changed is a change of the fields that the JSON names.
func changed(config string) directory.Change {
	return directory.Change{Config: json.RawMessage(config)}
}

// exclusively is whether people of the domain sign in by the directory alone.
func exclusively(yes bool) directory.Change {
	return directory.Change{Exclusive: &yes, Domains: &[]string{"works.test"}}
}
