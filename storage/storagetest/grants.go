package storagetest

import (
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func grantChecks() []check {
	return []check{
		{"FindGrant returns the grant, revoked ones too, or NotFound", findGrant},
		{"ListGrants returns the user's live grants, newest first", listGrants},
		{"RevokeGrant revokes; repeating it, or an absent grant, is no error", revokeGrant},
	}
}

func findGrant(w *World) {
	user, client := w.User(), w.Client()
	grant := w.Grant(user.ID, client.ID)
	w.Clock.Advance(time.Second)
	w.Must(w.Store.RevokeGrant(w.Ctx(), w.Act(), grant.ID))
	grant.RevokedAt = w.Now()
	got, err := w.Store.FindGrant(w.Ctx(), grant.ID)
	w.Must(err)
	w.Equal(grant, got)
	_, err = w.Store.FindGrant(w.Ctx(), "unknown")
	w.Refused(err, fault.NotFound, "")
}

func listGrants(w *World) {
	user, client := w.User(), w.Client()
	expired := w.Grant(user.ID, client.ID)
	w.Clock.Advance(14 * 24 * time.Hour)
	first := w.Grant(user.ID, client.ID)
	w.Clock.Advance(time.Second)
	second, revoked := w.Grant(user.ID, client.ID), w.Grant(user.ID, client.ID)
	w.Grant(w.User().ID, client.ID)
	code := w.Code(user.ID, client.ID)
	noRefresh := w.grantOf(code)
	noRefresh.Generation, noRefresh.RotatedAt, noRefresh.ExpiresAt = 0, time.Time{}, time.Time{}
	noRefresh.CreatedAt = first.CreatedAt.Add(-time.Second)
	w.Must(w.Store.RedeemCode(w.Ctx(), w.Act(), code.Hash, noRefresh))
	w.Must(w.Store.RevokeGrant(w.Ctx(), w.Act(), revoked.ID))
	got, err := w.Store.ListGrants(w.Ctx(), user.ID, expired.ExpiresAt)
	w.Must(err)
	w.Equal([]storage.Grant{second, first, noRefresh}, got)
}

func revokeGrant(w *World) {
	user, client := w.User(), w.Client()
	grant, other := w.Grant(user.ID, client.ID), w.Grant(user.ID, client.ID)
	first := w.Act()
	w.Must(w.Store.RevokeGrant(w.Ctx(), first, grant.ID))
	w.Clock.Advance(time.Second)
	w.Must(w.Store.RevokeGrant(w.Ctx(), w.Act(), grant.ID))
	w.Must(w.Store.RevokeGrant(w.Ctx(), w.Act(), "unknown"))
	got, err := w.Store.FindGrant(w.Ctx(), grant.ID)
	w.Must(err)
	w.Equal(first.At, got.RevokedAt)
	w.Equal("live", w.grantState(other.ID))
	w.Audited(grant.ID, "grant.revoked")
	w.Audited("unknown")
}
