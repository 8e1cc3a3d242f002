package e2e

import (
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// keySets has all signing keys that a server makes for itself, the next ones too, by the
// number of the site in its test: the four RSA keys of a server are a quarter of what all
// tests of whole servers compute. Sites of one test know nothing of each other's.
var keySets sync.Map

// had counts what each test had of a kind.
var had = struct {
	sync.Mutex
	number map[[2]string]int
}{number: map[[2]string]int{}}

// nthOf returns how many of the kind the test had before.
func nthOf(t testing.TB, kind string) int {
	name, _, _ := strings.Cut(t.Name(), "/")
	had.Lock()
	defer had.Unlock()
	n := had.number[[2]string{name, kind}]
	had.number[[2]string{name, kind}]++
	return n
}

// givesKeys gives the site's database keys before a server begins there, if it has a schema
// and none. A site with another secret than the common one makes its own.
func (s *site) givesKeys() {
	s.Helper()
	database := s.setting("DATABASE_URL")
	if path, ok := strings.CutPrefix(database, "sqlite:"); ok {
		if _, err := os.Stat(path); err != nil {
			return
		}
	}
	const secret = "PORTICO_SECRET"
	if slices.ContainsFunc(s.environ, func(one string) bool {
		return strings.HasPrefix(one, secret) && one != secret+"="+siteSecret
	}) {
		return
	}
	store, err := sqlstore.Open(s.Context(), sqlstore.Options{URL: database, Version: version.Number})
	if err != nil {
		return
	}
	defer func() { s.must(store.Close()) }()
	if keys, err := store.ListSigningKeys(s.Context()); err != nil || len(keys) > 0 {
		return
	}
	made, _ := keySets.LoadOrStore(nthOf(s, "site"), sync.OnceValue(func() []storage.SigningKey { return s.makesKeys() }))
	keys := made.(func() []storage.SigningKey)()
	now := time.Now()
	later := now.Sub(keys[0].CreatedAt)
	for _, key := range keys {
		key.CreatedAt, key.ActiveFrom = key.CreatedAt.Add(later), key.ActiveFrom.Add(later)
		s.must(store.AddSigningKey(s.Context(), storage.Act{At: now, Actor: storage.Actor{Kind: storage.ActorSystem}}, key))
	}
}

// makesKeys has a server's first and next keys made.
func (s *site) makesKeys() []storage.SigningKey {
	s.Helper()
	store, err := sqlstore.Open(s.Context(), sqlstore.Options{URL: sqlitetest.URL(s), Version: version.Number})
	s.must(err)
	defer func() { s.must(store.Close()) }()
	ring := must(sealing.New([]byte(siteSecret), nil, ambient.System()))
	set, err := signing.Open(s.Context(), signing.Options{
		Store: store, Ring: ring, Ambient: ambient.System(), Log: slog.New(slog.DiscardHandler),
		Issuer: "https://id.example.test",
	})
	s.must(err)
	_, err = set.Maintain(s.Context())
	s.must(err)
	return must(store.ListSigningKeys(s.Context()))
}
