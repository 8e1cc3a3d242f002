package identity

import (
	"context"

	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// searchKey is what the user is found by, and where in lists.
func (r userRow) searchKey() string {
	return engine.SearchKey(r.Record().Title(), r.Email, r.Username)
}

// FitSearchKeys implements storage.UpkeepStore for people and their groups.
func (s *Identity) FitSearchKeys(ctx context.Context, limit int) (int, error) {
	users, err := engine.FitKeys(ctx, s.db, "users", "id, "+ownUserColumns, limit,
		func(r userRow) (string, string) { return r.ID, r.searchKey() })
	if err != nil {
		return users, err
	}
	groups, err := engine.FitKeys(ctx, s.db, "user_groups", "id, name, description", limit,
		func(g storage.UserGroup) (string, string) { return g.ID, newUserGroupRow(g).SearchKey })
	return users + groups, err
}

// ListUsers implements storage.UserStore.
func (s *Identity) ListUsers(ctx context.Context, filter storage.UserFilter,
	page storage.PageRequest) (storage.Listing[storage.User], error) {
	f := engine.NewFilter()
	if textkey.Search(filter.Query) != "" {
		f.Add(f.Finds(filter.Query))
	}
	if filter.GroupID != "" {
		f.Add("id IN (SELECT user_id FROM user_group_members WHERE group_id = " + f.Bind(filter.GroupID) + ")")
	}
	f.In("id", filter.IDs)
	f.Is("admin", filter.Admin)
	f.Is("disabled", filter.Disabled)
	f.Is("two_factor", filter.TwoFactor)
	ids, err := engine.ListByName(ctx, s.db, "users", f, page)
	if err != nil {
		return storage.Listing[storage.User]{}, err
	}
	those := engine.NewFilter()
	those.In("id", ids.Rows)
	rows, err := engine.Filtered[userRow](ctx, s.db, "\nSELECT "+userColumns+"\nFROM users"+those.Clause(), those)
	return engine.Listed(ids, engine.Records(rows, userRow.Record), func(u storage.User) string { return u.ID }), err
}

// ListUserGroups implements storage.UserGroupStore.
func (s *Identity) ListUserGroups(ctx context.Context, query string,
	page storage.PageRequest) (storage.Listing[storage.UserGroup], error) {
	f := engine.NewFilter()
	if textkey.Search(query) != "" {
		f.Add(f.Finds(query))
	}
	ids, err := engine.ListByName(ctx, s.db, "user_groups", f, page)
	if err != nil {
		return storage.Listing[storage.UserGroup]{}, err
	}
	those := engine.NewFilter()
	those.In("g.id", ids.Rows)
	rows, err := engine.Filtered[userGroupRow](ctx, s.db,
		"\nSELECT "+userGroupColumns+"\nFROM user_groups g"+those.Clause(), those)
	return engine.Listed(ids, engine.Records(rows, userGroupRow.record),
		func(g storage.UserGroup) string { return g.ID }), err
}
