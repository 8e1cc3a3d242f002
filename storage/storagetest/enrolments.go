package storagetest

import (
	"fmt"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func enrolmentChecks() []check {
	return []check{
		{"EnrolClient notes how a client came, and takes a use of its initial token", enrolByToken},
		{"EnrolClient refuses what is too many of a network while nobody lets them in", fullEnrolments},
		{"of fifty that register at once as many do as may", raceEnrolments},
		{"SweepEnrolments removes what nobody let in, and nothing else", sweepEnrolments},
		{"initial tokens are listed oldest first, and end", initialTokens},
		{"of fifty initial tokens that are made at once as many are as may be", fullInitialTokens},
	}
}

func (w *World) enrol(id, origin, network string, at time.Time, initial []byte) error {
	return enrolIn(w, w.Store, id, origin, network, at, initial)
}

func enrolIn(w *World, store storage.Identity, id, origin, network string, at time.Time, initial []byte) error {
	act := w.Act()
	act.At = at
	return store.EnrolClient(w.Ctx(), act, storage.Client{ID: id, Name: id, Type: storage.ClientNative,
		Profile: storage.ProfileStandard, Origin: origin, CreatedAt: at, UpdatedAt: at},
		storage.Enrolment{ClientID: id, TokenHash: []byte{1, 2}, Address: network, Network: network, CreatedAt: at}, initial)
}

func enrolByToken(w *World) {
	token := storage.InitialToken{ID: "it", Label: "Work", Hash: []byte{7}, UsesLeft: 2, CreatedAt: w.Now(),
		EndsAt: w.Now().Add(time.Hour)}
	w.Must(w.Store.AddInitialToken(w.Ctx(), w.Act(), token))
	w.Must(w.enrol("a", storage.OriginToken, "n", w.Now(), []byte{7}))
	got, err := w.Store.FindEnrolment(w.Ctx(), "a")
	w.Must(err)
	w.Equal(storage.Enrolment{ClientID: "a", TokenHash: []byte{1, 2}, TokenID: "it", TokenLabel: "Work", ClientName: "a",
		Address: "n", Network: "n", CreatedAt: w.Now()}, got)
	w.Refused(w.enrol("b", storage.OriginToken, "n", w.Now(), []byte{8}), fault.Unauthenticated,
		storage.ReasonInitialToken)
	w.Refused(w.enrol("b", storage.OriginToken, "n", w.Now().Add(time.Hour), []byte{7}), fault.Unauthenticated,
		storage.ReasonInitialToken)
	w.Must(w.enrol("b", storage.OriginToken, "n", w.Now().Add(time.Minute), []byte{7}))
	w.Refused(w.enrol("c", storage.OriginToken, "n", w.Now(), []byte{7}), fault.Unauthenticated,
		storage.ReasonInitialToken)
	all, err := w.Store.ListEnrolments(w.Ctx(), 10)
	w.Must(err)
	w.Equal(2, len(all))
	w.Equal("b", all[0].ClientID)
	w.Must(w.Store.DeleteClient(w.Ctx(), w.Act(), "a"))
	_, err = w.Store.FindEnrolment(w.Ctx(), "a")
	w.Refused(err, fault.NotFound, "")
}

func fullEnrolments(w *World) {
	for i := range storage.MaxNetworkEnrolments {
		w.Must(w.enrol(fmt.Sprint("c", i), storage.OriginOpen, "n", w.Now(), nil))
	}
	w.Refused(w.enrol("more", storage.OriginOpen, "n", w.Now(), nil), fault.TooMany, storage.ReasonEnrolmentsFull)
	w.Must(w.enrol("elsewhere", storage.OriginOpen, "m", w.Now(), nil))
	user := w.User()
	w.allow(w.Request("c0"), user.ID, "openid")
	w.Must(w.enrol("more", storage.OriginOpen, "n", w.Now(), nil))
}

func raceEnrolments(w *World) {
	const left = 5
	for i := range storage.MaxNetworkEnrolments - left {
		w.Must(w.enrol(fmt.Sprint("c", i), storage.OriginOpen, "n", w.Now(), nil))
	}
	results := w.race(racers, func(store storage.Identity, i int) error {
		return enrolIn(w, store, fmt.Sprint("r", i), storage.OriginOpen, "n", w.Now(), nil)
	})
	w.Equal(map[string]int{"ok": left, "too many " + storage.ReasonEnrolmentsFull: racers - left}, each(results))
}

func sweepEnrolments(w *World) {
	w.Must(w.enrol("idle", storage.OriginOpen, "n", w.Now(), nil))
	w.Must(w.enrol("let-in", storage.OriginOpen, "n", w.Now(), nil))
	w.Must(w.enrol("fresh", storage.OriginOpen, "n", w.Now().Add(time.Minute), nil))
	token := storage.InitialToken{ID: "it", Hash: []byte{7}, UsesLeft: 1, CreatedAt: w.Now(),
		EndsAt: w.Now().Add(time.Hour)}
	w.Must(w.Store.AddInitialToken(w.Ctx(), w.Act(), token))
	w.Must(w.enrol("by-token", storage.OriginToken, "n", w.Now(), []byte{7}))
	user := w.User()
	w.allow(w.Request("let-in"), user.ID, "openid")
	n, err := w.Store.SweepEnrolments(w.Ctx(), w.Act(), w.Now(), 10)
	w.Must(err)
	w.Equal(1, n)
	w.Audited("idle", "client.deleted", "client.created")
	all, err := w.Store.ListEnrolments(w.Ctx(), 10)
	w.Must(err)
	w.Equal(3, len(all))
	w.Equal("fresh", all[0].ClientID)
}

func initialTokens(w *World) {
	second := storage.InitialToken{ID: "b", Label: "B", Hash: []byte{2}, UsesLeft: 1, CreatedAt: w.Now().Add(time.Second),
		EndsAt: w.Now().Add(time.Hour)}
	first := storage.InitialToken{ID: "a", Label: "A", Hash: []byte{1}, UsesLeft: 1, CreatedAt: w.Now(),
		EndsAt: w.Now().Add(time.Hour)}
	w.Must(w.Store.AddInitialToken(w.Ctx(), w.Act(), second))
	w.Must(w.Store.AddInitialToken(w.Ctx(), w.Act(), first))
	all, err := w.Store.ListInitialTokens(w.Ctx())
	w.Must(err)
	w.Equal([]storage.InitialToken{first, second}, all)
	w.Must(w.Store.DeleteInitialToken(w.Ctx(), w.Act(), "a"))
	w.Audited("a", "initial_token.ended", "initial_token.created")
	w.Refused(w.Store.DeleteInitialToken(w.Ctx(), w.Act(), "a"), fault.NotFound, "")
}

func fullInitialTokens(w *World) {
	const left = 5
	add := func(store storage.Identity, i int) error {
		return store.AddInitialToken(w.Ctx(), w.Act(), storage.InitialToken{ID: fmt.Sprint("t", i), Hash: []byte{byte(i)},
			UsesLeft: 1, CreatedAt: w.Now(), EndsAt: w.Now().Add(time.Hour)})
	}
	for i := range storage.MaxInitialTokens - left {
		w.Must(add(w.Store, i))
	}
	results := w.race(racers, func(store storage.Identity, i int) error { return add(store, storage.MaxInitialTokens+i) })
	w.Equal(map[string]int{"ok": left, "conflict " + storage.ReasonTokensFull: racers - left}, each(results))
}
