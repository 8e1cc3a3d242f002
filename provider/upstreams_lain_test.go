package provider_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/upstreams"
	"github.com/portico-id/portico/storage"
)

// Rules: FED-27, JOIN-2
func TestWhoProvesTheirAddressByALinkIsAloneInAnAccountThatLayInWait(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("works") // join=open
		l.says = map[string]any{"email_verified": false}
		thief := w.browser()
		if thief.visitUpstream("works"); !thief.isSignedIn() || w.whose("one@works.test").EmailVerified {
			t.Fatal("nobody joins with an address that is not proven")
		}

		// What the forms for a forgotten password and for signing up mail to the address.
		hash, err := w.Store.FindPasswordHash(w.Context(), w.person("other@works.test").ID)
		w.must(err)
		link := storage.OneTimeLink{Hash: []byte("mailed"), Purpose: storage.LinkPassword,
			UserID: w.whose("one@works.test").ID, Email: "one@works.test", ExpiresAt: w.ambient.Now().Add(time.Hour)}
		w.must(w.Store.CreateOneTimeLink(w.Context(), w.act(), link))
		_, err = w.Store.SetPasswordByLink(w.Context(), w.act(), link.Hash, hash)
		w.must(err)
		owner := w.browser()
		if owner.signIn("one@works.test", goodPassword); !owner.isSignedIn() || !w.whose("one@works.test").EmailVerified {
			t.Fatal("whose address it is does not sign in")
		}

		again := w.browser()
		if again.visitUpstream("works"); again.isSignedIn() {
			t.Error("who lay in wait signs in to the account whose address another has proven")
		}
	})
}

// The password of somebody who signs in elsewhere alone opens nothing, and adds nothing:
// who has it would otherwise shut its person out by a second factor that is not theirs.
//
// Rule: FED-11
func TestThePasswordOfWhoSignsInElsewhereAloneAddsNoFactor(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("works", "domains", "works.test")
		w.named("one@works.test", "one")
		yes := true
		w.must(w.Store.UpdateUser(t.Context(), w.act(), w.person("root@here.test"), &yes))
		w.set("works", "exclusive", "true")
		d, b := &device{world: w, user: w.whose("one@works.test")}, w.browser()
		v := b.submit(b.get(w.URL+"/login?then=%2Fx&strong=1"), "login-form",
			form("username", "one", "password", goodPassword))
		if v.At.Path == "/login/enrol" {
			b.adds(v, d)
		}
		if b.isSignedIn() {
			t.Error("signed in")
		}
		person := w.browser()
		w.must(w.Store.LinkIdentity(t.Context(), w.act(), storage.UpstreamIdentity{UpstreamID: "works", Issuer: l.URL,
			Subject: "person-1", UserID: d.user.ID, LinkedAt: w.ambient.Now()}))
		if v := person.visitUpstream("works"); !person.isSignedIn() {
			t.Errorf("their person comes by the upstream and is at %s", v.At)
		}
		if w.whose("one@works.test").TwoFactor {
			t.Error("whoever has the password has given the account a second factor of their own")
		}
	})
}

// Rules: FED-24, IDJAG-5
func TestWhoIsGoneAtTheirUpstreamIsNotIntroduced(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("works")
		l.refresh = "r"
		r := apps.Registration{Scopes: []string{"openid", "data:read"}}
		r.IntroducesTo = []string{chatServer + " app-there chat:read"}
		a, b := w.app(r), w.browser()
		v := b.get(b.authorizeURL(a))
		v = b.through(b.visitUpstream("works", v.At.RawQuery), "")
		tokens := b.redeem(a, v.Away.Query().Get("code")).JSON(t)
		introduce := func() answer {
			return w.token(a, form("grant_type", exchange, "requested_token_type", jagType, "audience", chatServer,
				"subject_token_type", refreshType, "subject_token", tokens["refresh_token"].(string)))
		}
		if got := introduce(); got.Status != http.StatusOK {
			t.Fatalf("at once: %d %s", got.Status, got.Body)
		}
		w.wait(16 * time.Minute)
		l.refuses = "invalid_grant"
		w.refused(introduce(), http.StatusBadRequest, "invalid_grant")
		w.refused(introduce(), http.StatusBadRequest, "invalid_request") // the grant has ended
		w.refused(w.refreshWith(a, tokens), http.StatusBadRequest, "invalid_grant")
	})
}

// Rule: FED-22
func TestAFlagOfAnUpstreamThatIsNeitherTrueNorFalseIsRefused(t *testing.T) {
	w := newWorld(t, settings{})
	w.liar("works", "trust_mfa", "true")
	for _, change := range []upstreams.Change{{"exclusive": "yes"}, {"trust_mfa": "on"}, {"own_groups": "1"},
		{"position": "first"}} {
		if _, err := w.Upstreams.Set(w.Context(), w.act(), "works", "", change); !fault.Is(err, fault.Invalid) {
			t.Errorf("%v is taken: %v", change, err)
		}
	}
}

// Rule: FED-4
func TestWhoWasAlsoPutIntoAGroupByAnAdministratorStaysInIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("works", "own_groups", "true")
		staff := storage.UserGroup{ID: "staff", Name: "Staff", CreatedAt: w.ambient.Now()}
		w.must(w.Store.CreateUserGroup(w.Context(), w.act(), staff))
		w.must(w.Store.SetUpstreamGroups(w.Context(), w.act(), "works",
			[]storage.UpstreamGroup{{External: "engineers", GroupID: "staff"}}))
		l.says = map[string]any{"groups": []string{"engineers"}}
		w.browser().visitUpstream("works")
		w.must(w.People.AddToGroup(w.Context(), w.act(), "staff", "one@works.test"))

		l.says = map[string]any{"groups": []string{}}
		w.browser().visitUpstream("works")
		in, err := w.People.GroupsOf(w.Context(), w.whose("one@works.test").ID)
		w.must(err)
		if len(in) != 1 {
			t.Error("the upstream takes them out of a group into which an administrator has put them, too")
		}
	})
}
