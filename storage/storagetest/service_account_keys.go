package storagetest

import (
	"fmt"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func (w *World) accountKeys(accountID string) []storage.ServiceAccountKey {
	w.Helper()
	keys, err := w.Store.ListServiceAccountKeys(w.Ctx(), accountID)
	w.Must(err)
	return keys
}

func addAccountKey(w *World) {
	account := w.Account(w.Client().ID, "robot")
	second := w.accountKey(account.ID)
	second.CreatedAt = w.Now().Add(time.Second)
	w.Must(w.Store.AddServiceAccountKey(w.Ctx(), w.Act(), second))
	first := w.AccountKey(account.ID)
	w.setStatus(account, storage.ServiceAccountDisabled)
	account.Status = storage.ServiceAccountDisabled
	gotKey, gotAccount, err := w.Store.FindServiceAccountKey(w.Ctx(), first.KID)
	w.Must(err)
	w.Equal(first, gotKey)
	w.Equal(account, gotAccount)
	w.Equal([]storage.ServiceAccountKey{first, second}, w.accountKeys(account.ID))
	other := w.AccountKey(w.Account(w.Client().ID, "other").ID)
	both, err := w.Store.ListServiceAccountKeys(w.Ctx(), account.ID, other.AccountID, "gone")
	w.Must(err)
	w.Equal(3, len(both))
}

func addAccountKeyLimit(w *World) {
	account := w.Account(w.Client().ID, "robot")
	var key storage.ServiceAccountKey
	for range storage.MaxServiceAccountKeys {
		key = w.AccountKey(account.ID)
	}
	w.Must(w.Store.SetServiceAccountKeyStatus(w.Ctx(), w.Act(), key, storage.KeyDisabled))
	fourth := w.accountKey(account.ID)
	w.Refused(w.Store.AddServiceAccountKey(w.Ctx(), w.Act(), fourth), fault.TooMany, storage.ReasonLimitExceeded)
	w.Must(w.Store.DeleteServiceAccountKey(w.Ctx(), w.Act(), account.ID, key.KID))
	w.Must(w.Store.AddServiceAccountKey(w.Ctx(), w.Act(), fourth))
}

func addAccountKeyTaken(w *World) {
	client := w.Client()
	key := w.AccountKey(w.Account(client.ID, "robot").ID)
	key.AccountID = w.Account(client.ID, "other").ID
	w.Refused(w.Store.AddServiceAccountKey(w.Ctx(), w.Act(), key), fault.Conflict, "")
}

func accountKeysNeedAccount(w *World) {
	client := w.Client()
	disabled, expired := w.Account(client.ID, "disabled"), w.Account(client.ID, "expired")
	for _, account := range []storage.ServiceAccount{disabled, expired} {
		key := w.AccountKey(account.ID)
		if account.ID == expired.ID {
			w.Clock.Advance(365 * day)
		} else {
			w.setStatus(account, storage.ServiceAccountDisabled)
		}
		for name, err := range map[string]error{
			"AddServiceAccountKey":       w.Store.AddServiceAccountKey(w.Ctx(), w.Act(), w.accountKey(account.ID)),
			"SetServiceAccountKeyStatus": w.Store.SetServiceAccountKeyStatus(w.Ctx(), w.Act(), key, storage.KeyDisabled),
			"DeleteServiceAccountKey":    w.Store.DeleteServiceAccountKey(w.Ctx(), w.Act(), account.ID, key.KID),
		} {
			if !fault.Is(err, fault.Conflict) || !fault.HasReason(err, storage.ReasonAccountDisabled) {
				w.Errorf("%s of the %s account: %v", name, account.Name, err)
			}
		}
		w.Equal([]storage.ServiceAccountKey{key}, w.accountKeys(account.ID))
	}
}

func setAccountKeyStatus(w *World) {
	account := w.Account(w.Client().ID, "robot")
	key, other := w.AccountKey(account.ID), w.AccountKey(account.ID)
	w.Must(w.Store.SetServiceAccountKeyStatus(w.Ctx(), w.Act(), key, storage.KeyDisabled))
	err := w.Store.SetServiceAccountKeyStatus(w.Ctx(), w.Act(), key, storage.KeyDisabled)
	w.Refused(err, fault.Conflict, storage.ReasonStatusMoved)
	key.Status = storage.KeyDisabled
	got, _, err := w.Store.FindServiceAccountKey(w.Ctx(), key.KID)
	w.Must(err)
	w.Equal(key, got)
	got, _, err = w.Store.FindServiceAccountKey(w.Ctx(), other.KID)
	w.Must(err)
	w.Equal(other, got)
}

func deleteAccountKey(w *World) {
	client := w.Client()
	account, other := w.Account(client.ID, "robot"), w.Account(client.ID, "other")
	key, kept := w.AccountKey(account.ID), w.AccountKey(account.ID)
	w.Refused(w.Store.DeleteServiceAccountKey(w.Ctx(), w.Act(), other.ID, key.KID), fault.NotFound, "")
	w.Must(w.Store.DeleteServiceAccountKey(w.Ctx(), w.Act(), account.ID, key.KID))
	w.Equal([]storage.ServiceAccountKey{kept}, w.accountKeys(account.ID))
}

func absentAccountKey(w *World) {
	account := w.Account(w.Client().ID, "robot")
	_, _, findErr := w.Store.FindServiceAccountKey(w.Ctx(), "none")
	seen := storage.ServiceAccountKey{KID: "none", AccountID: account.ID, Status: storage.KeyEnabled}
	for name, err := range map[string]error{
		"FindServiceAccountKey":      findErr,
		"SetServiceAccountKeyStatus": w.Store.SetServiceAccountKeyStatus(w.Ctx(), w.Act(), seen, storage.KeyDisabled),
		"DeleteServiceAccountKey":    w.Store.DeleteServiceAccountKey(w.Ctx(), w.Act(), account.ID, "none"),
	} {
		if !fault.Is(err, fault.NotFound) {
			w.Errorf("%s: %v, want not found", name, err)
		}
	}
}

func spendAssertion(w *World) {
	until := w.Now().Add(time.Minute)
	w.Must(w.Store.SpendProofID(w.Ctx(), "a", "p", until))
	w.Refused(w.Store.SpendProofID(w.Ctx(), "a", "p", until), fault.Gone, storage.ReasonSpent)
	w.Refused(w.Store.SpendAssertionID(w.Ctx(), "a", "p", until), fault.Gone, storage.ReasonSpent)
	w.Must(w.Store.SpendAssertionID(w.Ctx(), "a", "j", until))
	w.Refused(w.Store.SpendAssertionID(w.Ctx(), "a", "j", until.Add(day)), fault.Gone, storage.ReasonSpent)
	w.Must(w.Store.SpendAssertionID(w.Ctx(), "b", "j", until))
	w.Must(w.Store.SpendAssertionID(w.Ctx(), "a", "J", until))
}

func sweepAssertions(w *World) {
	for i := range 3 {
		w.Must(w.Store.SpendAssertionID(w.Ctx(), "a", fmt.Sprint(i), w.Now().Add(time.Minute)))
	}
	w.Must(w.Store.SpendAssertionID(w.Ctx(), "a", "later", w.Now().Add(time.Hour)))
	w.Clock.Advance(storage.KeepSpent + time.Minute - time.Microsecond)
	for _, want := range []int{0, 2, 1, 0} {
		n, err := w.Store.SweepAssertionIDs(w.Ctx(), w.Now(), 2)
		w.Must(err)
		w.Equal(want, n)
		w.Clock.Advance(time.Microsecond)
	}
	w.Refused(w.Store.SpendAssertionID(w.Ctx(), "a", "later", w.Now()), fault.Gone, storage.ReasonSpent)
}

func raceAccounts(w *World) {
	client := w.Client()
	results := w.race(racers, func(store storage.Identity, i int) error {
		return store.CreateServiceAccount(w.Ctx(), w.Act(), w.account(client.ID, fmt.Sprint("robot", i)))
	})
	w.Equal(map[string]int{
		"ok": storage.MaxServiceAccounts, "too many " + storage.ReasonLimitExceeded: racers - storage.MaxServiceAccounts,
	}, each(results))
}

func raceAccountKeys(w *World) {
	account := w.Account(w.Client().ID, "robot")
	results := w.race(racers, func(store storage.Identity, _ int) error {
		return store.AddServiceAccountKey(w.Ctx(), w.Act(), w.accountKey(account.ID))
	})
	w.Equal(map[string]int{
		"ok": storage.MaxServiceAccountKeys, "too many " +
			storage.ReasonLimitExceeded: racers - storage.MaxServiceAccountKeys,
	}, each(results))
}

func raceAssertion(w *World) {
	results := w.race(racers, func(store storage.Identity, _ int) error {
		return store.SpendAssertionID(w.Ctx(), "a", "j", w.Now().Add(time.Minute))
	})
	w.oneWins(results, fault.Gone, storage.ReasonSpent)
}
