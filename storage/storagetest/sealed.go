package storagetest

import (
	"slices"

	"github.com/portico-id/portico/storage"
)

func sealedChecks() []check {
	return []check{
		{"boxes come one by one with what they are bound to, and are replaced where they are those that were read", listSealed},
	}
}

func listSealed(w *World) {
	one, other := w.key(1), w.key(2)
	resealed(w, storage.SealedSigningKeys, one.KID, other.KID)
	one, other = w.keyOf("ES256", 1), w.keyOf("ES256", 2)
	resealed(w, storage.SealedOtherSigningKeys, one.KID, other.KID)
	resealed(w, storage.SealedAuthenticators, w.Authenticator(w.User().ID).UserID, w.Authenticator(w.User().ID).UserID)
	w.Upstream("a")
	w.Upstream("b")
	resealed(w, storage.SealedUpstreams, "a", "b")
	act := w.mailed("a@example.test", "b@example.test")
	w.Must(w.Store.PostMails(w.Ctx(), act, "test.posted"))
	resealed(w, storage.SealedMails, act.Mails[0].UID, act.Mails[1].UID)
	w.kept("a")
	w.kept("b")
	resealed(w, storage.SealedForms, "a", "b")
	var rechecks, sessions [][]string
	bounds := map[string]string{}
	for _, upstream := range []string{"a", "b"} {
		identity := w.identity(upstream, w.User().ID)
		key := []string{upstream, identity.Issuer, identity.Subject}
		bounds[key[2]] = upstream + " " + identity.Subject
		rechecks = append(rechecks, key)
		w.Must(w.Store.KeepRecheck(w.Ctx(), storage.UpstreamRecheck{UpstreamID: upstream, Issuer: identity.Issuer,
			Subject: identity.Subject, Token: []byte{1}, AskedAt: w.Now(), ToldAt: w.Now()}))
		session, _ := w.sessionBy(identity, "")
		w.Must(w.Store.RenewSession(w.Ctx(), w.Act(), session,
			storage.Proof{Upstream: identity, UpstreamHint: []byte{1}}))
		bounds[session.ID] = upstream
		sessions = append(sessions, []string{session.ID})
	}
	bound := func(key []string) string { return bounds[key[len(key)-1]] }
	resealedBoxes(w, storage.SealedRechecks, rechecks, bound)
	resealedBoxes(w, storage.SealedHints, sessions, bound)
}

// resealed is resealedBoxes of rows with one key, to which their boxes are bound.
func resealed(w *World, column storage.SealedColumn, keys ...string) {
	w.Helper()
	var all [][]string
	for _, key := range keys {
		all = append(all, []string{key})
	}
	resealedBoxes(w, column, all, func(key []string) string { return key[0] })
}

// resealedBoxes lists the column, which has these rows, and replaces the box of the last.
func resealedBoxes(w *World, column storage.SealedColumn, keys [][]string, bound func([]string) string) {
	w.Helper()
	list := func() (all []storage.SealedBox) {
		for after := []string(nil); ; after = all[len(all)-1].Key {
			page, err := w.Store.ListSealed(w.Ctx(), column, after, 1)
			w.Must(err)
			if len(page) == 0 {
				return all
			}
			all = append(all, page...)
		}
	}
	slices.SortFunc(keys, slices.Compare)
	all := list()
	var got [][]string
	for _, box := range all {
		got = append(got, box.Key)
		w.Equal(bound(box.Key), string(box.Bound))
	}
	w.Equal(keys, got)
	last := all[len(all)-1]
	stale := last
	stale.Box = []byte("not it")
	w.Must(w.Store.Reseal(w.Ctx(), column, stale, []byte("wrong")))
	w.Must(w.Store.Reseal(w.Ctx(), column, last, []byte("fresh")))
	all[len(all)-1].Box = []byte("fresh")
	w.Equal(all, list())
}
