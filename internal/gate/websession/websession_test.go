package websession_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/storage"
)

func TestStartedSessionIsFoundWithItsUser(t *testing.T) {
	h := newHouse(t)
	started, cookie := h.signIn(t)
	found, ok := h.mustFind(t, cookie)
	if !ok {
		t.Fatal("the session is not found")
	}
	if diff := cmp.Diff(started, found.LoginSession); diff != "" {
		t.Errorf("-started +found:\n%s", diff)
	}
	if found.User.ID != h.user.ID || found.User.Email != h.user.Email {
		t.Errorf("the session is of %+v", found.User)
	}
	sum := sha256.Sum256([]byte(cookie.Value))
	now := h.clock.Now()
	want := storage.LoginSession{
		ID: started.ID, TokenHash: sum[:], UserID: h.user.ID, AuthTime: now, ACR: "urn:portico:acr:1", AMR: []string{"pwd"},
		CreatedAt: now, LastSeenAt: now, ExpiresAt: now.Add(absolute), Address: "192.0.2.1", UserAgent: "Browser/1.0",
	}
	if diff := cmp.Diff(want, started); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Rule: SIGNIN-2
func TestStartGivesTheSessionOfThePresentedCookieAFreshOne(t *testing.T) {
	h := newHouse(t)
	former, first := h.signIn(t)
	_, elsewhere := h.signIn(t)
	h.clock.Advance(time.Minute)
	renewed, second := h.signIn(t, first)
	if _, ok := h.mustFind(t, first); ok {
		t.Error("the former cookie still works")
	}
	if _, ok := h.mustFind(t, second); !ok {
		t.Error("the fresh cookie does not work")
	}
	if _, ok := h.mustFind(t, elsewhere); !ok {
		t.Error("the session of another browser ended")
	}
	now := h.clock.Now()
	want := former
	want.TokenHash, want.AuthTime, want.LastSeenAt, want.ExpiresAt = renewed.TokenHash, now, now, now.Add(absolute)
	found, _ := h.mustFind(t, second)
	for name, got := range map[string]storage.LoginSession{"returned": renewed, "stored": found.LoginSession} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("as %s: -want +got:\n%s", name, diff)
		}
	}
}

func TestStartOfAnotherPersonEndsTheSessionOfThePresentedCookie(t *testing.T) {
	h := newHouse(t)
	former, first := h.signIn(t)
	h.addUser(t, "other@example.test")
	session, second := h.signIn(t, first)
	if session.ID == former.ID {
		t.Error("the other person has the first one's session")
	}
	if _, ok := h.mustFind(t, first); ok {
		t.Error("the former cookie still works")
	}
	if found, ok := h.mustFind(t, second); !ok || found.User.ID != h.user.ID {
		t.Errorf("the fresh cookie is of %q", found.UserID)
	}
}

// Rule: SIGNIN-17
func TestWhoSignsInWhereAnotherIsSignedInIsToldOnceAndIsNoAdministratorOfTheirs(t *testing.T) {
	h := newHouse(t)
	former, first := h.signIn(t)
	h.addUser(t, "other@example.test")
	act := h.act()
	act.Actor = storage.Actor{Kind: storage.ActorUser, ID: h.user.ID}
	act.Mails = []storage.Mail{{UID: "one", Kind: "new-sign-in", UserID: h.user.ID, To: h.user.Email, Words: "{}"}}
	w := httptest.NewRecorder()
	if _, err := h.Start(w, request(first), h.user, "urn:portico:acr:1", []string{"pwd"}, act); err != nil {
		t.Fatal(err)
	}
	if mails, _, err := h.store.ListMails(t.Context(), "", storage.PageRequest{}); err != nil || len(mails) != 1 {
		t.Errorf("%d mails, %v", len(mails), err)
	}
	ended, _, err := h.store.ListAudit(t.Context(),
		storage.AuditFilter{Subject: former.UserID, Kinds: []string{"session.ended"}}, storage.PageRequest{})
	if err != nil || len(ended) != 1 || ended[0].Act.Actor.Kind != storage.ActorSystem {
		t.Errorf("the trail of who was signed in says %+v, %v", ended, err)
	}
}

func TestStartRenewsAnIdlePresentedSessionToo(t *testing.T) {
	h := newHouse(t)
	former, cookie := h.signIn(t)
	h.clock.Advance(idle + time.Second)
	renewed, _ := h.signIn(t, cookie)
	live, err := h.store.ListSessions(t.Context(), h.user.ID, h.clock.Now(), time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	if len(live) != 1 || renewed.ID != former.ID || live[0].ID != former.ID {
		t.Errorf("%d sessions; %s became %s", len(live), former.ID, renewed.ID)
	}
	if _, ok := h.mustFind(t, cookie); ok {
		t.Error("the former cookie works again")
	}
}

func TestStartBeginsASessionWhenThePresentedOneEndsThatMoment(t *testing.T) {
	h := newHouse(t)
	former, cookie := h.signIn(t)
	w := httptest.NewRecorder()
	gone := fault.New(fault.NotFound, "", "")
	session, err := h.over(broken{LoginStore: h.store, renew: gone}).Start(w, request(cookie), h.user, "", nil, h.act())
	if err != nil || session.ID == former.ID {
		t.Fatalf("session %q after %q, error %v", session.ID, former.ID, err)
	}
	if _, ok := h.mustFind(t, onlyCookie(t, w)); !ok {
		t.Error("the fresh cookie does not work")
	}
}

func TestStartRefusesADisabledUserAndSetsNoCookie(t *testing.T) {
	h := newHouse(t)
	if err := h.store.SetUserDisabled(t.Context(), h.act(), h.user.ID, true); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	_, err := h.Start(w, request(), h.user, "", nil, h.act())
	if !fault.Is(err, fault.NotFound) {
		t.Errorf("error %v, want not found", err)
	}
	if len(w.Result().Cookies()) != 0 {
		t.Error("a cookie was set")
	}
}

// Rule: SIGNIN-3
func TestUseKeepsASessionAliveUntilTheAbsoluteLimit(t *testing.T) {
	h := newHouse(t)
	_, cookie := h.signIn(t)
	for elapsed := time.Duration(0); elapsed+45*time.Minute < absolute; elapsed += 45 * time.Minute {
		h.clock.Advance(45 * time.Minute)
		if _, ok := h.mustFind(t, cookie); !ok {
			t.Fatalf("ended %s after the start though it was used", elapsed+45*time.Minute)
		}
	}
	h.clock.Advance(45 * time.Minute)
	if _, ok := h.mustFind(t, cookie); ok {
		t.Error("lives beyond the absolute limit")
	}
}

// Rule: SIGNIN-3
func TestSessionThatNobodyUsedEnds(t *testing.T) {
	h := newHouse(t)
	_, cookie := h.signIn(t)
	h.clock.Advance(idle - time.Second)
	if _, ok := h.mustFind(t, cookie); !ok {
		t.Fatal("ended before the idle limit")
	}
	h.clock.Advance(idle + time.Second)
	if _, ok := h.mustFind(t, cookie); ok {
		t.Error("lives beyond the idle limit")
	}
}

// Rule: SERVER-53
func TestLastSeenMovesAtMostOnceAMinute(t *testing.T) {
	h := newHouse(t)
	started, cookie := h.signIn(t)
	h.clock.Advance(59 * time.Second)
	if found, _ := h.mustFind(t, cookie); !found.LastSeenAt.Equal(started.LastSeenAt) {
		t.Error("moved within the minute")
	}
	h.clock.Advance(time.Second)
	for range 2 { // as returned, then as stored
		if found, _ := h.mustFind(t, cookie); !found.LastSeenAt.Equal(h.clock.Now()) {
			t.Errorf("is %s after a minute, want %s", found.LastSeenAt, h.clock.Now())
		}
	}
	h.clock.Step(time.Hour)
	h.mustFind(t, cookie)
	h.clock.Step(-time.Hour) // it was ahead
	h.mustFind(t, cookie)
	h.clock.Advance(idle + time.Second)
	if _, ok := h.mustFind(t, cookie); ok {
		t.Error("lives beyond the idle limit by as much as the clock was ahead")
	}
}

func TestEndEndsTheSessionOnTheServerAndInTheBrowser(t *testing.T) {
	h := newHouse(t)
	_, cookie := h.signIn(t)
	w := httptest.NewRecorder()
	if err := h.End(w, request(cookie), h.act()); err != nil {
		t.Fatal(err)
	}
	if cleared := onlyCookie(t, w); cleared.MaxAge >= 0 || cleared.Name != cookie.Name || cleared.Value != "" {
		t.Errorf("the browser keeps %v", cleared)
	}
	if _, ok := h.mustFind(t, cookie); ok {
		t.Error("the cookie still works")
	}
}

func TestEndWithoutASessionClearsTheCookie(t *testing.T) {
	h := newHouse(t)
	w := httptest.NewRecorder()
	if err := h.End(w, request(), h.act()); err != nil {
		t.Fatal(err)
	}
	if cleared := onlyCookie(t, w); cleared.MaxAge >= 0 {
		t.Errorf("the browser keeps %v", cleared)
	}
}

// Rule: SIGNIN-8
func TestSessionOfADisabledUserIsNone(t *testing.T) {
	h := newHouse(t)
	_, cookie := h.signIn(t)
	if err := h.store.SetUserDisabled(t.Context(), h.act(), h.user.ID, true); err != nil {
		t.Fatal(err)
	}
	if _, ok := h.mustFind(t, cookie); ok {
		t.Error("a disabled user is signed in")
	}
}

func TestUserAgentIsKeptAsShortText(t *testing.T) {
	h := newHouse(t)
	for sent, want := range map[string]string{
		strings.Repeat("a", 300):                   strings.Repeat("a", 256),
		strings.Repeat("a", 255) + "é":             strings.Repeat("a", 255),
		"Browser\xff/1.0":                          "Browser/1.0",
		"Browser\x00/2.0":                          "Browser/2.0",
		"Mozilla/5.0 (X11; Linux x86_64) Chromium": "Mozilla/5.0 (X11; Linux x86_64) Chromium",
	} {
		r := request()
		r.Header.Set("User-Agent", sent)
		session, err := h.Start(httptest.NewRecorder(), r, h.user, "", nil, h.act())
		if err != nil {
			t.Fatal(err)
		}
		if session.UserAgent != want {
			t.Errorf("%q is kept as %q", sent, session.UserAgent)
		}
	}
}

// broken is a store that fails where a test tells it to.
type broken struct {
	storage.LoginStore
	find, touch, end, renew error
}

func (b broken) FindSession(ctx context.Context, hash []byte, now,
	idleSince time.Time) (storage.LoginSession, storage.User, error) {
	if b.find != nil {
		return storage.LoginSession{}, storage.User{}, b.find
	}
	return b.LoginStore.FindSession(ctx, hash, now, idleSince)
}

func (b broken) TouchSession(ctx context.Context, id string, at time.Time) error {
	if b.touch != nil {
		return b.touch
	}
	return b.LoginStore.TouchSession(ctx, id, at)
}

func (b broken) EndSession(ctx context.Context, act storage.Act, id string) error {
	if b.end != nil {
		return b.end
	}
	return b.LoginStore.EndSession(ctx, act, id)
}

func (b broken) RenewSession(ctx context.Context, act storage.Act, session storage.LoginSession,
	proof storage.Proof) error {
	if b.renew != nil {
		return b.renew
	}
	return b.LoginStore.RenewSession(ctx, act, session, proof)
}

// over returns a manager over the store, on the clock of the house.
func (h *house) over(store storage.LoginStore) *websession.Manager {
	source, _ := ambient.Fixed(h.clock.Now(), 2)
	return websession.New(websession.Options{Ambient: source, Secure: true, Idle: idle, Absolute: absolute, Store: struct {
		storage.LoginStore
		storage.FormStore
	}{store, h.store}})
}

func TestFailureToTouchDoesNotFailTheRequest(t *testing.T) {
	h := newHouse(t)
	started, cookie := h.signIn(t)
	h.clock.Advance(2 * time.Minute)
	found, ok, err := h.over(broken{LoginStore: h.store, touch: errors.New("disk full")}).Find(request(cookie))
	if err != nil || !ok {
		t.Fatalf("found %v, error %v", ok, err)
	}
	if !found.LastSeenAt.Equal(started.LastSeenAt) {
		t.Error("claims a time that was not stored")
	}
}

func TestFailureOfTheStoreIsNotTakenForSignedOut(t *testing.T) {
	h := newHouse(t)
	_, cookie := h.signIn(t)
	down := fault.New(fault.Unavailable, "", "")
	if _, _, err := h.over(broken{LoginStore: h.store, find: down}).Find(request(cookie)); !fault.Is(err,
		fault.Unavailable) {
		t.Errorf("error %v, want unavailable", err)
	}
}

func TestSignOutThatFailedCanBeTriedAgain(t *testing.T) {
	h := newHouse(t)
	_, cookie := h.signIn(t)
	for _, store := range []broken{
		{LoginStore: h.store, end: fault.New(fault.Unavailable, "", "")},
		{LoginStore: h.store, find: fault.New(fault.Unavailable, "", "")},
	} {
		w := httptest.NewRecorder()
		if err := h.over(store).End(w, request(cookie), h.act()); !fault.Is(err, fault.Unavailable) {
			t.Errorf("error %v, want unavailable", err)
		}
		if len(w.Result().Cookies()) != 0 {
			t.Error("the cookie is gone though the session lives")
		}
	}
}
