package storagetest

import (
	"fmt"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func accountChecks() []check {
	return []check{
		{"CreateServiceAccount adds an account that FindServiceAccount returns in any state", createAccount},
		{"CreateServiceAccount is NotFound for an absent client", createAccountNobody},
		{"CreateServiceAccount refuses a name of the same client, ignoring case", createAccountName},
		{"CreateServiceAccount refuses an id that an account or a user has, without a reason", createAccountID},
		{"CreateServiceAccount refuses an eleventh account whatever the states, and room comes with DELETE",
			createAccountLimit},
		{"ListServiceAccounts returns those that fit either field, oldest first", listAccounts},
		{"SetServiceAccountStatus moves an account as it was seen, and no other", setAccountStatus},
		{"DeleteServiceAccount removes the account with its keys", deleteAccount},
		{"an absent account is NotFound", absentAccount},
		{"DeactivateServiceAccounts moves at most limit enabled accounts that expired", deactivateAccounts},
		{"TokenState follows the state of a service account, its owner and its key", tokenOfAccount},
		{"TokenState is inactive for tokens from before the second in which their account or key was enabled again",
			tokenOfAccountFromBefore},
		{"MarkServiceAccountsUsed notes uses and moves no time back", markAccounts},
	}
}

func accountKeyChecks() []check {
	return []check{
		{"AddServiceAccountKey adds a key that comes back with its account, oldest first in lists", addAccountKey},
		{"AddServiceAccountKey refuses a fourth key whatever the states", addAccountKeyLimit},
		{"AddServiceAccountKey refuses a taken kid", addAccountKeyTaken},
		{"keys of an account that is not enabled stay as they are", accountKeysNeedAccount},
		{"SetServiceAccountKeyStatus moves a key as it was seen", setAccountKeyStatus},
		{"DeleteServiceAccountKey removes the key of that account only", deleteAccountKey},
		{"an absent key is NotFound", absentAccountKey},
		{"SpendAssertionID lets a client use a jti once, and every client for itself", spendAssertion},
		{"SweepAssertionIDs forgets at most limit jtis whose time has come KeepSpent ago", sweepAssertions},
		{"of 50 accounts created at once ten are", raceAccounts},
		{"of 50 keys added at once three are", raceAccountKeys},
		{"of 50 uses of one jti at once one wins", raceAssertion},
	}
}

// account returns an enabled account of the client, which is not kept yet.
func (w *World) account(clientID, name string) storage.ServiceAccount {
	id := w.Source.PersonID()
	return storage.ServiceAccount{
		ID: id, ClientID: clientID, CreatedBy: clientID, Name: name, Email: name + "@" + clientID + ".example.test",
		Status: storage.ServiceAccountEnabled, CreatedAt: w.Now(), ExpiresAt: w.Now().Add(365 * day),
	}
}

// Account adds an enabled service account to the client.
func (w *World) Account(clientID, name string) storage.ServiceAccount {
	w.Helper()
	account := w.account(clientID, name)
	w.Must(w.Store.CreateServiceAccount(w.Ctx(), w.Act(), account))
	return account
}

// AccountKey adds an enabled key to the service account.
func (w *World) AccountKey(accountID string) storage.ServiceAccountKey {
	w.Helper()
	key := w.accountKey(accountID)
	w.Must(w.Store.AddServiceAccountKey(w.Ctx(), w.Act(), key))
	return key
}

func (w *World) accountKey(accountID string) storage.ServiceAccountKey {
	return storage.ServiceAccountKey{
		Label: "Night job", EndsAt: w.Now().Add(24 * time.Hour),
		KID: w.Source.UUID(), AccountID: accountID, Public: w.Source.Bytes(30),
		Status: storage.KeyEnabled, CreatedAt: w.Now(),
	}
}

func (w *World) findAccount(id string) storage.ServiceAccount {
	w.Helper()
	account, err := w.Store.FindServiceAccount(w.Ctx(), id)
	w.Must(err)
	return account
}

// setStatus moves an account as it is now.
func (w *World) setStatus(account storage.ServiceAccount, status storage.ServiceAccountStatus) {
	w.Helper()
	w.Must(w.Store.SetServiceAccountStatus(w.Ctx(), w.Act(), account, status, account.ExpiresAt))
}

func createAccount(w *World) {
	account := w.account(w.Client().ID, "Robot-1")
	account.Status, account.AccessedAt, account.CreatedBy = storage.ServiceAccountDisabled, w.Now(), "another client"
	w.Must(w.Store.CreateServiceAccount(w.Ctx(), w.Act(), account))
	w.Equal(account, w.findAccount(account.ID))
	w.Audited(account.ID, "service_account.created")
}

func createAccountNobody(w *World) {
	w.Refused(w.Store.CreateServiceAccount(w.Ctx(), w.Act(), w.account("nobody", "robot")), fault.NotFound, "")
}

func createAccountName(w *World) {
	client, other := w.Client(), w.Client()
	w.Account(client.ID, "robot")
	w.Refused(w.Store.CreateServiceAccount(w.Ctx(), w.Act(), w.account(client.ID, "ROBOT")), fault.Conflict,
		storage.ReasonNameTaken)
	w.Account(other.ID, "robot")
}

func createAccountID(w *World) {
	client := w.Client()
	for _, id := range []string{w.Account(client.ID, "first").ID, w.User().ID} {
		account := w.account(client.ID, "second")
		account.ID = id
		err := w.Store.CreateServiceAccount(w.Ctx(), w.Act(), account)
		w.Refused(err, fault.Conflict, "")
		w.Equal("", fault.From(err).Reason)
	}
}

func createAccountLimit(w *World) {
	client, other := w.Client(), w.Client()
	var last storage.ServiceAccount
	for i := range storage.MaxServiceAccounts {
		last = w.Account(client.ID, fmt.Sprint("robot", i))
	}
	w.setStatus(last, storage.ServiceAccountDisabled)
	eleventh := w.account(client.ID, "eleventh")
	w.Refused(w.Store.CreateServiceAccount(w.Ctx(), w.Act(), eleventh), fault.TooMany, storage.ReasonLimitExceeded)
	w.Account(other.ID, "robot")
	w.Must(w.Store.DeleteServiceAccount(w.Ctx(), w.Act(), last.ID))
	w.Must(w.Store.CreateServiceAccount(w.Ctx(), w.Act(), eleventh))
}

func listAccounts(w *World) {
	mine, other := w.Client(), w.Client()
	second := w.account(mine.ID, "second")
	second.CreatedAt = w.Now().Add(time.Second)
	w.Must(w.Store.CreateServiceAccount(w.Ctx(), w.Act(), second))
	first := w.Account(mine.ID, "first")
	third := w.account(other.ID, "third")
	third.CreatedBy, third.CreatedAt = mine.ID, w.Now().Add(time.Minute)
	w.Must(w.Store.CreateServiceAccount(w.Ctx(), w.Act(), third))
	for _, c := range []struct {
		filter storage.ServiceAccountFilter
		want   []storage.ServiceAccount
	}{
		{storage.ServiceAccountFilter{ClientID: mine.ID}, []storage.ServiceAccount{first, second}},
		{storage.ServiceAccountFilter{CreatedBy: mine.ID}, []storage.ServiceAccount{first, second, third}},
		{storage.ServiceAccountFilter{ClientID: other.ID, CreatedBy: "nobody"}, []storage.ServiceAccount{third}},
		{storage.ServiceAccountFilter{ClientID: other.ID, CreatedBy: mine.ID},
			[]storage.ServiceAccount{first, second, third}},
		{storage.ServiceAccountFilter{}, nil},
	} {
		got, err := w.Store.ListServiceAccounts(w.Ctx(), c.filter)
		w.Must(err)
		w.Equal(c.want, got)
	}
}

func setAccountStatus(w *World) {
	account := w.Account(w.Client().ID, "robot")
	until := w.Now().Add(day)
	w.Must(w.Store.SetServiceAccountStatus(w.Ctx(), w.Act(), account, storage.ServiceAccountDisabled, until))
	moved := account
	moved.Status, moved.ExpiresAt = storage.ServiceAccountDisabled, until
	w.Equal(moved, w.findAccount(account.ID))
	err := w.Store.SetServiceAccountStatus(w.Ctx(), w.Act(), account, storage.ServiceAccountEnabled, until)
	w.Refused(err, fault.Conflict, storage.ReasonStatusMoved)
	stale := moved
	stale.ExpiresAt = account.ExpiresAt
	err = w.Store.SetServiceAccountStatus(w.Ctx(), w.Act(), stale, storage.ServiceAccountEnabled, until)
	w.Refused(err, fault.Conflict, storage.ReasonStatusMoved)
	w.Equal(moved, w.findAccount(account.ID))
}

func deleteAccount(w *World) {
	client := w.Client()
	account := w.Account(client.ID, "robot")
	key := w.AccountKey(account.ID)
	w.Must(w.Store.DeleteServiceAccount(w.Ctx(), w.Act(), account.ID))
	_, err := w.Store.FindServiceAccount(w.Ctx(), account.ID)
	w.Refused(err, fault.NotFound, "")
	_, _, err = w.Store.FindServiceAccountKey(w.Ctx(), key.KID)
	w.Refused(err, fault.NotFound, "")
	w.Account(client.ID, "robot") // the name is free again
}

func absentAccount(w *World) {
	_, findErr := w.Store.FindServiceAccount(w.Ctx(), "NOBODY")
	keys, listErr := w.Store.ListServiceAccountKeys(w.Ctx(), "NOBODY")
	w.Must(listErr)
	w.Equal(0, len(keys))
	seen := storage.ServiceAccount{ID: "NOBODY", Status: storage.ServiceAccountEnabled, ExpiresAt: w.Now()}
	for name, err := range map[string]error{
		"FindServiceAccount": findErr,
		"SetServiceAccountStatus": w.Store.SetServiceAccountStatus(w.Ctx(), w.Act(), seen,
			storage.ServiceAccountDisabled, w.Now()),
		"DeleteServiceAccount": w.Store.DeleteServiceAccount(w.Ctx(), w.Act(), "NOBODY"),
		"AddServiceAccountKey": w.Store.AddServiceAccountKey(w.Ctx(), w.Act(), w.accountKey("NOBODY")),
	} {
		if !fault.Is(err, fault.NotFound) {
			w.Errorf("%s: %v, want not found", name, err)
		}
	}
}

func deactivateAccounts(w *World) {
	client := w.Client()
	disabled := w.Account(client.ID, "disabled")
	w.setStatus(disabled, storage.ServiceAccountDisabled)
	for i := range 3 {
		w.Account(client.ID, fmt.Sprint("robot", i))
	}
	live := w.account(client.ID, "lives")
	live.ExpiresAt = live.ExpiresAt.Add(day)
	w.Must(w.Store.CreateServiceAccount(w.Ctx(), w.Act(), live))
	w.Clock.Advance(365*day + time.Microsecond)
	for _, want := range []int{2, 1, 0} {
		n, err := w.Store.DeactivateServiceAccounts(w.Ctx(), w.Act(), w.Now(), 2)
		w.Must(err)
		w.Equal(want, n)
	}
	accounts, err := w.Store.ListServiceAccounts(w.Ctx(), storage.ServiceAccountFilter{ClientID: client.ID})
	w.Must(err)
	states := map[storage.ServiceAccountStatus]int{}
	for _, account := range accounts {
		states[account.Status]++
	}
	w.Equal(map[storage.ServiceAccountStatus]int{
		storage.ServiceAccountDeactivated: 3, storage.ServiceAccountDisabled: 1, storage.ServiceAccountEnabled: 1,
	}, states)
}

func tokenOfAccount(w *World) {
	client := w.Client()
	account := w.Account(client.ID, "robot")
	key, foreign := w.AccountKey(account.ID), w.AccountKey(w.Account(client.ID, "other").ID)
	token := storage.TokenQuery{JTI: "j", ClientID: client.ID, UserID: account.ID, KeyID: key.KID}
	w.Equal(true, w.active(token))
	w.Equal(false, w.active(storage.TokenQuery{UserID: account.ID, KeyID: foreign.KID}))
	w.setStatus(account, storage.ServiceAccountDisabled)
	w.Equal(false, w.active(token))
	w.setStatus(w.findAccount(account.ID), storage.ServiceAccountEnabled)
	w.Equal(true, w.active(token))
	for _, disabled := range []bool{true, false} {
		w.Must(w.Store.SetClientDisabled(w.Ctx(), w.Act(), client.ID, disabled))
		w.Equal(!disabled, w.active(storage.TokenQuery{UserID: account.ID, KeyID: key.KID}))
	}
	w.Must(w.Store.SetServiceAccountKeyStatus(w.Ctx(), w.Act(), key, storage.KeyDisabled))
	w.Equal(false, w.active(token))
	w.Equal(true, w.active(storage.TokenQuery{UserID: account.ID}))
}

func tokenOfAccountFromBefore(w *World) {
	account := w.Account(w.Client().ID, "robot")
	key, other := w.AccountKey(account.ID), w.AccountKey(account.ID)
	token := storage.TokenQuery{UserID: account.ID, KeyID: key.KID}
	w.reenabled(token, func(disabled bool) {
		seen, _, err := w.Store.FindServiceAccountKey(w.Ctx(), key.KID)
		w.Must(err)
		status := storage.KeyEnabled
		if disabled {
			status = storage.KeyDisabled
		}
		w.Must(w.Store.SetServiceAccountKeyStatus(w.Ctx(), w.Act(), seen, status))
	})
	fromBefore := storage.TokenQuery{UserID: account.ID, KeyID: other.KID,
		IssuedAt: account.CreatedAt.Truncate(time.Second)}
	w.Equal(true, w.active(fromBefore)) // another key's
	w.reenabled(token, func(disabled bool) {
		status := storage.ServiceAccountEnabled
		if disabled {
			status = storage.ServiceAccountDisabled
		}
		w.setStatus(w.findAccount(account.ID), status)
	})
	w.Equal(false, w.active(fromBefore))
}

func markAccounts(w *World) {
	account := w.Account(w.Client().ID, "robot")
	key := w.AccountKey(account.ID)
	late := storage.ServiceAccountUse{
		AccountID: account.ID, KID: key.KID, At: w.Now().Add(time.Hour), ExpiresAt: account.ExpiresAt.Add(time.Hour),
	}
	early := storage.ServiceAccountUse{AccountID: account.ID, KID: key.KID, At: w.Now(), ExpiresAt: account.ExpiresAt}
	absent := storage.ServiceAccountUse{AccountID: "NOBODY", KID: "none", At: w.Now(), ExpiresAt: w.Now()}
	for _, uses := range [][]storage.ServiceAccountUse{{absent, late}, {early}, nil} {
		w.Must(w.Store.MarkServiceAccountsUsed(w.Ctx(), uses))
	}
	account.AccessedAt, account.ExpiresAt, key.AccessedAt = late.At, late.ExpiresAt, late.At
	gotKey, got, err := w.Store.FindServiceAccountKey(w.Ctx(), key.KID)
	w.Must(err)
	w.Equal(account, got)
	w.Equal(key, gotKey)
}
