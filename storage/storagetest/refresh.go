package storagetest

import (
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

const (
	grace    = 10 * time.Second
	lifetime = 15 * 24 * time.Hour
)

func refreshChecks() []check {
	return []check{
		{"the live generation moves on: Generation+1, RotatedAt now, ExpiresAt a lifetime ahead", rotate},
		{"a grant that was bound to another key meanwhile has no retry", rotateBoundMeanwhile},
		{"no refresh token outlives the end of its grant", rotateToTheEnd},
		{"a grant that is bound to nothing is bound by what a use proves, and to nothing else later", rotateBound},
		{"the one before within the grace changes nothing and returns the same grant", rotateRetry},
		{"the grace ends after its length", rotateRetryLate},
		{"the grace ends when the successor is first used", rotateRetryUsed},
		{"without grace a second use is Gone, spent, and revokes the grant, audited once", rotateReuse},
		{"an older generation and none at all are spent and revoke", rotateStrange},
		{"one newer than the grant knows of moves it on, and is audited", rotateAhead},
		{"a retry is honest from a clock that is a little behind, and not from one far behind", rotateRetryBehind},
		{"an expired token is Gone, expired, and revokes nothing", rotateExpired},
		{"a revoked grant is Gone, revoked, even to a retry within the grace", rotateRevoked},
		{"a disabled user is Gone, revoked", rotateUserDisabled},
		{"a disabled client is Gone, revoked", rotateClientDisabled},
		{"an unknown grant is NotFound", rotateUnknown},
	}
}

// rotate presents a token and returns the grant as it stands then.
func (w *World) rotate(grantID string, generation int, grace time.Duration) (storage.Grant, error) {
	w.Helper()
	live, err := w.Store.RotateRefresh(w.Ctx(), w.Act(), storage.RefreshUse{
		GrantID: grantID, Generation: generation, Grace: grace, Lifetime: lifetime, ProofKey: "k", Certificate: "c",
	})
	if err != nil {
		return storage.Grant{}, err
	}
	grant, err := w.Store.FindGrant(w.Ctx(), grantID)
	w.Must(err)
	w.Equal(live, grant.Generation)
	return grant, nil
}

// liveGrant adds user, client and grant.
func (w *World) liveGrant() storage.Grant {
	w.Helper()
	return w.Grant(w.User().ID, w.Client().ID)
}

func rotate(w *World) {
	want := w.liveGrant()
	for generation := 1; generation <= 3; generation++ {
		w.Clock.Advance(lifetime - time.Microsecond) // each lives its own fifteen days
		age := ageOf(w)
		got, err := w.rotate(want.ID, generation, 0)
		w.Must(err)
		if !strings.HasPrefix(w.database, "sqlite:") { // whose file anybody makes older who writes to it
			w.Equal(age, ageOf(w)) // no verdict of a token is void by it
		}
		want.Generation, want.RotatedAt, want.ExpiresAt = generation+1, w.Now(), w.Now().Add(lifetime)
		w.Equal(want, got)
	}
}

func rotateBound(w *World) {
	code := w.Code(w.User().ID, w.Client().ID)
	grant := w.grantOf(code)
	grant.ProofKey, grant.Certificate = "", ""
	w.Must(w.Store.RedeemCode(w.Ctx(), w.Act(), code.Hash, grant))
	use := storage.RefreshUse{GrantID: grant.ID, Generation: 1, Lifetime: lifetime, ProofKey: "a", Certificate: "b"}
	for ; use.Generation <= 2; use.Generation++ {
		_, err := w.Store.RotateRefresh(w.Ctx(), w.Act(), use)
		w.Must(err)
		use.ProofKey, use.Certificate = "c", ""
	}
	got, err := w.Store.FindGrant(w.Ctx(), grant.ID)
	w.Must(err)
	w.Equal([]string{"a", "b"}, []string{got.ProofKey, got.Certificate})
}

func rotateBoundMeanwhile(w *World) {
	grant := w.liveGrant()
	_, err := w.rotate(grant.ID, 1, grace)
	w.Must(err)
	_, err = w.Store.RotateRefresh(w.Ctx(), w.Act(), storage.RefreshUse{GrantID: grant.ID, Generation: 1, Grace: grace,
		Lifetime: lifetime, ProofKey: "other", Certificate: grant.Certificate})
	w.Refused(err, fault.Gone, storage.ReasonSpent)
	w.Equal("revoked", w.grantState(grant.ID))
}

func rotateToTheEnd(w *World) {
	code := w.Code(w.User().ID, w.Client().ID)
	grant := w.grantOf(code)
	grant.EndsAt = w.Now().Add(lifetime + time.Hour)
	w.Must(w.Store.RedeemCode(w.Ctx(), w.Act(), code.Hash, grant))
	w.Clock.Advance(time.Hour)
	got, err := w.rotate(grant.ID, 1, 0)
	w.Must(err)
	w.Equal(w.Now().Add(lifetime), got.ExpiresAt) // that is the end, to the microsecond
	w.Clock.Advance(time.Hour)
	got, err = w.rotate(grant.ID, 2, 0)
	w.Must(err)
	w.Equal([]time.Time{grant.EndsAt, grant.EndsAt}, []time.Time{got.ExpiresAt, got.EndsAt})
	w.Clock.Advance(grant.EndsAt.Sub(w.Now()))
	_, err = w.rotate(grant.ID, 3, grace)
	w.Refused(err, fault.Gone, storage.ReasonExpired)
	w.Equal("live", w.grantState(grant.ID))
}

func rotateRetry(w *World) {
	grant := w.liveGrant()
	first, err := w.rotate(grant.ID, 1, grace)
	w.Must(err)
	w.Clock.Advance(grace)
	again, err := w.rotate(grant.ID, 1, grace)
	w.Must(err)
	w.Equal(first, again)
	next, err := w.rotate(grant.ID, 2, grace)
	w.Must(err)
	w.Equal(3, next.Generation)
}

func rotateRetryLate(w *World) {
	grant := w.liveGrant()
	_, err := w.rotate(grant.ID, 1, grace)
	w.Must(err)
	w.Clock.Advance(grace + time.Microsecond)
	_, err = w.rotate(grant.ID, 1, grace)
	w.Refused(err, fault.Gone, storage.ReasonSpent)
	w.Equal("revoked", w.grantState(grant.ID))
}

func rotateRetryUsed(w *World) {
	grant := w.liveGrant()
	for generation := range 2 {
		_, err := w.rotate(grant.ID, generation+1, grace)
		w.Must(err)
	}
	_, err := w.rotate(grant.ID, 1, grace)
	w.Refused(err, fault.Gone, storage.ReasonSpent)
	w.Equal("revoked", w.grantState(grant.ID))
}

func rotateReuse(w *World) {
	grant := w.liveGrant()
	_, err := w.rotate(grant.ID, 1, 0)
	w.Must(err)
	_, err = w.rotate(grant.ID, 1, 0)
	w.Refused(err, fault.Gone, storage.ReasonSpent)
	w.Equal("revoked", w.grantState(grant.ID))
	_, err = w.rotate(grant.ID, 1, 0)
	w.Refused(err, fault.Gone, storage.ReasonRevoked)
	_, err = w.rotate(grant.ID, 2, 0)
	w.Refused(err, fault.Gone, storage.ReasonRevoked)
	w.Audited(grant.ID, "grant.reuse_detected")
}

func rotateStrange(w *World) {
	for _, generation := range []int{-1, 0, 1} {
		grant := w.liveGrant()
		for use := range 2 {
			_, err := w.rotate(grant.ID, use+1, grace)
			w.Must(err)
		}
		_, err := w.rotate(grant.ID, generation, grace)
		w.Refused(err, fault.Gone, storage.ReasonSpent)
		w.Equal("revoked", w.grantState(grant.ID))
	}
}

func rotateAhead(w *World) {
	grant := w.liveGrant()
	got, err := w.rotate(grant.ID, 5, grace)
	w.Must(err)
	w.Equal(6, got.Generation)
	w.Equal(w.Now().Add(lifetime), got.ExpiresAt)
	again, err := w.rotate(grant.ID, 5, grace)
	w.Must(err)
	w.Equal(got, again)
	w.Audited(grant.ID, "grant.caught_up")
	_, err = w.rotate(grant.ID, 1, grace) // of before
	w.Refused(err, fault.Gone, storage.ReasonSpent)
	_, err = w.rotate(grant.ID, 9, grace)
	w.Refused(err, fault.Gone, storage.ReasonRevoked)
}

func rotateRetryBehind(w *World) {
	grant := w.liveGrant()
	first, err := w.rotate(grant.ID, 1, grace)
	w.Must(err)
	w.Clock.Advance(-grace)
	again, err := w.rotate(grant.ID, 1, grace)
	w.Must(err)
	w.Equal(first, again)
	w.Clock.Advance(-time.Hour)
	_, err = w.rotate(grant.ID, 1, grace)
	w.Refused(err, fault.Gone, storage.ReasonSpent)
}

func rotateExpired(w *World) {
	grant := w.liveGrant()
	w.Clock.Advance(lifetime)
	_, err := w.rotate(grant.ID, 1, grace)
	w.Refused(err, fault.Gone, storage.ReasonExpired)
	w.Equal("live", w.grantState(grant.ID))
}

func rotateRevoked(w *World) {
	grant := w.liveGrant()
	_, err := w.rotate(grant.ID, 1, grace)
	w.Must(err)
	w.Must(w.Store.RevokeGrant(w.Ctx(), w.Act(), grant.ID))
	for _, generation := range []int{1, 2} {
		_, err = w.rotate(grant.ID, generation, grace)
		w.Refused(err, fault.Gone, storage.ReasonRevoked)
	}
	w.Audited(grant.ID, "grant.revoked")
}

func rotateUserDisabled(w *World) {
	grant := w.liveGrant()
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), grant.UserID, true))
	_, err := w.rotate(grant.ID, 1, grace)
	w.Refused(err, fault.Gone, storage.ReasonRevoked)
}

func rotateClientDisabled(w *World) {
	grant := w.liveGrant()
	w.Must(w.Store.SetClientDisabled(w.Ctx(), w.Act(), grant.ClientID, true))
	_, err := w.rotate(grant.ID, 1, grace)
	w.Refused(err, fault.Gone, storage.ReasonRevoked)
}

func rotateUnknown(w *World) {
	_, err := w.rotate("unknown", 1, grace)
	w.Refused(err, fault.NotFound, "")
}
