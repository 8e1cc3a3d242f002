package storagetest

import (
	"fmt"
	"sync"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// racers is how many try the same at once, spread over two stores.
const racers = 50

func raceChecks() []check {
	return []check{
		{"of 50 redemptions of one code at once one wins, and the others revoke its grant", raceRedeem},
		{"of 50 uses of one refresh token within the grace all get the same successor", raceRotateGrace},
		{"of 50 uses of one refresh token without grace one wins, and the others revoke its grant", raceRotate},
		{"a grant revoked while it rotates ends revoked", raceRevoke},
		{"a user disabled while codes are redeemed keeps no live grant", raceDisableUser},
		{"a client disabled while codes are redeemed keeps no live grant", raceDisableClient},
		{"a password set while codes are redeemed leaves no grant of before", racePassword},
		{"of 50 users with one address at once one is created", raceCreateUser},
		{"of 50 users renamed to one name at once one gets it", raceRename},
		{"of administrators who all leave at once one stays", raceLastAdmin},
		{"of 50 holders of one lease at once one gets it", raceLease},
		{"of 50 keys of one generation at once one is added", raceKey},
		{"50 secrets added at once leave two", raceSecrets},
		{"50 clients registered at once are as many as the owner may have", raceRegistrations},
		{"50 answers to consent questions at once all count", raceConsent},
		{"a user deleted while everything goes on leaves nothing behind", raceDelete},
		{"64 clients on a pool of 4 all get served", crowd},
	}
}

// race runs n tries at once, on two stores in turns, and returns what each came
// to.
func (w *World) race(n int, try func(store storage.Identity, i int) error) []error {
	w.Helper()
	stores := []storage.Identity{w.Store, w.Second(fewConns)}
	results := make([]error, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			results[i] = try(stores[i%len(stores)], i)
		})
	}
	close(start)
	wg.Wait()
	return results
}

// oneWins checks that one try went through and every other was refused in this
// way.
func (w *World) oneWins(results []error, kind fault.Kind, reason string) {
	w.Helper()
	winners := 0
	for _, err := range results {
		if err == nil {
			winners++
			continue
		}
		w.Refused(err, kind, reason)
	}
	w.Equal(1, winners)
}

// each returns every result in words, without repetition.
func each(results []error) map[string]int {
	words := map[string]int{}
	for _, err := range results {
		switch f := fault.From(err); {
		case f == nil:
			words["ok"]++
		default:
			words[f.Kind.String()+" "+f.Reason]++
		}
	}
	return words
}

func raceRedeem(w *World) {
	code := w.Code(w.User().ID, w.Client().ID)
	results := w.race(racers, func(store storage.Identity, _ int) error {
		return store.RedeemCode(w.Ctx(), w.Act(), code.Hash, w.grantOf(code))
	})
	w.oneWins(results, fault.Gone, storage.ReasonSpent)
	w.Equal("revoked", w.grantState(code.GrantID))
	w.Audited(code.GrantID, "code.reuse_detected")
}

func (w *World) raceRefresh(use storage.RefreshUse) ([]int, []error) {
	w.Helper()
	generations := make([]int, racers)
	results := w.race(racers, func(store storage.Identity, i int) (err error) {
		generations[i], err = store.RotateRefresh(w.Ctx(), w.Act(), use)
		return err
	})
	return generations, results
}

func raceRotateGrace(w *World) {
	grant := w.liveGrant()
	generations, results := w.raceRefresh(storage.RefreshUse{GrantID: grant.ID, Generation: 1,
		Grace: grace, Lifetime: lifetime, ProofKey: grant.ProofKey, Certificate: grant.Certificate})
	w.Equal(map[string]int{"ok": racers}, each(results))
	for _, got := range generations {
		w.Equal(2, got)
	}
	w.Equal("live", w.grantState(grant.ID))
}

func raceRotate(w *World) {
	grant := w.liveGrant()
	_, results := w.raceRefresh(storage.RefreshUse{GrantID: grant.ID, Generation: 1, Lifetime: lifetime})
	w.oneWins(results, fault.Gone, "") // the first loser finds it spent, later ones revoked
	if words := each(results); words["gone "+storage.ReasonSpent] != 1 {
		w.Errorf("results are %v", words)
	}
	w.Equal("revoked", w.grantState(grant.ID))
	w.Audited(grant.ID, "grant.reuse_detected")
}

func raceRevoke(w *World) {
	grant := w.liveGrant()
	results := w.race(racers, func(store storage.Identity, i int) error {
		if i == racers/2 {
			return store.RevokeGrant(w.Ctx(), w.Act(), grant.ID)
		}
		_, err := store.RotateRefresh(w.Ctx(), w.Act(),
			storage.RefreshUse{GrantID: grant.ID, Generation: 1, Grace: grace, Lifetime: lifetime,
				ProofKey: grant.ProofKey, Certificate: grant.Certificate})
		if fault.HasReason(err, storage.ReasonRevoked) {
			return nil
		}
		return err
	})
	w.Equal(map[string]int{"ok": racers}, each(results))
	w.Equal("revoked", w.grantState(grant.ID))
}

// raceRedemptions redeems a code for each racer but one, who does something
// else, and returns the codes. A redemption may be refused as withdrawn.
func (w *World) raceRedemptions(user storage.User, client storage.Client,
	other func(storage.Identity) error) []storage.AuthorizeCode {
	w.Helper()
	var codes []storage.AuthorizeCode
	for range racers {
		codes = append(codes, w.Code(user.ID, client.ID))
	}
	results := w.race(racers, func(store storage.Identity, i int) error {
		if i == racers/2 {
			return other(store)
		}
		err := store.RedeemCode(w.Ctx(), w.Act(), codes[i].Hash, w.grantOf(codes[i]))
		if fault.HasReason(err, storage.ReasonRevoked) || fault.Is(err, fault.NotFound) {
			return nil
		}
		return err
	})
	w.Equal(map[string]int{"ok": racers}, each(results))
	return codes
}

func (w *World) noneLive(codes []storage.AuthorizeCode) {
	w.Helper()
	for _, code := range codes {
		if state := w.grantState(code.GrantID); state == "live" {
			w.Errorf("grant %s is live", code.GrantID)
		}
	}
}

func raceDisableUser(w *World) {
	user := w.User()
	w.noneLive(w.raceRedemptions(user, w.Client(), func(store storage.Identity) error {
		return store.SetUserDisabled(w.Ctx(), w.Act(), user.ID, true)
	}))
}

func raceDisableClient(w *World) {
	client := w.Client()
	w.noneLive(w.raceRedemptions(w.User(), client, func(store storage.Identity) error {
		return store.SetClientDisabled(w.Ctx(), w.Act(), client.ID, true)
	}))
}

func racePassword(w *World) {
	user := w.User()
	w.noneLive(w.raceRedemptions(user, w.Client(), func(store storage.Identity) error {
		return store.SetPassword(w.Ctx(), w.Act(), user.ID, "fresh", "")
	}))
}

func raceCreateUser(w *World) {
	results := w.race(racers, func(store storage.Identity, i int) error {
		return store.CreateUser(w.Ctx(), w.Act(), storage.User{
			ID: fmt.Sprintf("U%02d", i), Email: "one@example.test", CreatedAt: w.Now(), UpdatedAt: w.Now(),
		}, "")
	})
	w.oneWins(results, fault.Conflict, storage.ReasonEmailTaken)
}

func raceRename(w *World) {
	users := make([]storage.User, racers)
	for i := range users {
		users[i] = w.User()
		users[i].Username = "the one"
	}
	results := w.race(racers, func(store storage.Identity, i int) error {
		return store.UpdateUser(w.Ctx(), w.Act(), users[i], nil)
	})
	w.oneWins(results, fault.Conflict, storage.ReasonUsernameTaken)
}

func raceLastAdmin(w *World) {
	for name, leave := range departures() {
		w.noAdmins()
		admins := make([]storage.User, 20)
		for i := range admins {
			admins[i] = w.admin()
		}
		results := w.race(len(admins), func(store storage.Identity, i int) error {
			return leave(w.Ctx(), store, w.Act(), admins[i])
		})
		left, err := w.Store.CountAdmins(w.Ctx())
		w.Must(err)
		if left != 1 {
			w.Errorf("%s: %d are left", name, left)
		}
		w.Equal(map[string]int{"ok": len(admins) - 1, "conflict " + storage.ReasonLastAdmin: 1}, each(results))
	}
}

func raceLease(w *World) {
	won := make([]bool, racers)
	results := w.race(racers, func(store storage.Identity, i int) (err error) {
		won[i], err = store.AcquireLease(w.Ctx(), "duty", fmt.Sprint(i), w.Now(), w.Now().Add(day))
		return err
	})
	w.Equal(map[string]int{"ok": racers}, each(results))
	winners := 0
	for _, yes := range won {
		if yes {
			winners++
		}
	}
	w.Equal(1, winners)
}

func raceKey(w *World) {
	results := w.race(racers, func(store storage.Identity, i int) error {
		return store.AddSigningKey(w.Ctx(), w.Act(), storage.SigningKey{
			Algorithm: "RS256", Generation: 1, KID: fmt.Sprint(i), Sealed: []byte{1}, Public: []byte{1},
			CreatedAt: w.Now(), ActiveFrom: w.Now(),
		})
	})
	w.oneWins(results, fault.Conflict, "")
}

func raceRegistrations(w *World) {
	user := w.User()
	results := w.race(racers, func(store storage.Identity, i int) error {
		client := storage.Client{ID: fmt.Sprint("client", i), Name: "n", Type: storage.ClientWeb,
			Profile: storage.ProfilePlatform, OwnerUserID: user.ID, CreatedAt: w.Now(), UpdatedAt: w.Now()}
		return store.RegisterClient(w.Ctx(), w.Act(), client, 3)
	})
	w.Equal(map[string]int{"ok": 3, "too many " + storage.ReasonClientsFull: racers - 3}, each(results))
}

func raceSecrets(w *World) {
	client := w.Client()
	results := w.race(racers, func(store storage.Identity, i int) error {
		return store.AddClientSecret(w.Ctx(), w.Act(), client.ID, w.secret(fmt.Sprint(i)))
	})
	room := storage.MaxClientSecrets - len(client.Secrets)
	w.Equal(map[string]int{"ok": room, "conflict " + storage.ReasonSecretsFull: racers - room}, each(results))
	w.Equal(storage.MaxClientSecrets, len(w.secrets(client.ID)))
}

func raceConsent(w *World) {
	user, client := w.User(), w.Client()
	requests := make([]storage.LoginRequest, racers)
	for i := range requests {
		requests[i] = w.Request(client.ID)
		requests[i].DecidedBy, requests[i].DecidedAt, requests[i].Allowed = "s", w.Now(), true
	}
	results := w.race(racers, func(store storage.Identity, i int) error {
		return store.DecideLoginRequest(w.Ctx(), w.Act(), requests[i], user.ID, []string{fmt.Sprintf("scope%02d", i)})
	})
	w.Equal(map[string]int{"ok": racers}, each(results))
	consent, err := w.Store.FindConsent(w.Ctx(), user.ID, client.ID)
	w.Must(err)
	w.Equal(racers, len(consent.Scopes))
}

func raceDelete(w *World) {
	user := w.User()
	codes := w.raceRedemptions(user, w.Client(), func(store storage.Identity) error {
		return store.DeleteUser(w.Ctx(), w.Act(), user.ID)
	})
	for _, code := range codes {
		w.Equal("absent", w.grantState(code.GrantID))
	}
}

// crowd lets 64 clients go through a whole life of a grant on few connections:
// an act that took a second one would wait for itself.
func crowd(w *World) {
	const clients, pool = 64, 4
	store := w.Second(pool)
	user, client := w.User(), w.Client()
	codes := make([]storage.AuthorizeCode, clients)
	for i := range codes {
		codes[i] = w.Code(user.ID, client.ID)
	}
	results := w.race(clients, func(_ storage.Identity, i int) error {
		code := codes[i]
		if err := store.RedeemCode(w.Ctx(), w.Act(), code.Hash, w.grantOf(code)); err != nil {
			return err
		}
		for generation := 1; generation <= 5; generation++ {
			use := storage.RefreshUse{GrantID: code.GrantID, Generation: generation, Grace: grace, Lifetime: lifetime}
			if _, err := store.RotateRefresh(w.Ctx(), w.Act(), use); err != nil {
				return err
			}
			state, err := store.TokenState(w.Ctx(),
				storage.TokenQuery{JTI: "j", ClientID: client.ID, GrantID: code.GrantID, UserID: user.ID})
			if err != nil || !state.Active {
				return fmt.Errorf("active: %v, %w", state.Active, err)
			}
			if _, err := store.FindClient(w.Ctx(), client.ID); err != nil {
				return err
			}
		}
		return nil
	})
	w.Equal(map[string]int{"ok": clients}, each(results))
}
