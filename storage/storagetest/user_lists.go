package storagetest

import (
	"fmt"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func userListChecks() []check {
	return []check{
		{"ListUsers returns pages ordered by id, and no cursor on the last", listUsersPages},
		{"ListUsers finds address, user name and name, ignoring case and Unicode form", listUsersSearches},
		{"ListUsers takes %, _ and ! in a query as themselves", listUsersLiterally},
		{"a page has 1 to 200 rows, 0 means 200, anything else is refused", pageLimits},
	}
}

func (w *World) namedUser(id, email, username, name string) {
	w.Helper()
	w.Must(w.Store.CreateUser(w.Ctx(), w.Act(), storage.User{
		ID: id, Email: email, Username: username, Profile: storage.Profile{Name: name}, CreatedAt: w.Now(), UpdatedAt: w.Now(),
	}, ""))
}

// found returns the ids of the users that a query finds.
func (w *World) found(query string) []string {
	w.Helper()
	users, next, err := w.Store.ListUsers(w.Ctx(), query, storage.PageRequest{})
	w.Must(err)
	w.Equal("", next)
	var ids []string
	for _, user := range users {
		ids = append(ids, user.ID)
	}
	return ids
}

func listUsersPages(w *World) {
	for _, id := range []string{"b", "C", "A", "a2", "é"} { // by bytes: A C a2 b é
		w.namedUser(id, id+"@example.test", "", "")
	}
	var pages [][]string
	for after, more := "", true; more; {
		users, next, err := w.Store.ListUsers(w.Ctx(), "", storage.PageRequest{After: after, Limit: 2})
		w.Must(err)
		var ids []string
		for _, user := range users {
			ids = append(ids, user.ID)
		}
		pages, after, more = append(pages, ids), next, next != ""
	}
	w.Equal([][]string{{"A", "C"}, {"a2", "b"}, {"é"}}, pages)
}

func listUsersSearches(w *World) {
	w.namedUser("A", "zoë@example.test", "first", "Ann Lee")
	w.namedUser("B", "viewer@example.test", "ZoE\u0308 2", "")
	w.namedUser("C", "carl@example.test", "", "The great ZOË")
	w.namedUser("D", "zoe@example.test", "", "no diaeresis")
	w.Equal([]string{"A", "B", "C"}, w.found("zOË"))
	w.Equal([]string{"A"}, w.found("nn le"))
	w.Equal([]string(nil), w.found("nobody"))
	w.Equal([]string{"A", "B", "C", "D"}, w.found("EXAMPLE"))
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
		users, next, err := w.Store.ListUsers(w.Ctx(), "", storage.PageRequest{Limit: limit})
		w.Must(err)
		if len(users) != want || next == "" {
			w.Errorf("limit %d: %d users and cursor %q", limit, len(users), next)
		}
	}
	for _, limit := range []int{-1, storage.MaxPage + 1} {
		_, _, err := w.Store.ListUsers(w.Ctx(), "", storage.PageRequest{Limit: limit})
		w.Refused(err, fault.Invalid, "")
		_, _, err = w.Store.ListClients(w.Ctx(), "", storage.PageRequest{Limit: limit})
		w.Refused(err, fault.Invalid, "")
		_, _, err = w.Store.ListAudit(w.Ctx(), storage.AuditFilter{}, storage.PageRequest{Limit: limit})
		w.Refused(err, fault.Invalid, "")
	}
}
