package serviceaccounts

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Request is what a new account is asked for with.
type Request struct {
	Name     string
	ClientID string // on whose behalf; empty: the asker's own
}

// Create adds an account (S1 4.2). Invalid for a name against the rules or an
// owner that can't have one, Forbidden (ReasonInvalidClient) for an asker that
// may not, Conflict for a taken name, TooMany (ReasonLimitExceeded) when the
// owner has as many as it may.
func (a *Accounts) Create(ctx context.Context, act storage.Act, by Asker,
	request Request) (storage.ServiceAccount, error) {
	owner, onBehalf, err := a.ownerOfNew(ctx, by, request.ClientID)
	if err != nil {
		return storage.ServiceAccount{}, err
	}
	longest := maxOwnName
	if onBehalf {
		longest = maxName
	}
	if err := checkName(request.Name, longest); err != nil {
		return storage.ServiceAccount{}, err
	}
	account := storage.ServiceAccount{
		ID: a.ambient.PersonID(), ClientID: owner.ID, CreatedBy: owner.ID, Name: request.Name,
		Email:  address(request.Name, owner.ID, a.emailDomain),
		Status: storage.ServiceAccountEnabled, CreatedAt: act.At, ExpiresAt: act.At.Add(a.lifetime),
	}
	if !by.Operator {
		account.CreatedBy = by.Client.ID
	}
	err = a.store.CreateServiceAccount(ctx, act, account)
	if fault.HasReason(err, storage.ReasonNameTaken) {
		err = fault.New(fault.Conflict, storage.ReasonNameTaken, "The name already exists.").Because(err)
	}
	return account, err
}

// List returns the accounts of the client, oldest first. For an empty clientId
// those are the asker's own and, for an internal client, those it created.
// Forbidden (ReasonInvalidClient) as in Create.
func (a *Accounts) List(ctx context.Context, by Asker, clientID string) ([]storage.ServiceAccount, error) {
	owner, err := by.owner(clientID)
	if err != nil {
		return nil, err
	}
	filter := storage.ServiceAccountFilter{ClientID: owner}
	if clientID == "" && by.Client.Internal {
		filter.CreatedBy = by.Client.ID
	}
	accounts, err := a.store.ListServiceAccounts(ctx, filter)
	for i := range accounts {
		accounts[i] = a.shown(accounts[i], a.ambient.Now())
	}
	return accounts, err
}

// shown returns the account as it is at a time: with uses that are not written
// yet, and deactivated once it has expired.
func (a *Accounts) shown(account storage.ServiceAccount, now time.Time) storage.ServiceAccount {
	account = a.ledger.overlay(account)
	account.Status = account.StatusAt(now)
	return account
}

// Find returns an account, or NotFound.
func (a *Accounts) Find(ctx context.Context, by Asker, ref Ref) (storage.ServiceAccount, error) {
	account, err := a.reach(ctx, by, ref)
	return a.shown(account, a.ambient.Now()), err
}

// attempts bounds how often a change is tried again because somebody else was
// faster; each time it is judged anew.
const attempts = 5

// SetStatus enables or disables an account and returns it as it is then.
// Invalid when the state can't be wanted or is reached already; NotFound.
func (a *Accounts) SetStatus(ctx context.Context, act storage.Act, by Asker, ref Ref,
	want storage.ServiceAccountStatus) (storage.ServiceAccount, error) {
	defer a.known.forget()
	for range attempts {
		stored, err := a.reach(ctx, by, ref)
		if err != nil {
			return storage.ServiceAccount{}, err
		}
		after := a.shown(stored, act.At)
		if after.Status, err = transition(after.Status, want); err != nil {
			return storage.ServiceAccount{}, err
		}
		if want == storage.ServiceAccountEnabled && !act.At.Before(after.ExpiresAt) {
			after.ExpiresAt = act.At.Add(a.lifetime)
		}
		err = a.store.SetServiceAccountStatus(ctx, act, stored, after.Status, after.ExpiresAt)
		if !fault.HasReason(err, storage.ReasonStatusMoved) {
			return after, err
		}
	}
	return storage.ServiceAccount{}, busy()
}

func busy() error {
	return fault.New(fault.Unavailable, "", "Too many changes at once. Try again.").After(time.Second)
}

// Delete removes an account with its keys; its tokens end with it. NotFound.
func (a *Accounts) Delete(ctx context.Context, act storage.Act, by Asker, ref Ref) error {
	defer a.known.forget()
	account, err := a.reach(ctx, by, ref)
	if err != nil {
		return err
	}
	return a.store.DeleteServiceAccount(ctx, act, account.ID)
}
