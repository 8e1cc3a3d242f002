package identity

import (
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

type serviceAccountRow struct {
	ID         string         `db:"id"`
	ClientID   string         `db:"client_id"`
	CreatedBy  string         `db:"created_by"`
	Name       string         `db:"name"`
	NameKey    string         `db:"name_key"`
	Email      string         `db:"email"`
	Status     string         `db:"status"`
	CreatedAt  engine.Instant `db:"created_at"`
	AccessedAt engine.Instant `db:"accessed_at"`
	ExpiresAt  engine.Instant `db:"expires_at"`
}

type serviceAccountKeyRow struct {
	KID        string         `db:"kid"`
	AccountID  string         `db:"account_id"`
	Public     []byte         `db:"public"`
	Status     string         `db:"status"`
	CreatedAt  engine.Instant `db:"created_at"`
	AccessedAt engine.Instant `db:"accessed_at"`
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
		CreatedAt: engine.At(a.CreatedAt), AccessedAt: engine.At(a.AccessedAt), ExpiresAt: engine.At(a.ExpiresAt),
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
		CreatedAt: engine.At(k.CreatedAt), AccessedAt: engine.At(k.AccessedAt),
	}
}

func (r serviceAccountKeyRow) record() storage.ServiceAccountKey {
	return storage.ServiceAccountKey{
		KID: r.KID, AccountID: r.AccountID, Public: r.Public, Status: storage.KeyStatus(r.Status),
		CreatedAt: r.CreatedAt.Time, AccessedAt: r.AccessedAt.Time,
	}
}
