package sqlstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
	"github.com/portico-id/portico/storage/storagetest"
)

// shuttingOut is a person, an app and an upstream with a grant, which somebody else holds.
type shuttingOut struct {
	*halfway
	store    *sqlstore.Store // that lets statements take no longer than aMoment
	user     storage.User
	client   storage.Client
	upstream storage.Upstream
}

// known has the person come from a company and by the upstream, and have a second factor.
func (s *shuttingOut) known() {
	s.user.EmailVerified = true
	s.Must(s.store.UpdateUser(s.Ctx(), s.Act(), s.user, nil))
	s.Must(s.store.CreateSCIMConnection(s.Ctx(), s.Act(),
		storage.SCIMConnection{ID: "company", Name: "Works", CreatedAt: s.Now()}))
	s.Must(s.sent(s.Ctx()))
	s.Must(s.store.LinkIdentity(s.Ctx(), s.Act(), s.identity()))
	s.Authenticator(s.user.ID)
	found, err := s.store.FindUser(s.Ctx(), s.user.ID)
	s.user = found
	s.Must(err)
}

// sent has the company send the person.
func (s *shuttingOut) sent(ctx context.Context) error {
	_, err := s.store.CreateSCIMUser(ctx, s.Act(), storage.SCIMUser{UserName: "them", Active: true, User: s.user,
		Document:     []byte("{}"),
		SCIMResource: storage.SCIMResource{ConnectionID: "company", CreatedAt: s.Now(), UpdatedAt: s.Now()}}, true)
	return err
}

// unproven has the person be nobody's, and nobody have proven their address.
func (s *shuttingOut) unproven() error {
	_, err := s.db.Exec(`DELETE FROM scim_users`)
	if err == nil {
		_, err = s.db.Exec(`UPDATE users SET email_verified = FALSE`)
	}
	return err
}

func (s *shuttingOut) identity() storage.UpstreamIdentity {
	return storage.UpstreamIdentity{UpstreamID: s.upstream.ID, Issuer: "https://works.example.test", Subject: "them",
		UserID: s.user.ID, LinkedAt: s.Now()}
}

const aMoment = 200 * time.Millisecond

// briefly opens the database of the test so that statements may take a moment.
func (h *halfway) briefly() *sqlstore.Store {
	address := changed(h.t, h.address, withSetting("statement_timeout", aMoment.String()))
	return openURL(h.t, sqlstore.Options{URL: address, Version: thisBinary})
}

// long does an act that has to wait for longer than a moment, and that nobody waits for.
func (h *halfway) long(act func(context.Context) error) error {
	ctx, cancel := context.WithCancel(h.Ctx())
	result := make(chan error, 1)
	go func() { result <- act(ctx) }()
	h.untilOneWaits(result)
	cancel()
	time.Sleep(2 * aMoment)
	h.Must(h.tx.Commit())
	return <-result
}

// untilNone returns when a query counts none any more.
func (h *halfway) untilNone(count string) {
	h.t.Helper()
	left := 1
	for range 2000 {
		h.Must(h.db.QueryRow(count).Scan(&left))
		if left == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	h.t.Errorf("%d are left of %s", left, count)
}

// Where somebody, an app or an upstream has very many grants it takes longer to end them
// than statements and requests may take. Who asked is told to come back, and it goes on.
//
// Rule: SERVER-24
func TestWhatShutsOutGoesOnToItsEndHoweverMuchThereIs(t *testing.T) {
	yes := true
	acts := map[string]func(context.Context, shuttingOut) error{
		"SetClientDisabled": func(ctx context.Context, s shuttingOut) error {
			return s.store.SetClientDisabled(ctx, s.Act(), s.client.ID, true)
		},
		"PatchClient": func(ctx context.Context, s shuttingOut) error {
			return s.store.PatchClient(ctx, s.Act(), s.client, &yes)
		},
		"DeleteClient": func(ctx context.Context, s shuttingOut) error {
			return s.store.DeleteClient(ctx, s.Act(), s.client.ID)
		},
		"SetUserDisabled": func(ctx context.Context, s shuttingOut) error {
			return s.store.SetUserDisabled(ctx, s.Act(), s.user.ID, true)
		},
		"PatchUser": func(ctx context.Context, s shuttingOut) error {
			return s.store.PatchUser(ctx, s.Act(), s.user, nil, &yes)
		},
		"DeleteUser": func(ctx context.Context, s shuttingOut) error {
			return s.store.DeleteUser(ctx, s.Act(), s.user.ID)
		},
		"EndSessions": func(ctx context.Context, s shuttingOut) error {
			return s.store.EndSessions(ctx, s.Act(), s.user.ID, "")
		},
		"SetPassword": func(ctx context.Context, s shuttingOut) error {
			return s.store.SetPassword(ctx, s.Act(), s.user.ID, "fresh", "")
		},
		"SetUpstreamDisabled": func(ctx context.Context, s shuttingOut) error {
			return s.store.SetUpstreamDisabled(ctx, s.Act(), s.upstream.ID, true)
		},
		"UpdateUpstream": func(ctx context.Context, s shuttingOut) error {
			return s.store.UpdateUpstream(ctx, s.Act(), s.upstream, storage.UpstreamEnds{Everybody: true})
		},
		"DeleteUpstream": func(ctx context.Context, s shuttingOut) error {
			return s.store.DeleteUpstream(ctx, s.Act(), s.upstream.ID)
		},
		"UpdateSCIMUser": func(ctx context.Context, s shuttingOut) error {
			_, err := s.store.UpdateSCIMUser(ctx, s.Act(), "company", s.user.ID,
				func(user storage.SCIMUser) (storage.SCIMUser, error) {
					user.Active = false
					return user, nil
				})
			return err
		},
		"DeleteSCIMUser": func(ctx context.Context, s shuttingOut) error {
			return s.store.DeleteSCIMUser(ctx, s.Act(), "company", s.user.ID, func(storage.SCIMUser) error { return nil })
		},
		"WithdrawConsent": func(ctx context.Context, s shuttingOut) error {
			return s.store.WithdrawConsent(ctx, s.Act(), s.user.ID, s.client.ID)
		},
		"RemoveAuthenticator": func(ctx context.Context, s shuttingOut) error {
			return s.store.RemoveAuthenticator(ctx, s.Act(), s.user.ID, "")
		},
		"RemoveFactors": func(ctx context.Context, s shuttingOut) error {
			return s.store.RemoveFactors(ctx, s.Act(), s.user.ID)
		},
		"UnlinkIdentity": func(ctx context.Context, s shuttingOut) error {
			return s.store.UnlinkIdentity(ctx, s.Act(), s.identity())
		},
		"EndIdentity": func(ctx context.Context, s shuttingOut) error {
			return s.store.EndIdentity(ctx, s.Act(), s.identity())
		},
		"HearLogout": func(ctx context.Context, s shuttingOut) error {
			return s.store.HearLogout(ctx, s.Act(), storage.UpstreamLogout{UpstreamID: s.upstream.ID, EndGrants: true,
				Issuer: s.identity().Issuer, Subject: s.identity().Subject, ID: "word", Until: s.Now().Add(time.Hour)})
		},
		"ClaimByAddress": func(ctx context.Context, s shuttingOut) error {
			owner := s.identity()
			owner.Subject, owner.Email = "owner", s.user.Email
			return errors.Join(s.unproven(), s.store.ClaimByAddress(ctx, s.Act(), owner))
		},
		"CreateSCIMUser": func(ctx context.Context, s shuttingOut) error {
			return errors.Join(s.unproven(), s.sent(ctx))
		},
	}
	for name, act := range acts {
		t.Run(name, func(t *testing.T) {
			h := newHalfway(t)
			s := shuttingOut{h, h.briefly(), h.User(), h.Client(), h.Upstream("elsewhere")}
			s.known()
			grant := h.Grant(s.user.ID, s.client.ID)
			_, err := h.db.Exec(`UPDATE grants SET upstream_id = $1`, s.upstream.ID)
			h.Must(err)
			h.begin(`SELECT 1 FROM grants WHERE id = $1 FOR UPDATE`, grant.ID)
			h.Refused(h.long(func(ctx context.Context) error { return act(ctx, s) }), fault.Unavailable, "")
			h.untilNone(`SELECT count(*) FROM grants WHERE revoked_at IS NULL`)
		})
	}
}

// Rule: ADMIN-14
func TestAFolderIsPurgedHoweverMuchIsInIt(t *testing.T) {
	h := newHalfway(t)
	engine := onPostgres()
	engine.NewDatabase = func(testing.TB) string { return h.address }
	w, store := storagetest.NewTree(t, engine), h.briefly()
	folder := w.Folder(w.Files.ID, "large")
	item, hidden := w.Item(folder.ID, "item").Item.ID, true
	_, err := w.Data.UpdateFolder(w.Ctx(), w.Change(), w.Project.ID, folder.ID, storage.FolderPatch{Hidden: &hidden})
	w.Must(err)
	w.Clock.Advance(time.Hour)
	h.begin(`SELECT 1 FROM items WHERE uid = $1 FOR UPDATE`, item)
	w.Must(h.long(func(context.Context) error {
		n, err := store.PurgeHidden(w.Ctx(), w.Change(), w.Project.ID, w.Now(), 1)
		w.Equal(1, n)
		return err
	}))
}

// Else it would hold its locks for as long as its statement takes, and be taken back then.
//
// Rule: SERVER-24
func TestWhatGoesOnEndsWithTheStore(t *testing.T) {
	h := newHalfway(t)
	address := changed(t, h.address, withSetting("lock_timeout", "10min"))
	user, store := h.User(), openURL(t, sqlstore.Options{URL: address, Version: thisBinary})
	h.begin(`SELECT 1 FROM users WHERE id = $1 FOR UPDATE`, user.ID)
	ctx, cancel := context.WithCancel(h.Ctx())
	result := make(chan error, 1)
	go func() { result <- store.EndSessions(ctx, h.Act(), user.ID, "") }()
	h.untilOneWaits(result)
	cancel()
	h.Refused(<-result, fault.Unavailable, "")
	h.Must(store.Close())
	h.untilNone(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
}
