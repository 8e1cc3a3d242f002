package e2e

import (
	"net/http"
	"strings"
	"sync"
	"testing"
)

// faces of the administration, each of which would end an administrator: what it
// answers, and whether it may be done to oneself.
func (s *site) endsOfAnAdmin(page *visitor, token, email, id string) map[string]func() int {
	command := func(args ...string) func() int {
		return func() int {
			_, trouble := s.commanded("", args...)
			switch {
			case trouble == "":
				return http.StatusOK
			case strings.Contains(trouble, "administrator"):
				return http.StatusConflict
			}
			return http.StatusInternalServerError
		}
	}
	press := func(path string) func() int { return func() int { return page.press(path).Status } }
	api := func(method, body string) func() int {
		return func() int { return s.api(token, method, "/users/"+id, body).Status }
	}
	own := s.ownToken(email)
	return map[string]func() int{
		"demoting, page":      press("/admin/users/" + id + "/demote"),
		"disabling, page":     press("/admin/users/" + id + "/disable"),
		"deleting, page":      press("/admin/users/" + id + "/delete"),
		"leaving, page":       press("/account/delete"),
		"demoting, API":       api("PATCH", `{"admin":false}`),
		"disabling, API":      api("PATCH", `{"disabled":true}`),
		"disabling, and more": api("PATCH", `{"fields":{"company":"Elsewhere"},"disabled":true}`),
		"deleting, API":       api("DELETE", ""),
		"leaving, API":        func() int { return s.ownAPI(own, "DELETE", "/account", "").Status },
		"demoting, command":   command("user", "update", email, "--admin=false"),
		"disabling, command":  command("user", "disable", email),
		"deleting, command":   command("user", "delete", email, "--yes"),
	}
}

// Rule: ADMIN-18
func TestTheLastAdministratorStaysWhateverTheFace(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		const email = "admin@example.test"
		id := s.person(email, "--admin")
		admin := s.signedIn(email)
		tool := s.client("--redirect-uri", callback, "--scope", "openid account:read account:write")
		token := admin.tokens(tool, "scope", "openid account:read account:write").text("access_token")
		stands := func(why string) {
			t.Helper()
			if got := s.api(token, "GET", "/users/"+id, ""); !strings.Contains(got.Body, `"admin":true`) ||
				!strings.Contains(got.Body, `"disabled":false`) || strings.Contains(got.Body, "Elsewhere") {
				t.Fatalf("%s: %d %s", why, got.Status, got.Body)
			}
		}
		for name, ends := range s.endsOfAnAdmin(admin, token, email, id) {
			if got := ends(); got != http.StatusConflict {
				t.Errorf("%s: %d", name, got)
			}
			stands(name)
		}
		said := admin.upload("/admin/users/import", "file", []byte("email,name\n"+email+",Nobody\n"))
		to, _, _ := strings.Cut(said.Header.Get("Location"), "?")
		admin.press(to)
		stands("an import of the same address")

		// With another one each of these is done: to a stand-in, one at a time.
		for name := range s.endsOfAnAdmin(admin, token, email, id) {
			other := "other@example.test"
			otherID := s.person(other, "--admin")
			second := s.signedIn(other)
			secondToken := second.tokens(tool, "scope", "openid account:read account:write").text("access_token")
			by, byToken := admin, token
			if strings.HasPrefix(name, "leaving") {
				by, byToken = second, secondToken
			}
			if got := s.endsOfAnAdmin(by, byToken, other, otherID)[name](); got >= http.StatusBadRequest {
				t.Errorf("%s, of two: %d", name, got)
			}
			if got := s.api(token, "GET", "/users/"+otherID, ""); strings.Contains(got.Body, `"admin":true`) &&
				strings.Contains(got.Body, `"disabled":false`) {
				t.Errorf("%s, of two: %s", name, got.Body)
			}
			s.api(token, "DELETE", "/users/"+otherID, "")
		}
	})
}

// Rule: ADMIN-18
func TestOfTwoAdministratorsWhoEndEachOtherOneStays(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		s.person("keeper@example.test", "--admin")
		tool := s.client("--redirect-uri", callback, "--scope", "openid account:read account:write")
		emails := []string{"one@example.test", "two@example.test"}
		var ids, tokens [2]string
		for i, email := range emails {
			ids[i] = s.person(email, "--admin")
			tokens[i] = s.signedIn(email).tokens(tool, "scope", "openid account:read account:write").text("access_token")
		}
		s.command("", "user", "delete", "keeper@example.test", "--yes")
		for range 10 {
			var all sync.WaitGroup
			for i := range 2 {
				all.Go(func() { s.api(tokens[i], "PATCH", "/users/"+ids[1-i], `{"admin":false}`) })
			}
			all.Wait()
			var list struct {
				Users []struct{ Admin, Disabled bool }
			}
			s.commandJSON(&list, "", "user", "list")
			left := 0
			for _, u := range list.Users {
				if u.Admin && !u.Disabled {
					left++
				}
			}
			if left != 1 {
				t.Fatalf("%d administrators are left", left)
			}
			for _, email := range emails {
				s.command("", "user", "update", email, "--admin")
			}
		}
	})
}
