package serviceaccounts

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Asker is who manages service accounts.
type Asker struct {
	Client   storage.Client // a client application; zero for the operator
	Operator bool           // whoever runs the command line: reaches every account
}

// Ref names an account to one who asks.
type Ref struct {
	AccountID string
	ClientID  string // whose account an internal client means; may be empty
}

// mayActFor reports whether the asker may create and read accounts of other
// clients (decision C5).
func (by Asker) mayActFor() bool { return by.Operator || by.Client.Internal }

// owner returns whose accounts a clientId stands for: empty and the asker's own
// mean the asker's (decision SA9). Forbidden with ReasonInvalidClient for
// another one, unless the asker may act for others.
func (by Asker) owner(clientID string) (string, error) {
	if clientID == "" || clientID == by.Client.ID {
		return by.Client.ID, nil
	}
	if !by.mayActFor() {
		return "", fault.New(fault.Forbidden, ReasonInvalidClient,
			"The client may not act on behalf of other server-to-server applications.")
	}
	return clientID, nil
}

// reaches reports whether the asker, who named the owner, may see and change
// the account.
func (by Asker) reaches(account storage.ServiceAccount, owner string) bool {
	return by.Operator || account.ClientID == owner ||
		by.Client.Internal && account.CreatedBy == by.Client.ID
}

// reach returns the account as it is stored. Somebody else's is NotFound, like
// one that never was.
func (a *Accounts) reach(ctx context.Context, by Asker, ref Ref) (storage.ServiceAccount, error) {
	absent := fault.New(fault.NotFound, "", "The service account was not found.")
	owner, err := by.owner(ref.ClientID)
	if err != nil {
		return storage.ServiceAccount{}, err
	}
	account, err := a.store.FindServiceAccount(ctx, ref.AccountID)
	if fault.Is(err, fault.NotFound) || err == nil && !by.reaches(account, owner) {
		return storage.ServiceAccount{}, absent.Because(err)
	}
	return account, err
}

// ownerOfNew returns the client that a new account is to belong to, and whether
// somebody else creates it (S1 4.2).
func (a *Accounts) ownerOfNew(ctx context.Context, by Asker, clientID string) (storage.Client, bool, error) {
	id, err := by.owner(clientID)
	if err != nil {
		return storage.Client{}, false, err
	}
	if id == by.Client.ID {
		if by.Client.Type != storage.ClientService {
			return storage.Client{}, false, fault.New(fault.Forbidden, ReasonInvalidClient,
				"The client is not a server-to-server application.")
		}
		return by.Client, false, nil
	}
	owner, err := a.store.FindClient(ctx, id)
	switch {
	case fault.Is(err, fault.NotFound) || err == nil && owner.Disabled:
		err = invalid("The clientId does not exist.").Because(err)
	case err == nil && owner.Type != storage.ClientService:
		err = invalid("The clientId is not that of a server-to-server application.")
	}
	return owner, true, err
}
