package websession_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

const (
	idle     = time.Hour
	absolute = 3 * time.Hour
)

// house is a manager over a real SQLite file, with a person who signs in.
type house struct {
	*websession.Manager
	store  storage.Identity
	source *ambient.Source
	clock  *ambient.FixedClock
	user   storage.User
}

func newHouse(t *testing.T) *house {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{
		URL: sqlitetest.URL(t), Version: "1.0.0", Migrate: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	source, clock := ambient.Fixed(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), 1)
	h := &house{store: store, source: source, clock: clock}
	h.addUser(t, "user@example.test")
	ring, err := sealing.New([]byte(strings.Repeat("k", sealing.MinSecret)), nil, source)
	if err != nil {
		t.Fatal(err)
	}
	h.Manager = websession.New(websession.Options{Store: store, Ring: ring, Ambient: source, Secure: true,
		Idle: idle, Absolute: absolute})
	return h
}

func (h *house) act() storage.Act {
	return storage.Act{At: h.clock.Now(), Actor: storage.Actor{Kind: storage.ActorSystem},
		RequestID: "req-1", Address: "192.0.2.1"}
}

// addUser adds a person, who is from now on the one that signs in.
func (h *house) addUser(t *testing.T, email string) {
	t.Helper()
	h.user = storage.User{ID: h.source.PersonID(), Email: email, CreatedAt: h.clock.Now(), UpdatedAt: h.clock.Now()}
	if err := h.store.CreateUser(t.Context(), h.act(), h.user, ""); err != nil {
		t.Fatal(err)
	}
}

// signIn starts a session in answer to a request with the cookies, and returns
// it with the one that was set.
func (h *house) signIn(t *testing.T, presented ...*http.Cookie) (storage.LoginSession, *http.Cookie) {
	t.Helper()
	w := httptest.NewRecorder()
	session, err := h.Start(w, request(presented...), h.user, "urn:portico:acr:1", []string{"pwd"}, h.act())
	if err != nil {
		t.Fatal(err)
	}
	return session, onlyCookie(t, w)
}

// mustFind reports whether a request with the cookies is of a signed-in person.
func (h *house) mustFind(t *testing.T, cookies ...*http.Cookie) (websession.Session, bool) {
	t.Helper()
	session, found, err := h.Find(request(cookies...))
	if err != nil {
		t.Fatal(err)
	}
	return session, found
}

func request(cookies ...*http.Cookie) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "https://id.example.test/login", nil)
	r.Header.Set("User-Agent", "Browser/1.0")
	for _, c := range cookies {
		r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	}
	return r
}

func onlyCookie(t *testing.T, w *httptest.ResponseRecorder) *http.Cookie {
	t.Helper()
	cookies := w.Result().Cookies()
	if len(cookies) != 1 {
		t.Fatalf("%d cookies were set, want 1", len(cookies))
	}
	return cookies[0]
}
