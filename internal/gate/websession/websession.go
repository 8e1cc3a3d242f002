// Package websession knows the signed-in person behind a page, in every area:
// it starts, finds and ends sign-ins and owns their cookie.
//
// It does not ask for passwords or decide who may sign in; whoever did calls
// Start. It does not know bearer tokens either: see internal/gate/bearer. Start with
// Manager; protect.go guards the forms of signed-in people, and once.go carries
// each out once.
package websession

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
)

// Limits of a sign-in when Options gives none.
const (
	DefaultIdle     = 24 * time.Hour
	DefaultAbsolute = 14 * 24 * time.Hour
	DefaultLimit    = 10 * time.Second
)

// touchEvery is how far LastSeenAt may lag: one write a minute and session is
// enough for an idle limit of hours.
const touchEvery = time.Minute

// Store is what is kept about sign-ins and the forms of pages.
type Store interface {
	storage.LoginStore
	storage.FormStore
}

// Options is what New needs.
type Options struct {
	Store    Store
	Ring     *sealing.Ring // seals what is shown once
	Ambient  *ambient.Source
	Secure   bool          // the base URL is https
	Idle     time.Duration // ends a session that nobody used; 0: DefaultIdle
	Absolute time.Duration // ends every session; 0: DefaultAbsolute

	Demand func(storage.User) bool // whether the user must have a second factor; nil: nobody must
	Limit  time.Duration           // of the work of a form; 0: DefaultLimit
}

// Manager starts, finds and ends sign-ins. It is safe for concurrent use.
type Manager struct {
	store    Store
	ring     *sealing.Ring
	ambient  *ambient.Source
	secure   bool
	idle     time.Duration
	absolute time.Duration
	demand   func(storage.User) bool
	limit    time.Duration // of the work of a form
}

// New returns a manager.
func New(o Options) *Manager {
	m := &Manager{store: o.Store, ring: o.Ring, ambient: o.Ambient, secure: o.Secure, idle: o.Idle, absolute: o.Absolute,
		demand: o.Demand, limit: o.Limit}
	m.idle = cmp.Or(m.idle, DefaultIdle)
	m.absolute = cmp.Or(m.absolute, DefaultAbsolute)
	m.limit = cmp.Or(m.limit, DefaultLimit)
	return m
}

// Session is a live sign-in and the person it belongs to.
type Session struct {
	storage.LoginSession
	User storage.User
}

// Start signs the user in at act.At and sets a fresh cookie; the one that the
// request came with finds nothing any more, so that none outlives a change of
// person or of strength. The ACR and AMR say how the person was proven.
//
// Whoever proves anew who they are keeps their session: clients know it by its
// ID, and signing in again is no signing out. Another person's session ends.
//
// NotFound when the user is absent or disabled.
func (m *Manager) Start(w http.ResponseWriter, r *http.Request, user storage.User, acr string, amr []string,
	act storage.Act) (storage.LoginSession, error) {
	return m.StartFor(w, r, SignIn{User: user, ACR: acr, AMR: amr, Proof: storage.Proof{TwoFactor: user.TwoFactor}}, act)
}

// SignIn is somebody who has proven who they are.
type SignIn struct {
	User    storage.User
	Request string // id of the parked request that they signed in for, known until they sign in again; empty: none
	ACR     string
	AMR     []string
	Proof   storage.Proof // what that rests on

	AuthTime time.Time // when they were proven, where somebody else saw that; zero: now
	CameAt   time.Time // as LoginSession has it
}

// StartFor is Start for a sign-in of which more is known. Gone
// (storage.ReasonSignInOver) when its proof does not stand any more.
func (m *Manager) StartFor(w http.ResponseWriter, r *http.Request, s SignIn,
	act storage.Act) (storage.LoginSession, error) {
	former, err := m.former(r, act.At)
	if err != nil {
		return storage.LoginSession{}, err
	}
	token := m.ambient.Token()
	session := storage.LoginSession{
		ID:         m.ambient.UID(),
		TokenHash:  hash(token),
		UserID:     s.User.ID,
		AuthTime:   authTime(s, act.At),
		ACR:        s.ACR,
		AMR:        s.AMR,
		CreatedAt:  act.At,
		LastSeenAt: act.At,
		ExpiresAt:  act.At.Add(m.absolute),
		Address:    act.Address,
		UserAgent:  readable(r.UserAgent()),
		MetRequest: s.Request,

		UpstreamID: s.Proof.Upstream.UpstreamID, UpstreamSID: s.Proof.UpstreamSID, CameAt: s.CameAt,
	}
	if session, err = m.succeed(r.Context(), act, former, session, s.Proof); err != nil {
		return storage.LoginSession{}, err
	}
	http.SetCookie(w, m.cookie(token))
	return session, nil
}

// authTime is never later than now, whatever others say.
func authTime(s SignIn, now time.Time) time.Time {
	if s.AuthTime.IsZero() || s.AuthTime.After(now) {
		return now
	}
	return s.AuthTime
}

// succeed puts the fresh session in the place of the former one, if there is
// one: the same person's goes on under its ID.
func (m *Manager) succeed(ctx context.Context, act storage.Act, former, fresh storage.LoginSession,
	proof storage.Proof) (storage.LoginSession, error) {
	switch former.UserID {
	case "":
	case fresh.UserID:
		renewed := fresh
		renewed.ID, renewed.CreatedAt = former.ID, former.CreatedAt
		if err := m.store.RenewSession(ctx, act, renewed, proof); !fault.Is(err, fault.NotFound) {
			return renewed, err
		} // it has ended this moment
	default: // for whom nobody acts who has a right to; the mails are about the fresh one
		ends := act
		ends.Actor, ends.Mails = storage.Actor{Kind: storage.ActorSystem}, nil
		if err := m.store.EndSession(ctx, ends, former.ID); err != nil {
			return storage.LoginSession{}, err
		}
	}
	return fresh, m.store.StartSession(ctx, act, fresh, proof)
}

// Find returns the session that the request came with. False without an error:
// there is none, or it ended, expired or was idle for too long. An error is a
// failure of the store.
func (m *Manager) Find(r *http.Request) (Session, bool, error) {
	token, presented := m.presented(r)
	if !presented {
		return Session{}, false, nil
	}
	now := m.ambient.Now()
	login, user, err := m.store.FindSession(r.Context(), hash(token), now, now.Add(-m.idle))
	if fault.Is(err, fault.NotFound) {
		return Session{}, false, nil
	}
	if err != nil {
		return Session{}, false, err
	}
	if m.Demands(user) && login.ACR != storage.ACRTwoFactors {
		return Session{}, false, nil // begun with the password alone, before that was too little
	}
	m.touch(r.Context(), &login, now)
	exchange := httpio.From(r.Context())
	exchange.Languages.Account = user.Profile.Locale
	exchange.Person = httpio.Person{ID: user.ID, Account: user.Email, Admin: user.Admin, Zone: user.Profile.Zone}
	return Session{LoginSession: login, User: user}, true, nil
}

// Demands reports whether the user's password alone is too little: they have a
// second factor, or must have one.
func (m *Manager) Demands(user storage.User) bool {
	return user.TwoFactor || m.demand != nil && m.demand(user)
}

// Greet notes who the request comes from, for a page that is about no one in
// particular. Whoever can't be found is nobody.
func (m *Manager) Greet(r *http.Request) { _, _, _ = m.Find(r) }

// touch moves LastSeenAt on when it lags by touchEvery, and back when a clock was ahead
// that noted it. A failure is passed over: at worst the session goes idle a little early.
func (m *Manager) touch(ctx context.Context, login *storage.LoginSession, now time.Time) {
	if lag := now.Sub(login.LastSeenAt); lag < touchEvery && lag >= -storage.SeenAhead {
		return
	}
	if m.store.TouchSession(ctx, login.ID, now) == nil {
		login.LastSeenAt = now
	}
}

// End ends the session that the request came with, on the server and in the
// browser. No session is no error. When the store fails the cookie stays, so
// that signing out can be tried again.
func (m *Manager) End(w http.ResponseWriter, r *http.Request, act storage.Act) error {
	former, err := m.former(r, act.At)
	if err != nil {
		return err
	}
	if former.ID != "" {
		if err := m.store.EndSession(r.Context(), act, former.ID); err != nil {
			return err
		}
	}
	m.Clear(w)
	return nil
}

// former returns the session of the request's cookie, idle ones too, or the
// zero session.
func (m *Manager) former(r *http.Request, now time.Time) (storage.LoginSession, error) {
	token, presented := m.presented(r)
	if !presented {
		return storage.LoginSession{}, nil
	}
	everSince := time.Unix(0, 0) // the zero time would mean "never" to the store
	login, _, err := m.store.FindSession(r.Context(), hash(token), now, everSince)
	if fault.Is(err, fault.NotFound) {
		return storage.LoginSession{}, nil
	}
	return login, err
}

// maxUserAgent is how much of the header is kept, in bytes: what pages show to
// tell devices apart is in its beginning.
const maxUserAgent = 256

// readable returns the beginning of a header as text that can be stored.
func readable(header string) string {
	if len(header) > maxUserAgent {
		header = header[:maxUserAgent]
	}
	return strings.ToValidUTF8(strings.ReplaceAll(header, "\x00", ""), "")
}
