package storagetest

import (
	"time"

	"github.com/portico-id/portico/storage"
)

func tokenChecks() []check {
	return []check{
		{"TokenState is active while nothing the query names has ended", tokenActive},
		{"TokenState tells what the client may ask for by now", tokenScopes},
		{"TokenState asks nothing about empty fields", tokenActiveEmpty},
		{"TokenState is inactive for what is absent", tokenActiveAbsent},
		{"TokenState is inactive once the jti is revoked, and no other", tokenRevoked},
		{"TokenState is inactive once the grant is revoked", tokenGrantRevoked},
		{"TokenState follows disabling and enabling of user and client", tokenDisabled},
		{"TokenState is inactive for tokens from before the second in which their client was enabled again", tokenFromBefore},
		{"TokenState is inactive for tokens of the second in which their client was disabled and enabled again",
			tokenOfTheSecond},
		{"RevokeToken repeated is no error and is audited once", revokeTwice},
	}
}

func (w *World) active(query storage.TokenQuery) bool {
	w.Helper()
	age := ageOf(w)
	state, err := w.Store.TokenState(w.Ctx(), query)
	w.Must(err)
	if before, asked := w.verdicts[query]; asked && before.active != state.Active && before.age == age {
		w.Errorf("a token became active: %v by something that made the store no older", state.Active)
	}
	w.verdicts[query] = verdict{state.Active, age}
	return state.Active
}

// ageOf is how old the store says that it is: whoever remembers what it said forgets that
// once it is older.
func ageOf(w *World) uint64 {
	w.Helper()
	store, ok := w.Store.(aging)
	if !ok {
		w.Fatal("the store has no age")
	}
	return store.Age()
}

type aging interface{ Age() uint64 }

// calmAge is how old the store says that it is once what was written to it has settled: a
// store in a file grows older for a while after that.
func calmAge(store any) uint64 {
	for age := store.(aging).Age(); ; time.Sleep(10 * time.Millisecond) {
		again := store.(aging).Age()
		if again == age {
			return age
		}
		age = again
	}
}

// liveToken returns the query of a live token.
func (w *World) liveToken() storage.TokenQuery {
	w.Helper()
	grant := w.liveGrant()
	return storage.TokenQuery{JTI: w.Source.UID(), ClientID: grant.ClientID, GrantID: grant.ID, UserID: grant.UserID}
}

func tokenActive(w *World) {
	w.Equal(true, w.active(w.liveToken()))
}

func tokenScopes(w *World) {
	client := w.Client()
	for _, scopes := range [][]string{{"data:read", "data:write"}, {"data:read"}, nil} {
		client = readClient(w, client.ID)
		client.Scopes = scopes
		w.Must(w.Store.UpdateClient(w.Ctx(), w.Act(), client))
		state, err := w.Store.TokenState(w.Ctx(), storage.TokenQuery{ClientID: client.ID})
		w.Must(err)
		w.Equal(storage.TokenState{Active: true, Scopes: scopes, Profile: client.Profile}, state)
	}
	state, err := w.Store.TokenState(w.Ctx(), storage.TokenQuery{JTI: "j"})
	w.Must(err)
	w.Equal(storage.TokenState{Active: true}, state)
}

func tokenActiveEmpty(w *World) {
	w.Equal(true, w.active(storage.TokenQuery{}))
	w.Equal(true, w.active(storage.TokenQuery{ClientID: w.Client().ID}))
	w.Equal(true, w.active(storage.TokenQuery{JTI: "j"}))
}

func tokenActiveAbsent(w *World) {
	live := w.liveToken()
	for name, query := range map[string]storage.TokenQuery{
		"client": {JTI: live.JTI, ClientID: "nobody", GrantID: live.GrantID, UserID: live.UserID},
		"grant":  {JTI: live.JTI, ClientID: live.ClientID, GrantID: "none", UserID: live.UserID},
		"user":   {JTI: live.JTI, ClientID: live.ClientID, GrantID: live.GrantID, UserID: "NOBODY"},
	} {
		if w.active(query) {
			w.Errorf("active with an absent %s", name)
		}
	}
}

func tokenRevoked(w *World) {
	live, other := w.liveToken(), w.liveToken()
	w.Must(w.Store.RevokeToken(w.Ctx(), w.Act(), live.JTI, w.Now().Add(time.Hour)))
	w.Equal(false, w.active(live))
	w.Equal(true, w.active(other))
}

func tokenGrantRevoked(w *World) {
	live := w.liveToken()
	w.Must(w.Store.RevokeGrant(w.Ctx(), w.Act(), live.GrantID))
	w.Equal(false, w.active(live))
}

func tokenDisabled(w *World) {
	live := w.liveToken()
	withoutGrant := storage.TokenQuery{ClientID: live.ClientID, UserID: live.UserID}
	for _, disabled := range []bool{true, false} {
		w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), live.UserID, disabled))
		w.Equal(!disabled, w.active(withoutGrant))
	}
	for _, disabled := range []bool{true, false} {
		w.Must(w.Store.SetClientDisabled(w.Ctx(), w.Act(), live.ClientID, disabled))
		w.Equal(!disabled, w.active(withoutGrant))
	}
	w.Equal(false, w.active(live)) // its grant stays revoked
}

// tokenFromBefore holds the boundary, too: tokens tell no more than the second of
// their issue, and those of the second in which the client was enabled live.
func tokenFromBefore(w *World) {
	client := w.Client()
	w.reenabled(storage.TokenQuery{ClientID: client.ID}, func(disabled bool) {
		w.Must(w.Store.SetClientDisabled(w.Ctx(), w.Act(), client.ID, disabled))
	})
}

// reenabled disables and enables, by set, what stands behind a token, and asks
// about tokens of before and after.
func (w *World) reenabled(token storage.TokenQuery, set func(disabled bool)) {
	w.Helper()
	second := func() time.Time { return w.Now().Truncate(time.Second) }
	before := token
	before.IssuedAt = second()
	w.Equal(true, w.active(before))
	w.Clock.Advance(time.Hour)
	set(true)
	w.Equal(false, w.active(before))
	w.Clock.Advance(time.Hour + time.Second/2)
	set(false)
	after := token
	after.IssuedAt = second()
	w.Equal(true, w.active(after))
	w.Equal(false, w.active(before))
	after.IssuedAt = second().Add(-time.Second)
	w.Equal(false, w.active(after))
}

func tokenOfTheSecond(w *World) {
	client := w.Client()
	token := storage.TokenQuery{ClientID: client.ID, IssuedAt: w.Now().Truncate(time.Second)}
	w.Equal(true, w.active(token))
	for _, disabled := range []bool{true, false} {
		w.Must(w.Store.SetClientDisabled(w.Ctx(), w.Act(), client.ID, disabled))
	}
	w.Equal(false, w.active(token))
	w.Clock.Advance(time.Second)
	token.IssuedAt = w.Now().Truncate(time.Second)
	w.Equal(true, w.active(token))
}

func revokeTwice(w *World) {
	for range 2 {
		w.Must(w.Store.RevokeToken(w.Ctx(), w.Act(), "j", w.Now().Add(time.Hour)))
	}
	w.Audited("j", "token.revoked")
}
