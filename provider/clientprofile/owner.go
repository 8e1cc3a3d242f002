package clientprofile

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Users finds people, as storage.UserStore does.
type Users interface {
	FindUser(ctx context.Context, id string) (storage.User, error)
}

// Owner returns the person who registered the client; false when it was the
// operator, or they are gone.
func Owner(ctx context.Context, users Users, c storage.Client) (storage.User, bool, error) {
	if c.OwnerUserID == "" {
		return storage.User{}, false, nil
	}
	user, err := users.FindUser(ctx, c.OwnerUserID)
	if fault.Is(err, fault.NotFound) {
		return storage.User{}, false, nil
	}
	return user, err == nil, err
}
