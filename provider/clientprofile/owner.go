package clientprofile

import (
	"context"
	"slices"

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

// People lists people, as storage.UserStore does.
type People interface {
	ListUsers(ctx context.Context, filter storage.UserFilter, page storage.PageRequest) (storage.Listing[storage.User],
		error)
}

// Owners returns the people who registered the clients and are not gone, by their ids.
func Owners(ctx context.Context, people People, clients []storage.Client) (map[string]storage.User, error) {
	var ids []string
	for _, c := range clients {
		if c.OwnerUserID != "" {
			ids = append(ids, c.OwnerUserID)
		}
	}
	slices.Sort(ids)
	owners := map[string]storage.User{}
	for some := range slices.Chunk(slices.Compact(ids), storage.MaxPage) {
		users, err := people.ListUsers(ctx, storage.UserFilter{IDs: some}, storage.PageRequest{})
		if err != nil {
			return nil, err
		}
		for _, u := range users.Rows {
			owners[u.ID] = u
		}
	}
	return owners, nil
}
