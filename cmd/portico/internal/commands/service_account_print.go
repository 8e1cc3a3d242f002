package commands

import (
	"time"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/storage"
)

// serviceAccountJSON is a service account on the command line.
type serviceAccountJSON struct {
	ServiceAccountID string     `json:"service_account_id"`
	Email            string     `json:"email"`
	Name             string     `json:"name"`
	ClientID         string     `json:"client_id"`
	CreatedBy        string     `json:"created_by"`
	Status           string     `json:"status"`
	CreatedAt        time.Time  `json:"created_at"`
	AccessedAt       *time.Time `json:"accessed_at"`
	ExpiresAt        time.Time  `json:"expires_at"`
}

func toServiceAccountJSON(a storage.ServiceAccount) serviceAccountJSON {
	return serviceAccountJSON{
		ServiceAccountID: a.ID, Email: a.Email, Name: a.Name, ClientID: a.ClientID, CreatedBy: a.CreatedBy,
		Status: string(a.Status), CreatedAt: a.CreatedAt, AccessedAt: adminapi.Moment(a.AccessedAt), ExpiresAt: a.ExpiresAt,
	}
}

func (e *Env) printAccount(asJSON bool, a storage.ServiceAccount) error {
	if asJSON {
		return e.printJSON(toServiceAccountJSON(a))
	}
	e.printRows([]row{
		{"service_account_id", a.ID}, {"email", a.Email}, {"name", a.Name}, {"client_id", a.ClientID},
		{"created by", a.CreatedBy}, {"status", string(a.Status)}, {"created", moment(a.CreatedAt)},
		{"last used", moment(a.AccessedAt)}, {"expires", moment(a.ExpiresAt)},
	})
	return nil
}

func (e *Env) printAccounts(asJSON bool, accounts []storage.ServiceAccount) error {
	const header = "SERVICE_ACCOUNT_ID NAME STATUS LAST-USED EXPIRES"
	return printList(e, asJSON, "service_accounts", header, accounts, toServiceAccountJSON,
		func(a storage.ServiceAccount) []string {
			return []string{a.ID, a.Name, string(a.Status), moment(a.AccessedAt), moment(a.ExpiresAt)}
		})
}

// accountKeyJSON is the key of a service account on the command line.
type accountKeyJSON struct {
	KID        string     `json:"kid"`
	Status     string     `json:"status"`
	CreatedAt  time.Time  `json:"created_at"`
	AccessedAt *time.Time `json:"accessed_at"`
	Label      string     `json:"label"`
	EndsAt     *time.Time `json:"ends_at"`
}

func (e *Env) printAccountKeys(asJSON bool, keys []storage.ServiceAccountKey) error {
	toJSON := func(k storage.ServiceAccountKey) accountKeyJSON {
		return accountKeyJSON{KID: k.KID, Status: string(k.Status), CreatedAt: k.CreatedAt,
			AccessedAt: adminapi.Moment(k.AccessedAt),
			Label:      k.Label, EndsAt: adminapi.Moment(k.EndsAt)}
	}
	return printList(e, asJSON, "keys", "KID LABEL STATUS CREATED LAST-USED ENDS", keys, toJSON,
		func(k storage.ServiceAccountKey) []string {
			return []string{k.KID, k.Label, string(k.Status), moment(k.CreatedAt), moment(k.AccessedAt), moment(k.EndsAt)}
		})
}
