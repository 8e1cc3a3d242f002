package people_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/internal/password"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

const goodPassword = "correct horse battery staple"

// house is People over a SQLite file of its own.
type house struct {
	people  *people.People
	store   storage.Identity
	hasher  *password.Hasher
	ambient *ambient.Source
}

func newHouse(t *testing.T) *house {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	source, _ := ambient.Fixed(time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC), 1)
	hasher := password.New(source)
	return &house{people.New(people.Options{Store: store, Ambient: source, Passwords: hasher,
		BaseURL: "https://id.example.test:8443"}), store, hasher, source}
}

// Rule: PASS-1
func TestTheServersHostIsNoPassword(t *testing.T) {
	h := newHouse(t)
	user := h.create(t, people.Newcomer{Email: "somebody@example.test", Name: "Somebody"})
	if err := h.people.SetPassword(t.Context(), h.act(), user, "ID.example.test",
		""); !fault.HasReason(err, password.ReasonWeak) {
		t.Errorf("the host: %v", err)
	}
	if err := h.people.SetPassword(t.Context(), h.act(), user, "id.example.test vxkq", ""); err != nil {
		t.Errorf("the host with more to it: %v", err)
	}
}

func (h *house) act() storage.Act {
	return storage.Act{At: h.ambient.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}
}

func (h *house) create(t *testing.T, newcomer people.Newcomer) storage.User {
	t.Helper()
	user, err := h.people.Create(t.Context(), h.act(), newcomer)
	if err != nil {
		t.Fatal(err)
	}
	return user
}

func (h *house) user(t *testing.T, email string) storage.User {
	t.Helper()
	return h.create(t, people.Newcomer{Email: email, Name: "Person"})
}

func (h *house) find(t *testing.T, handle string) storage.User {
	t.Helper()
	user, err := h.people.Find(t.Context(), handle)
	if err != nil {
		t.Fatal(err)
	}
	return user
}

func (h *house) update(t *testing.T, id string, settings ...people.Setting) storage.User {
	t.Helper()
	user, err := h.people.Update(t.Context(), h.act(), id, people.Change{Settings: settings})
	if err != nil {
		t.Fatal(err)
	}
	return user
}

func TestANewUserIsFoundByIDAddressAndName(t *testing.T) {
	h := newHouse(t)
	user := h.create(t, people.Newcomer{Email: " Person@Example.test ", Name: "A Person", Username: "a.person",
		Password: goodPassword, Admin: true, EmailVerified: true})
	if len(user.ID) != 16 || user.Email != "Person@Example.test" || !user.Admin || !user.EmailVerified {
		t.Errorf("created %+v", user)
	}
	for _, handle := range []string{user.ID, "person@example.test", "A.Person"} {
		if diff := cmp.Diff(user, h.find(t, handle)); diff != "" {
			t.Errorf("%s -want +got:\n%s", handle, diff)
		}
	}
	if _, err := h.people.Find(t.Context(), ""); !fault.HasReason(err, people.ReasonNoUser) ||
		!strings.Contains(err.Error(), "Nobody is named") {
		t.Errorf("without a name: %v", err)
	}
	if _, err := h.people.Find(t.Context(), "nobody"); !fault.HasReason(err, people.ReasonNoUser) ||
		!fault.Is(err, fault.NotFound) {
		t.Errorf("an absent user: %v", err)
	}
}

// Rule: PASS-4
func TestThePasswordIsKeptAsAHash(t *testing.T) {
	h := newHouse(t)
	user := h.create(t, people.Newcomer{Email: "person@example.test", Name: "Person", Password: goodPassword})
	h.wantPassword(t, user, goodPassword, true)
	const next = "another fine passphrase"
	if err := h.people.SetPassword(t.Context(), h.act(), user, next, ""); err != nil {
		t.Fatal(err)
	}
	h.wantPassword(t, user, goodPassword, false)
	h.wantPassword(t, user, next, true)

	for _, weak := range []string{"", "short", "person@example.test"} {
		if err := h.people.SetPassword(t.Context(), h.act(), user, weak, ""); !fault.HasReason(err, password.ReasonWeak) ||
			fault.From(err).Source != "password" {
			t.Errorf("%q: %v", weak, err)
		}
	}
	h.wantPassword(t, user, next, true)
	if err := h.people.SetPassword(t.Context(), h.act(), storage.User{ID: "ABSENT"}, next,
		""); !fault.Is(err, fault.NotFound) {
		t.Errorf("an absent user: %v", err)
	}
}

func (h *house) wantPassword(t *testing.T, user storage.User, plain string, want bool) {
	t.Helper()
	hash, err := h.store.FindPasswordHash(t.Context(), user.ID)
	if err != nil {
		t.Fatal(err)
	}
	if ok, _, err := h.hasher.Verify(t.Context(), hash, plain); ok != want || err != nil {
		t.Errorf("password %q: %v, %v", plain, ok, err)
	}
}

func TestAddressesAndNamesAreUniqueAndSaySoAtTheirField(t *testing.T) {
	h := newHouse(t)
	h.create(t, people.Newcomer{Email: "person@example.test", Name: "Person", Username: "person"})
	other := h.create(t, people.Newcomer{Email: "other@example.test", Name: "Person", Username: "other"})
	for field, clash := range map[string]people.Newcomer{
		"email":              {Email: "PERSON@example.test", Name: "Person"},
		"preferred_username": {Email: "third@example.test", Name: "Person", Username: "Person"},
	} {
		if _, err := h.people.Create(t.Context(), h.act(), clash); !fault.Is(err, fault.Conflict) ||
			fault.From(err).Source != field {
			t.Errorf("creating with a taken %s: %v", field, err)
		}
	}
	for field, value := range map[string]string{"email": "Person@example.test", "preferred_username": "PERSON"} {
		_, err := h.people.Update(t.Context(), h.act(), other.ID, people.Change{Settings: []people.Setting{{field, value}}})
		if !fault.Is(err, fault.Conflict) || fault.From(err).Source != field {
			t.Errorf("changing to a taken %s: %v", field, err)
		}
	}
}

func TestDisabledUsersComeBackEnabled(t *testing.T) {
	h := newHouse(t)
	user := h.user(t, "person@example.test")
	if err := h.people.Disable(t.Context(), h.act(), user, false); err != nil {
		t.Fatal(err)
	}
	if !h.find(t, user.ID).Disabled {
		t.Error("still enabled")
	}
	if err := h.people.Enable(t.Context(), h.act(), user); err != nil {
		t.Fatal(err)
	}
	if h.find(t, user.ID).Disabled {
		t.Error("still disabled")
	}
	if err := h.people.Delete(t.Context(), h.act(), user, false); err != nil {
		t.Fatal(err)
	}
	if err := h.people.Delete(t.Context(), h.act(), user, false); !fault.Is(err, fault.NotFound) {
		t.Errorf("deleting twice: %v", err)
	}
}

// Rule: ADMIN-18
func TestTheLastAdministratorStaysUnlessForced(t *testing.T) {
	no := false
	acts := map[string]func(*house, *testing.T, storage.User, bool) error{
		"disable": func(h *house, t *testing.T, u storage.User, force bool) error {
			return h.people.Disable(t.Context(), h.act(), u, force)
		},
		"delete": func(h *house, t *testing.T, u storage.User, force bool) error {
			return h.people.Delete(t.Context(), h.act(), u, force)
		},
		"demote": func(h *house, t *testing.T, u storage.User, force bool) error {
			_, err := h.people.Update(t.Context(), h.act(), u.ID, people.Change{Admin: &no, Force: force})
			return err
		},
	}
	for name, act := range acts {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			first := h.create(t, people.Newcomer{Email: "first@example.test", Name: "First", Admin: true})
			second := h.create(t, people.Newcomer{Email: "second@example.test", Name: "Second", Admin: true})
			if err := act(h, t, second, false); err != nil {
				t.Fatalf("one of two: %v", err)
			}
			if err := act(h, t, first, false); !fault.Is(err, fault.Conflict) || !fault.HasReason(err, storage.ReasonLastAdmin) {
				t.Errorf("the last one: %v", err)
			}
			if got := h.find(t, first.ID); !got.Admin || got.Disabled {
				t.Errorf("the refusal changed %+v", got)
			}
			if err := act(h, t, first, true); err != nil {
				t.Errorf("forced: %v", err)
			}
		})
	}
}

func TestUsersAreListedByQuery(t *testing.T) {
	h := newHouse(t)
	h.user(t, "first@example.test")
	second := h.user(t, "second@example.test")
	got, err := h.people.List(t.Context(), storage.UserFilter{Query: "SECOND"}, storage.PageRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(storage.Listing[storage.User]{Rows: []storage.User{second}, Total: 1}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
