package people_test

import (
	"context"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage"
)

// between is a store where something happens each time that a user was read.
type between struct {
	storage.Identity
	happens func(storage.User)
}

func (b between) FindUser(ctx context.Context, id string) (storage.User, error) {
	user, err := b.Identity.FindUser(ctx, id)
	b.happens(user)
	return user, err
}

// Rule: JOIN-6
func TestAnEditOfAProfileBringsBackNothingThatWasChangedMeanwhile(t *testing.T) {
	h := newHouse(t)
	user := h.user(t, "before@example.test")
	once := true
	meanwhile := people.New(people.Options{Ambient: h.ambient, Passwords: h.hasher, BaseURL: "https://id.example.test",
		Store: between{h.store, func(user storage.User) {
			if once {
				once = false
				h.moves(t, user.ID, "after@example.test")
			}
		}}})
	changed, err := meanwhile.Update(t.Context(), h.act(), user.ID, people.Change{
		Settings: []people.Setting{{Field: "nickname", Value: "Nick"}}})
	is := h.find(t, user.ID)
	if err != nil || is.Email != "after@example.test" || is.Profile.Nickname != "Nick" || changed.Email != is.Email {
		t.Errorf("%v: %s is %q", err, is.Email, is.Profile.Nickname)
	}
}

// moves gives the user another address as both links do that are mailed.
func (h *house) moves(t *testing.T, userID, email string) {
	t.Helper()
	link := storage.OneTimeLink{Hash: []byte("new"), Purpose: storage.LinkAddressNew, UserID: userID, Email: email,
		ExpiresAt: h.ambient.Now().Add(time.Hour)}
	other := link
	other.Hash, other.Purpose = []byte("old"), storage.LinkAddressOld
	if err := h.store.CreateOneTimeLink(t.Context(), h.act(), link, other); err != nil {
		t.Fatal(err)
	}
	act := h.act()
	act.At = act.At.Add(time.Second)
	for _, hash := range []string{"new", "old"} {
		if _, err := h.store.ConfirmAddress(t.Context(), act, []byte(hash)); err != nil {
			t.Fatal(err)
		}
	}
}

// Rule: JOIN-6
func TestWhoIsChangedAgainAndAgainIsToldSoInTheEnd(t *testing.T) {
	h := newHouse(t)
	user := h.user(t, "somebody@example.test")
	at := h.act()
	meanwhile := people.New(people.Options{Ambient: h.ambient, Passwords: h.hasher, BaseURL: "https://id.example.test",
		Store: between{h.store, func(user storage.User) {
			at.At = at.At.Add(time.Second)
			if err := h.store.UpdateUser(t.Context(), at, user, nil); err != nil {
				t.Error(err)
			}
		}}})
	_, err := meanwhile.Update(t.Context(), h.act(), user.ID, people.Change{
		Settings: []people.Setting{{Field: "nickname", Value: "Nick"}}})
	if !fault.Is(err, fault.Conflict) || !fault.HasReason(err, storage.ReasonChanged) {
		t.Errorf("the answer is %v", err)
	}
}
