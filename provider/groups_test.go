package provider_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// inGroup puts the person into a new group and returns its id.
func (w *world) inGroup(email, name string) string {
	w.Helper()
	user, _, err := w.Store.FindUserByLogin(w.Context(), email)
	w.must(err)
	group := storage.UserGroup{ID: w.ambient.UID(), Name: name, CreatedAt: w.ambient.Now()}
	w.must(w.Store.CreateUserGroup(w.Context(), w.act(), group))
	w.must(w.Store.AddUserGroupMember(w.Context(), w.act(), group.ID, user.ID))
	return group.ID
}

// Rule: ADMIN-7
func TestTheScopeGroupsTellsTheNamesOfGroups(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		user := w.person(somebody)
		w.inGroup(somebody, "Editors")
		approvers := w.inGroup(somebody, "approvers")
		a := w.app(apps.Registration{Scopes: []string{scope.OpenID, scope.Groups, scope.OfflineAccess}})
		b := w.browser()
		body := b.tokens(a, somebody, "scope", "openid groups offline_access")
		both := []any{"approvers", "Editors"}
		check := func(when string, body map[string]any, want any) {
			t.Helper()
			for where, claims := range map[string]map[string]any{
				"ID token": payload(t, body["id_token"]), "user info": w.userInfo(body["access_token"].(string)).JSON(t),
			} {
				if diff := cmp.Diff(want, claims["groups"]); diff != "" {
					t.Errorf("%s, %s: -want +got:\n%s", when, where, diff)
				}
			}
		}
		check("at first", body, both)
		body = w.granted(a, form("grant_type", "refresh_token", "refresh_token", body["refresh_token"].(string)))
		check("refreshed", body, both)
		w.must(w.Store.DeleteUserGroupMember(w.Context(), w.act(), approvers, user.ID))
		body = w.granted(a, form("grant_type", "refresh_token", "refresh_token", body["refresh_token"].(string)))
		check("out of one", body, []any{"Editors"})
		check("not asked for", b.tokens(a, somebody, "scope", "openid"), nil)
		check("by name", b.tokens(a, somebody, "scope", "openid", "claims",
			`{"id_token":{"groups":null},"userinfo":{"groups":null}}`), []any{"Editors"})
	})
}

// Rule: ADMIN-7
func TestWhoIsInNoGroupHasNoSuchClaimNorHasAClientThatIsNotRegistered(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{Scopes: []string{scope.OpenID, scope.Groups}})
	if _, there := payload(t, w.browser().tokens(a, somebody, "scope", "openid groups")["id_token"])["groups"]; there {
		t.Error("nobody's groups are told")
	}
	w.inGroup(somebody, "editors")
	other := w.app(apps.Registration{Scopes: []string{scope.OpenID}})
	body := w.browser().tokens(other, somebody, "scope", "openid groups", "claims",
		`{"userinfo":{"groups":{"essential":true}}}`)
	if _, there := w.userInfo(body["access_token"].(string)).JSON(t)["groups"]; there {
		t.Error("a client that may not ask is told")
	}
}
