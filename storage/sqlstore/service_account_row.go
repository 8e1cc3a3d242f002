package sqlstore

import (
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
)

type serviceAccountRow struct {
	ID         string  `db:"id"`
	ClientID   string  `db:"client_id"`
	CreatedBy  string  `db:"created_by"`
	Name       string  `db:"name"`
	NameKey    string  `db:"name_key"`
	Email      string  `db:"email"`
	Status     string  `db:"status"`
	CreatedAt  instant `db:"created_at"`
	AccessedAt instant `db:"accessed_at"`
	ExpiresAt  instant `db:"expires_at"`
}

type serviceAccountKeyRow struct {
	KID        string  `db:"kid"`
	AccountID  string  `db:"account_id"`
	Public     []byte  `db:"public"`
	Status     string  `db:"status"`
	CreatedAt  instant `db:"created_at"`
	AccessedAt instant `db:"accessed_at"`
}

// keyWithAccount is a row of selectServiceAccountKey.
type keyWithAccount struct {
	serviceAccountKeyRow
	Account serviceAccountRow `db:"account"`
}

const (
	serviceAccountColumns = `id, client_id, created_by, name, email, status, created_at, accessed_at, expires_at`

	serviceAccountKeyColumns = `kid, account_id, public, status, created_at, accessed_at`
)

func newServiceAccountRow(a storage.ServiceAccount) serviceAccountRow {
	return serviceAccountRow{
		ID: a.ID, ClientID: a.ClientID, CreatedBy: a.CreatedBy, Name: a.Name, NameKey: textkey.Fold(a.Name),
		Email: a.Email, Status: string(a.Status),
		CreatedAt: at(a.CreatedAt), AccessedAt: at(a.AccessedAt), ExpiresAt: at(a.ExpiresAt),
	}
}

func (r serviceAccountRow) record() storage.ServiceAccount {
	return storage.ServiceAccount{
		ID: r.ID, ClientID: r.ClientID, CreatedBy: r.CreatedBy, Name: r.Name,
		Email: r.Email, Status: storage.ServiceAccountStatus(r.Status),
		CreatedAt: r.CreatedAt.Time, AccessedAt: r.AccessedAt.Time, ExpiresAt: r.ExpiresAt.Time,
	}
}

func newServiceAccountKeyRow(k storage.ServiceAccountKey) serviceAccountKeyRow {
	return serviceAccountKeyRow{
		KID: k.KID, AccountID: k.AccountID, Public: k.Public, Status: string(k.Status),
		CreatedAt: at(k.CreatedAt), AccessedAt: at(k.AccessedAt),
	}
}

func (r serviceAccountKeyRow) record() storage.ServiceAccountKey {
	return storage.ServiceAccountKey{
		KID: r.KID, AccountID: r.AccountID, Public: r.Public, Status: storage.KeyStatus(r.Status),
		CreatedAt: r.CreatedAt.Time, AccessedAt: r.AccessedAt.Time,
	}
}
