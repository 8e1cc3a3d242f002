package provider_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/scope"
)

// Rule: ACCESS-10
func TestAnAppIsToldClaimsOfItsOwn(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		user := w.person(somebody)
		w.inGroup(somebody, "Editors")
		operators := w.inGroup(somebody, "Operators")
		a := w.app(apps.Registration{Scopes: []string{scope.OpenID, scope.Groups, scope.OfflineAccess},
			OwnClaims: clientprofile.Claims{
				{Name: "teams", Source: clientprofile.SourceGroups},
				{Name: "tenant", Source: clientprofile.SourceFixed, Value: "example"},
				{Name: "https://example.test/roles", Source: clientprofile.SourceRole, GroupID: operators, Value: "writer"},
				{Name: "https://example.test/roles", Source: clientprofile.SourceRole, GroupID: operators, Value: "admin"},
			}})
		told := func(body map[string]any, want map[string]any) {
			t.Helper()
			for where, claims := range map[string]map[string]any{
				"ID token": payload(t, body["id_token"]), "user info": w.userInfo(body["access_token"].(string)).JSON(t),
			} {
				got := map[string]any{}
				for _, name := range []string{"teams", "tenant", "https://example.test/roles", "groups"} {
					if value, there := claims[name]; there {
						got[name] = value
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: -want +got:\n%s", where, diff)
				}
				if claims["sub"] != user.ID {
					t.Errorf("%s: sub is %v", where, claims["sub"])
				}
			}
		}
		b := w.browser()
		body := b.tokens(a, somebody, "scope", "openid groups offline_access")
		told(body, map[string]any{"teams": []any{"Editors", "Operators"}, "tenant": "example",
			"https://example.test/roles": []any{"writer", "admin"}})
		told(b.tokens(a, somebody, "scope", "openid"),
			map[string]any{"tenant": "example"}) // of groups nothing without their scope
		w.must(w.Store.DeleteUserGroup(t.Context(), w.act(), operators))
		body = w.granted(a, form("grant_type", "refresh_token", "refresh_token", body["refresh_token"].(string)))
		told(body, map[string]any{"teams": []any{"Editors"}, "tenant": "example"})
	})
}

// Rule: ACCESS-11
func TestNoClaimThatDiscoveryListsCanBeSet(t *testing.T) {
	w := newWorld(t, settings{})
	for _, name := range w.discovery()["claims_supported"].([]any) {
		claims := clientprofile.Claims{{Name: name.(string), Source: clientprofile.SourceFixed, Value: "x"}}
		if err := claims.Check(nil); (err == nil) != (name == "groups") {
			t.Errorf("%s can be set: %v", name, err)
		}
	}
}
