package storagetest

import (
	"fmt"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func userListChecks() []check {
	return []check{
		{"ListUsers goes through everybody by name, in both directions, and counts them", listUsersPages},
		{"ListUsers finds address, user name and name, ignoring case, accents and Unicode form", listUsersSearches},
		{"ListUsers finds who it is by their id, and under a new name at once", listUsersFollows},
		{"ListUsers keeps who is so, and who is in a group", listUsersNarrows},
		{"what has no search key gets one, once", fitSearchKeys},
		{"ListUsers takes %, _ and ! in a query as themselves", listUsersLiterally},
		{"a page has 1 to 200 rows, 0 means 200, anything else is refused", pageLimits},
	}
}

func (w *World) namedUser(id, email, username, name string) {
	w.Helper()
	w.Must(w.Store.CreateUser(w.Ctx(), w.Act(), storage.User{
		ID: id, Email: email, Username: username, Profile: storage.Profile{Name: name},
		CreatedAt: w.Now(), UpdatedAt: w.Now(),
	}, ""))
}

// found returns the ids of the users that a query finds.
func (w *World) found(query string) []string {
	w.Helper()
	return w.listed(storage.UserFilter{Query: query})
}

// listed returns the ids of the users that fit.
func (w *World) listed(filter storage.UserFilter) []string {
	w.Helper()
	users, err := w.Store.ListUsers(w.Ctx(), filter, storage.PageRequest{})
	w.Must(err)
	w.Equal("", users.Next+users.Previous)
	w.Equal(len(users.Rows), users.Total)
	return idsOf(users)
}

func idsOf(users storage.Listing[storage.User]) (ids []string) {
	for _, user := range users.Rows {
		ids = append(ids, user.ID)
	}
	return ids
}

func listUsersPages(w *World) {
	for id, name := range map[string]string{"5": "Zoe", "4": "émile", "3": "Emil", "1": "ann", "2": "Ann"} {
		w.namedUser(id, "x"+id+"@example.test", "", name)
	}
	w.namedUser("0", "bob@example.test", "", "")
	var forth, back [][]string
	page := storage.PageRequest{Limit: 4}
	for more := true; more; more = page.After != "" {
		users, err := w.Store.ListUsers(w.Ctx(), storage.UserFilter{}, page)
		w.Must(err)
		w.Equal(6, users.Total)
		forth, page.After, page.Before = append(forth, idsOf(users)), users.Next, users.Previous
	}
	page = storage.PageRequest{Limit: 1, Before: page.Before}
	for page.Before != "" {
		users, err := w.Store.ListUsers(w.Ctx(), storage.UserFilter{}, page)
		w.Must(err)
		if users.Next == "" {
			w.Error("nothing follows a page that was gone back to")
		}
		back, page.Before = append(back, idsOf(users)), users.Previous
	}
	w.Equal([][]string{{"1", "2", "0", "3"}, {"4", "5"}}, forth)
	w.Equal([][]string{{"3"}, {"0"}, {"2"}, {"1"}}, back)
	for _, junk := range []storage.PageRequest{{After: "junk"}, {Before: "junk"}} {
		_, err := w.Store.ListUsers(w.Ctx(), storage.UserFilter{}, junk)
		w.Refused(err, fault.Invalid, "")
	}
}

func listUsersSearches(w *World) {
	w.namedUser("A", "zoë@example.test", "first", "Ann Lee")
	w.namedUser("B", "viewer@example.test", "ZoE\u0308 2", "Bea")
	w.namedUser("C", "carl@example.test", "", "The great ZOË")
	w.namedUser("D", "zoe@example.test", "", "Without")
	w.namedUser("E", "jm@example.test", "", "Jürgen Müller-Łuk")
	w.Equal([]string{"A", "B", "C", "D"}, w.found("zOË"))
	w.Equal([]string{"A", "B", "C", "D"}, w.found("zoe"))
	w.Equal([]string{"E"}, w.found("muller-luk"))
	w.Equal([]string{"A"}, w.found("nn le"))
	w.Equal([]string(nil), w.found("nobody"))
	w.Equal([]string{"A", "B", "E", "C", "D"}, w.found("EXAMPLE"))
}

func listUsersFollows(w *World) {
	user := w.User()
	w.Equal([]string{user.ID}, w.found(user.ID))
	user.Profile.Name = "Quite Another"
	w.Must(w.Store.UpdateUser(w.Ctx(), w.Act(), user, nil))
	w.Equal([]string{user.ID}, w.found("quite an"))
}

func listUsersNarrows(w *World) {
	plain, admin := w.User(), w.User()
	w.Must(w.Store.UpdateUser(w.Ctx(), w.Act(), admin, new(true)))
	disabled := w.User()
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), disabled.ID, true))
	group := w.userGroup("editors")
	w.Must(w.Store.AddUserGroupMember(w.Ctx(), w.Act(), group.ID, plain.ID))
	w.Equal([]string{admin.ID}, w.listed(storage.UserFilter{Admin: new(true)}))
	w.Equal([]string{disabled.ID}, w.listed(storage.UserFilter{Disabled: new(true)}))
	w.Equal([]string{plain.ID}, w.listed(storage.UserFilter{GroupID: group.ID}))
	w.Equal(3, len(w.listed(storage.UserFilter{TwoFactor: new(false)})))
	w.Equal([]string(nil), w.listed(storage.UserFilter{TwoFactor: new(true)}))
	w.Equal([]string(nil), w.listed(storage.UserFilter{Admin: new(true), GroupID: group.ID}))
	w.Equal([]string{admin.ID}, w.listed(storage.UserFilter{IDs: []string{admin.ID, "gone"}}))
	w.Equal([]string(nil), w.listed(storage.UserFilter{IDs: []string{}}))
}

func fitSearchKeys(w *World) {
	w.User()
	w.userGroup("editors")
	w.ownedClient("a", "")
	n, err := w.Store.FitSearchKeys(w.Ctx(), 100)
	w.Must(err)
	w.Equal(0, n)
}

func listUsersLiterally(w *World) {
	w.namedUser("A", "a_b@example.test", "", "100% sure!")
	w.namedUser("B", "axb@example.test", "", "100x sure")
	w.Equal([]string{"A"}, w.found("a_b"))
	w.Equal([]string{"A"}, w.found("100%"))
	w.Equal([]string{"A"}, w.found("sure!"))
	w.Equal([]string(nil), w.found(`\`))
}

func pageLimits(w *World) {
	for i := range storage.MaxPage + 1 {
		w.namedUser(fmt.Sprintf("U%04d", i), fmt.Sprint(i, "@example.test"), "", "")
	}
	for limit, want := range map[int]int{0: storage.MaxPage, 1: 1, storage.MaxPage: storage.MaxPage} {
		users, err := w.Store.ListUsers(w.Ctx(), storage.UserFilter{}, storage.PageRequest{Limit: limit})
		w.Must(err)
		if len(users.Rows) != want || users.Next == "" {
			w.Errorf("limit %d: %d users and cursor %q", limit, len(users.Rows), users.Next)
		}
	}
	for _, limit := range []int{-1, storage.MaxPage + 1} {
		_, err := w.Store.ListUsers(w.Ctx(), storage.UserFilter{}, storage.PageRequest{Limit: limit})
		w.Refused(err, fault.Invalid, "")
		_, err = w.Store.ListClients(w.Ctx(), storage.ClientFilter{}, storage.PageRequest{Limit: limit})
		w.Refused(err, fault.Invalid, "")
		_, _, err = w.Store.ListAudit(w.Ctx(), storage.AuditFilter{}, storage.PageRequest{Limit: limit})
		w.Refused(err, fault.Invalid, "")
	}
}
