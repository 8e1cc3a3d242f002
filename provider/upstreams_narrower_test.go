package provider_test

import (
	"net/http"
	"testing"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/upstreams"
	"github.com/portico-id/portico/storage"
)

// What lets fewer people in than before, or not as strongly, ends the sign-ins of before,
// and what apps got by them, on every server; any other change ends nothing.
//
// Rule: FED-26
func TestANarrowerUpstreamEndsWhatItLetIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		second := newWorld(t, settings{database: database, beside: w})
		l := w.liar("works", "tenants", "t1,t2", "hosted", "works.test,other.test", "trust_mfa", "true",
			"mfa_acrs", "gold,silver")
		l.says = map[string]any{"tid": "t1", "oid": "o1", "hd": "works.test"}
		a := w.app(apps.Registration{})
		for _, one := range []struct {
			field, value string
			ends         bool
		}{
			{"name", "Another name", false}, {"join", "off", false}, {"trust_email", "false", false},
			{"tenants", "t1,t2,t3", false}, {"tenants", "t1,t3", true}, {"tenants", "t1", true},
			{"hosted", "works.test", true}, {"hosted", "", false}, {"hosted", "works.test", true},
			{"mfa_acrs", "gold,silver,bronze", false}, {"mfa_acrs", "gold", true}, {"trust_mfa", "false", true},
			{"mfa_acrs", "", false}, {"issuer", l.URL + "/elsewhere", true},
		} {
			b := w.browser()
			v := b.through(b.visitUpstream("works", b.get(b.authorizeURL(a, "prompt", "consent")).At.RawQuery), "")
			if v.Away == nil {
				t.Fatalf("before %s is %q: %d on %s", one.field, one.value, v.Status, v.At)
			}
			token := b.redeem(a, v.Away.Query().Get("code")).JSON(t)["access_token"].(string)
			_, err := w.Upstreams.Set(t.Context(), w.act(), "works", liarsSecret, upstreams.Change{one.field: one.value})
			w.must(err)
			dead := second.userInfo(token).Status == http.StatusUnauthorized
			if dead != one.ends || b.isSignedIn() == one.ends {
				t.Errorf("%s is %q: the token is dead %v, somebody is signed in %v", one.field, one.value, dead, b.isSignedIn())
			}
		}
	})
}

// Who takes an account elsewhere off theirs loses the groups that came with it.
//
// Rule: FED-4
func TestGroupsGoWithTheAccountTheyCameFrom(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		user := w.person(somebody)
		w.must(w.Store.CreateUserGroup(t.Context(), w.act(), storage.UserGroup{ID: "g", Name: "Drawers",
			CreatedAt: w.ambient.Now()}))
		l := w.liar("works", "groups_claim", "groups")
		w.must(w.Store.SetUpstreamGroups(t.Context(), w.act(), "works", []storage.UpstreamGroup{
			{External: "draw", GroupID: "g"}}))
		in := func() int {
			groups, err := w.Store.ListGroupsOfUser(t.Context(), user.ID)
			w.must(err)
			return len(groups)
		}
		l.says = map[string]any{"groups": []string{"draw"}}
		b := w.browser()
		b.signIn(somebody, goodPassword)
		b.submit(b.throughAway(b.get(b.URL+"/account/identities/connect/works")), "confirm", nil)
		if other := w.browser(); other.visitUpstream("works").Status != http.StatusOK || in() != 1 {
			t.Fatalf("in %d groups", in())
		}
		b.submit(b.get(b.URL+"/account/identities/disconnect/works"), "confirm", nil)
		if in() != 0 {
			t.Errorf("disconnected they are in %d groups", in())
		}
	})
}

// The object of a tenant names people at Microsoft Entra alone: elsewhere claims of these
// names may be what people write there themselves.
//
// Rule: FED-10
func TestAnObjectNamesNobodyWhereThereAreNoTenants(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		l := w.liar("works")
		victim := w.browser()
		victim.visitUpstream("works")
		l.says = map[string]any{"sub": "person-2", "email": "two@works.test", "tid": "t1", "oid": "person-1"}
		b := w.browser()
		b.visitUpstream("works")
		if _, err := w.Store.FindIdentity(t.Context(), "works", l.URL, "person-2"); err != nil || w.people() != 3 {
			t.Errorf("who says that they are another's object is taken for them: %v, %d people", err, w.people())
		}
	})
}
