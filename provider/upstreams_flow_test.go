package provider_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/upstreams"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

func (w *world) people() int {
	w.Helper()
	all, err := w.Store.ListUsers(w.Context(), storage.UserFilter{}, storage.PageRequest{})
	w.must(err)
	return all.Total
}

// Rule: FED-6
func TestAnotherPorticoIsAnUpstream(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		there, here := newWorld(t, settings{}), newWorld(t, settings{database: database})
		there.person("one@works.test")
		client := there.app(apps.Registration{RedirectURIs: []string{here.Upstreams.RedirectURI("works")}})
		here.upstream("works", there.URL, client.ID, client.Secret, "scopes", "openid,email,profile")
		a := here.app(apps.Registration{})
		subject := ""
		for range 2 {
			b := here.browser()
			v := b.get(b.authorizeURL(a))
			if !strings.Contains(string(v.Body), "Sign in with Works works") {
				t.Fatalf("the sign-in page does not offer it:\n%s", v.Body)
			}
			v = b.get(b.URL + "/login/upstream/works?" + v.At.RawQuery)
			elsewhere := there.browser()
			away := elsewhere.through(elsewhere.get(v.Away.String()), "one@works.test")
			v = b.through(b.get(away.Away.String()), "")
			if v.Away == nil {
				t.Fatalf("still on %s, status %d:\n%s", v.At, v.Status, v.Body)
			}
			claims := idTokenClaims(t, b.redeem(a, v.Away.Query().Get("code")).JSON(t))
			if claims["iss"] != here.URL || subject != "" && claims["sub"] != subject ||
				claims["acr"] != storage.ACRPassword {
				t.Errorf("claims %v", claims)
			}
			subject = claims["sub"].(string)
		}
		if here.people() != 1 {
			t.Errorf("%d people", here.people())
		}
	})
}

// Rule: FED-22
func TestATestTellsWhetherTheSecretIsRight(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		there, here := newWorld(t, settings{}), newWorld(t, settings{database: database})
		client := there.app(apps.Registration{RedirectURIs: []string{here.Upstreams.RedirectURI("works")}})
		last := func(id string) upstreams.Step {
			steps, err := here.Upstreams.Test(t.Context(), id)
			if err != nil || len(steps) != 3 || steps[2].Name != upstreams.StepSecret {
				t.Fatalf("the test says %v %v", steps, err)
			}
			return steps[2]
		}
		here.upstream("works", there.URL, client.ID, client.Secret)
		if step := last("works"); step.Err != nil || step.String() != "secret: ok" {
			t.Errorf("the right one: %v", step)
		}
		for name, id := range map[string]string{"another secret": client.ID, "another client": "nobody"} {
			here.upstream("wrong", there.URL, id, "hush-hush")
			if step := last("wrong"); step.Err == nil || !strings.Contains(step.Said(), "invalid_client") {
				t.Errorf("%s: %v", name, step)
			}
			here.must(here.Upstreams.Delete(t.Context(), here.act(), "wrong"))
		}
		here.liar("liar") // gives tokens for any code
		if step := last("liar"); step.Err != nil || !strings.Contains(step.String(), "could not be told") {
			t.Errorf("it could not be told: %v", step)
		}
	})
}

func idTokenClaims(t testing.TB, body map[string]any) (claims map[string]any) {
	t.Helper()
	token, _ := body["id_token"].(string)
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("the answer is %v", body)
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err == nil {
		err = json.Unmarshal(text, &claims)
	}
	if err != nil {
		t.Fatal(err)
	}
	return claims
}

// Rule: FED-7
func TestAnAnswerOfAnUpstreamIsHeldToItsAttempt(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		l := w.liar("works")
		w.liar("other")
		b := w.browser()
		out := b.get(b.URL + "/login/upstream/works")
		back := url.Values{"state": {out.Away.Query().Get("state")}, "code": {"code"}, "iss": {l.URL}}.Encode()
		refused := func(why string, b *browser, address string) {
			t.Helper()
			if v := b.get(b.URL + address + back); v.Status != http.StatusBadRequest || b.isSignedIn() {
				t.Errorf("%s: status %d", why, v.Status)
			}
		}
		refused("another browser", w.browser(), "/login/upstream/works/callback?")
		refused("another upstream", b, "/login/upstream/other/callback?")
		l.nonce = out.Away.Query().Get("nonce")
		if b.get(b.URL + "/login/upstream/works/callback?" + back); !b.isSignedIn() {
			t.Fatal("its own browser is not signed in")
		}
		refused("used twice", w.browser(), "/login/upstream/works/callback?")
		other := w.browser()
		out = other.get(other.URL + "/login/upstream/works")
		back = url.Values{"state": {out.Away.Query().Get("state")}, "code": {"code"}, "iss": {l.URL}}.Encode()
		w.wait(11 * time.Minute)
		refused("too late", other, "/login/upstream/works/callback?")
	})
}

// Rules: FED-8, METRIC-1
func TestATokenThatIsNotTheUpstreamsForUsSignsNobodyIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		l := w.liar("works")
		foreign := w.liar("other")
		now := w.ambient.Now()
		type lie struct {
			says   map[string]any
			sign   func(map[string]any) string
			answer map[string]string
			info   map[string]any
		}
		unsigned := func(claims map[string]any) string {
			text, err := json.Marshal(claims)
			w.must(err)
			return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`)) + "." +
				base64.RawURLEncoding.EncodeToString(text) + "."
		}
		symmetric := func(claims map[string]any) string {
			return l.signed(jose.SigningKey{Algorithm: jose.HS256, Key: []byte(liarsSecret + liarsSecret)}, claims)
		}
		stranger := func(claims map[string]any) string {
			return l.signed(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: foreign.key, KeyID: "k"}}, claims)
		}
		causes := map[string]string{}
		for name, one := range map[string]lie{
			"alg none": {sign: unsigned}, "HS256": {sign: symmetric}, "a foreign key": {sign: stranger},
			"iss": {says: map[string]any{"iss": foreign.URL}}, "aud": {says: map[string]any{"aud": "another"}},
			"azp":   {says: map[string]any{"aud": []string{"portico", "x"}, "azp": "x"}},
			"nonce": {says: map[string]any{"nonce": "another"}}, "no nonce": {says: map[string]any{"nonce": nil}},
			"expired":                   {says: map[string]any{"exp": now.Add(-2 * time.Minute).Unix()}},
			"no sub":                    {says: map[string]any{"sub": nil}},
			"at_hash":                   {says: map[string]any{"at_hash": "another"}},
			"user info of another":      {says: map[string]any{"email": nil}, info: map[string]any{"sub": "person-2"}},
			"iss of the answer":         {answer: map[string]string{"iss": foreign.URL}},
			"no iss of the answer":      {answer: map[string]string{"iss": ""}},
			"an error":                  {answer: map[string]string{"error": "access_denied"}},
			"a code of the other's, id": {says: map[string]any{"iss": l.URL + "/"}},
		} {
			l.says, l.sign, l.answer, l.info = one.says, one.sign, one.answer, one.info
			w.said.Reset()
			b := w.browser()
			if v := b.visitUpstream("works"); v.Status != http.StatusBadRequest || b.isSignedIn() {
				t.Errorf("%s: status %d", name, v.Status)
			}
			if how := w.outcome.Swap(""); how == nil || how == "" || how == "signed_in" {
				t.Errorf("%s counts as %v", name, how)
			}
			_, cause, _ := strings.Cut(w.said.String(), "cause=")
			if causes[name] = cause; cause == "" {
				t.Errorf("%s: the log does not say why: %s", name, w.said)
			}
		}
		if causes["iss"] == causes["aud"] || causes["aud"] == causes["nonce"] || causes["nonce"] == causes["expired"] {
			t.Errorf("the log does not tell them apart: %q", causes)
		}
		l.says, l.sign, l.answer, l.info = nil, nil, nil, nil
		if b := w.browser(); b.visitUpstream("works").Status != http.StatusOK || !b.isSignedIn() || w.people() != 2 {
			t.Error("the honest answer does not sign in")
		}
		if how := w.outcome.Load(); how != "signed_in" {
			t.Errorf("the honest answer counts as %v", how)
		}
	})
}

// Rule: FED-9
func TestAnAddressLinksNobodyByItself(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		owner := w.person("one@works.test")
		l := w.liar("works")
		l.says = map[string]any{"email_verified": false}
		v := w.browser().visitUpstream("works")
		l.says = map[string]any{"email": "nobody@works.test", "email_verified": false}
		w.set("works", "join", "off")
		nobody := w.browser().visitUpstream("works")
		if v.Status != http.StatusForbidden || text(t, v) != text(t, nobody) {
			t.Errorf("an unproven address learns of the account: %d %d", v.Status, nobody.Status)
		}
		w.set("works", "join", "open")
		l.says = nil
		b := w.browser()
		v = b.visitUpstream("works")
		if v.At.Path != "/login" || b.isSignedIn() {
			t.Fatalf("a proven address: on %s, status %d", v.At, v.Status)
		}
		v = b.submit(v, "login-form", form("username", "one@works.test", "password", goodPassword))
		if v.At.Path != "/account/identities/confirm" {
			t.Fatalf("after the password on %s, status %d", v.At, v.Status)
		}
		if other := w.browser(); other.visitUpstream("works").At.Path != "/login" {
			t.Error("it is linked before its owner said so")
		}
		b.submit(v, "confirm", nil)
		mine, err := w.Store.ListIdentities(t.Context(), owner.ID)
		w.must(err)
		if len(mine) != 1 || mine[0].Subject != "person-1" {
			t.Fatalf("linked: %v", mine)
		}
		again := w.browser()
		if again.visitUpstream("works"); !again.isSignedIn() || w.people() != 1 {
			t.Error("the linked identity does not sign in")
		}
	})
}

func (w *world) set(id string, pairs ...string) {
	w.Helper()
	change := upstreams.Change{}
	for i := 0; i+1 < len(pairs); i += 2 {
		change[pairs[i]] = pairs[i+1]
	}
	w.wait(time.Microsecond * 10)
	_, err := w.Upstreams.Set(w.Context(), w.act(), id, "", change)
	w.must(err)
}

// text is a page without its request id.
func text(t *testing.T, v visit) string {
	t.Helper()
	page, _, _ := strings.Cut(string(v.Body), "<dl")
	return page
}

// Rule: FED-9
func TestProvenAddressesLinkWhereTheAdministratorSaysSo(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("works", "link", "verified", "join", "off")
		try := func(email string) bool {
			l.says = map[string]any{"sub": email, "email": email}
			b := w.browser()
			b.visitUpstream("works")
			return b.isSignedIn()
		}
		w.person("good@works.test")
		w.person("strauss@strasse.test")
		admin := w.person("admin@works.test")
		yes := true
		w.must(w.Store.UpdateUser(t.Context(), w.act(), admin, &yes))
		unproven := w.person("unproven@works.test")
		unproven.EmailVerified = false
		w.must(w.Store.UpdateUser(t.Context(), w.act(), unproven, nil))
		for email, want := range map[string]bool{"good@works.test": true, "admin@works.test": false,
			"unproven@works.test": false, "nobody@works.test": false, "strauss@straße.test": false, // another's mailboxes
			"strauß@strasse.test": false, "Strauss@Strasse.test": true} {
			if try(email) != want {
				t.Errorf("%s: linked %v", email, !want)
			}
		}
	})
}

// Who was invited, or signed up, has no other way in by which to say that the account is theirs.
//
// Rules: FED-9, FED-11
func TestAProvenAddressLinksWhoSignsInElsewhereAlone(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		yes := true
		for _, email := range []string{"root@example.test", "admin@works.test"} {
			w.must(w.Store.UpdateUser(t.Context(), w.act(), w.person(email), &yes))
		}
		l := w.liar("works", "join", "off", "domains", "works.test", "exclusive", "true")
		arrives := func(email string) bool {
			l.says = map[string]any{"sub": email, "email": email}
			b := w.browser()
			b.visitUpstream("works")
			return b.isSignedIn()
		}
		w.person("one@works.test")
		w.person("one@elsewhere.test")
		for email, want := range map[string]bool{"one@works.test": true, "one@elsewhere.test": false,
			"admin@works.test": false, "nobody@works.test": false} {
			if arrives(email) != want {
				t.Errorf("%s gets in: %t", email, !want)
			}
		}
		w.liar("works-2", "join", "off", "domains", "works.test", "exclusive", "true", "position", "1").
			says = map[string]any{"sub": "two@works.test", "email": "two@works.test"}
		led := w.person("two@works.test")
		w.browser().visitUpstream("works-2")
		if mine, err := w.Store.ListIdentities(t.Context(), led.ID); err != nil || len(mine) > 0 {
			t.Errorf("where another upstream is that of the domain: %v, %v", mine, err)
		}
	})
}

// A company gives the address of somebody who left to somebody else: the account is not theirs.
//
// Rule: FED-9
func TestAnAddressThatIsGivenToSomebodyElseOpensNoAccountOfBefore(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		yes := true
		w.must(w.Store.UpdateUser(t.Context(), w.act(), w.person("root@example.test"), &yes))
		l := w.liar("works", "join", "off", "domains", "works.test", "exclusive", "true")
		arrives := func(subject string, want bool) {
			t.Helper()
			l.says = map[string]any{"sub": subject, "email": "one@works.test"}
			b := w.browser()
			v := b.visitUpstream("works")
			if b.isSignedIn() != want || !want && v.Status != http.StatusForbidden { // no page here would let them in
				t.Errorf("%s gets in: %t, %d on %s", subject, !want, v.Status, v.At)
			}
		}
		owner := w.person("one@works.test")
		arrives("first", true)
		arrives("second", false)
		mine, err := w.Store.ListIdentities(t.Context(), owner.ID)
		w.must(err)
		w.must(w.Store.EndIdentity(t.Context(), w.act(), mine[0]))
		arrives("second", false)
		arrives("first", true)
		w.must(w.Store.UnlinkIdentity(t.Context(), w.act(), mine[0]))
		arrives("second", true)
	})
}

// Rule: FED-10
func TestWhoIsTakenForWhomByEntra(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("entra", "tenants", "tenant-1")
		w.person("one@works.test")
		l.says = map[string]any{"tid": "tenant-2", "oid": "o1"}
		if v := w.browser().visitUpstream("entra"); v.Status != http.StatusBadRequest {
			t.Errorf("another tenant: %d", v.Status)
		}
		l.says = map[string]any{"tid": "tenant-1", "oid": "o1"}
		if v := w.browser().visitUpstream("entra"); v.Status != http.StatusForbidden {
			t.Errorf("an address that nobody checked: %d on %s", v.Status, v.At)
		}
		for _, name := range []string{"oid", "sid", "sub"} {
			l.says = map[string]any{"tid": "tenant-1", "oid": "o3", "email": "three@works.test"}
			l.says[name] = strings.Repeat("o", 256)
			if v := w.browser().visitUpstream("entra"); v.Status != http.StatusBadRequest {
				t.Errorf("a long %s: %d on %s", name, v.Status, v.At)
			}
			l.says[name] = strings.Repeat("o", 255)
			if b := w.browser(); b.visitUpstream("entra").Status != http.StatusOK || !b.isSignedIn() {
				t.Errorf("a %s of 255 signs nobody in", name)
			}
			w.must(w.Store.DeleteUser(t.Context(), w.act(), w.whose("three@works.test").ID))
		}
		l.says = map[string]any{"tid": "tenant-1", "oid": "o1", "xms_edov": true}
		if v := w.browser().visitUpstream("entra"); v.At.Path != "/login" {
			t.Errorf("an address whose domain was checked: %d on %s", v.Status, v.At)
		}
		l.says = map[string]any{"tid": "tenant-1", "oid": "o2", "email": "two@works.test"}
		w.browser().visitUpstream("entra")
		if _, err := w.Store.FindIdentity(t.Context(), "entra", l.URL, "o2"); err != nil {
			t.Errorf("the identity is not the object: %v", err)
		}
	})
}

// Each tenant of Microsoft's has keys of its own, and all of them stand in one list.
//
// Rules: FED-10, FED-17
func TestAKeyOfAnotherTenantSignsNobodyIn(t *testing.T) {
	for tenant, in := range map[string]bool{"t1": true, "t2": false, "{tenantid}": true} {
		eachEngine(t, func(t *testing.T, database string) {
			w := newWorld(t, settings{database: database})
			w.person(somebody)
			l := w.standIn("/{tenantid}/v2.0")
			l.keyIssuer = l.URL + "/" + tenant + "/v2.0"
			w.preset("entra", l.issuer, liarsSecret, "tenants", "t1,t2")
			l.says = map[string]any{"tid": "t1", "oid": "o1", "iss": l.URL + "/t1/v2.0", "xms_edov": true}
			b := w.browser()
			if v := b.visitUpstream("entra"); b.isSignedIn() != in || (v.Status == http.StatusBadRequest) == in {
				t.Errorf("a key of %s: signed in %v, status %d on %s", tenant, b.isSignedIn(), v.Status, v.At)
			}
		})
	}
}

// Rule: FED-2
func TestAnUpstreamThatIsSwitchedOffEndsWhatCameOfIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.liar("works")
		a := w.app(apps.Registration{})
		b := w.browser()
		v := b.get(b.authorizeURL(a))
		v = b.visitUpstream("works", v.At.RawQuery)
		v = b.through(v, "")
		if v.Away == nil {
			t.Fatalf("on %s: %d", v.At, v.Status)
		}
		tokens := b.redeem(a, v.Away.Query().Get("code")).JSON(t)
		second := newWorld(t, settings{database: database, beside: w})
		active := func() bool {
			got := second.post("/authentication/v2/introspect", a, form("token", tokens["access_token"].(string)))
			return got.JSON(t)["active"] == true
		}
		if !active() {
			t.Fatal("the token is dead from the beginning")
		}
		other := w.browser()
		out := other.get(other.URL + "/login/upstream/works")
		w.must(w.Store.SetUpstreamDisabled(t.Context(), w.act(), "works", true))
		if active() || b.isSignedIn() {
			t.Error("token or session live on")
		}
		if v := other.throughAway(out); v.Status != http.StatusGone || other.isSignedIn() {
			t.Errorf("a visit under way: status %d", v.Status)
		}
		if v := w.browser().get(w.URL + "/login/upstream/works"); v.Status != http.StatusGone {
			t.Errorf("a new visit: status %d", v.Status)
		}
		w.must(w.Store.SetUpstreamDisabled(t.Context(), w.act(), "works", false))
		if b.visitUpstream("works"); !b.isSignedIn() {
			t.Error("switched on again it does not sign in")
		}
	})
}

// Rules: FED-11, METRIC-1
func TestWhoSignsInElsewhereAloneDoesNotSignInHere(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.liar("works", "domains", "works.test")
		w.named("one@works.test", "one")
		admin, err := w.Store.FindUser(t.Context(), w.person("root@works.test").ID)
		w.must(err)
		yes := true
		w.must(w.Store.UpdateUser(t.Context(), w.act(), admin, &yes))
		if _, err := w.Upstreams.Set(t.Context(), w.act(), "works", "", upstreams.Change{"exclusive": "true"}); !fault.Is(err,
			fault.Conflict) {
			t.Errorf("no administrator would get in: %v", err)
		}
		admin, err = w.Store.FindUser(t.Context(), admin.ID)
		w.must(err)
		admin.Username = "root"
		w.must(w.Store.UpdateUser(t.Context(), w.act(), admin, nil))
		w.set("works", "exclusive", "true")
		for _, name := range []string{"one@works.test", "ONE@WORKS.TEST", "nobody@works.test"} {
			b := w.browser()
			if v := b.signIn(name, goodPassword); v.Away == nil || v.Away.Query().Get("login_hint") != name {
				t.Errorf("%s is not led away: %s %d", name, v.At, v.Status)
			}
		}
		if b := w.browser(); b.signIn("one", goodPassword).Status != http.StatusForbidden || b.isSignedIn() {
			t.Error("the user name is a way round")
		}
		if how := w.outcome.Load(); how != "upstream_only" {
			t.Errorf("who tries it counts as %v", how)
		}
		if b := w.browser(); b.signIn("root", goodPassword).At.Path != "/" {
			t.Error("the administrator does not get in")
		}
		other := w.liar("other")
		w.must(w.Store.LinkIdentity(t.Context(), w.act(), storage.UpstreamIdentity{UpstreamID: "other", Issuer: other.URL,
			Subject: "person-1", UserID: w.whose("one").ID, LinkedAt: w.ambient.Now()}))
		if b := w.browser(); b.visitUpstream("other").Status != http.StatusForbidden || b.isSignedIn() {
			t.Error("another upstream is a way round")
		}
		w.must(w.Store.SetUpstreamDisabled(t.Context(), w.act(), "works", true))
		w.wait(time.Second)
		if b := w.browser(); b.signIn("one", goodPassword).Status != http.StatusForbidden || b.isSignedIn() {
			t.Error("while it is off the user name is a way round")
		}
		if v := w.browser().signIn("one@works.test", goodPassword); v.Status != http.StatusGone {
			t.Errorf("while it is off they are led to %s: %d", v.At, v.Status)
		}
		w.must(w.Store.SetUpstreamDisabled(t.Context(), w.act(), "works", false))
		w.set("works", "exclusive", "false")
		if b := w.browser(); b.visitUpstream("other").At.Path != "/" || !b.isSignedIn() {
			t.Error("the other upstream does not sign in where it may")
		}
	})
}

// Rule: FED-12
func TestTheSecondFactorOfAnUpstreamCountsWhereItIsTrusted(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("works", "trust_mfa", "true")
		a := w.app(apps.Registration{})
		strong := []string{"acr_values", storage.ACRTwoFactors, "claims",
			`{"id_token":{"acr":{"essential":true,"value":"` + storage.ACRTwoFactors + `"}}}`}
		l.says = map[string]any{"amr": []string{"pwd", "otp", "made-up"}}
		b := w.browser()
		v := b.get(b.authorizeURL(a, strong...))
		v = b.through(b.visitUpstream("works", v.At.RawQuery), "")
		if v.Away == nil {
			t.Fatalf("on %s: %d", v.At, v.Status)
		}
		claims := idTokenClaims(t, b.redeem(a, v.Away.Query().Get("code")).JSON(t))
		if claims["acr"] != storage.ACRTwoFactors || strings.Contains(strings.Join(methodsOf(claims), " "), "made-up") {
			t.Errorf("trusted: %v", claims)
		}
		w.set("works", "trust_mfa", "false")
		b = w.browser()
		v = b.get(b.authorizeURL(a, strong...))
		if v = b.visitUpstream("works", v.At.RawQuery); v.At.Path != "/login/enrol" {
			t.Errorf("not trusted: on %s, status %d", v.At, v.Status)
		}
		b.visitUpstream("works") // for themselves, with one factor
		v = b.get(b.authorizeURL(a, append(strong, "prompt", "none")...))
		if v.Away == nil || v.Away.Query().Get("error") != "unmet_authentication_requirements" {
			t.Errorf("not trusted, without a page: on %s, sent to %v", v.At, v.Away)
		}
		d := w.guarded("guarded@works.test")
		w.must(w.Store.LinkIdentity(t.Context(), w.act(), storage.UpstreamIdentity{UpstreamID: "works", Issuer: l.URL,
			Subject: "person-2", UserID: d.user.ID, LinkedAt: w.ambient.Now()}))
		l.says = map[string]any{"sub": "person-2", "email": "guarded@works.test", "amr": []string{"pwd", "otp"}}
		b = w.browser()
		v = b.visitUpstream("works", b.get(b.authorizeURL(a, strong...)).At.RawQuery)
		if v.At.Path != "/login/code" || b.isSignedIn() {
			t.Fatalf("not trusted, with a factor here: on %s, status %d", v.At, v.Status)
		}
		if v = b.through(b.typesCode(v, d.code(0)), ""); v.Away == nil {
			t.Fatalf("with a code: on %s, status %d", v.At, v.Status)
		}
		claims = idTokenClaims(t, b.redeem(a, v.Away.Query().Get("code")).JSON(t))
		if claims["acr"] != storage.ACRTwoFactors || !strings.Contains(strings.Join(methodsOf(claims), " "), "otp") {
			t.Errorf("with a code: %v", claims)
		}
	})
}

func methodsOf(claims map[string]any) (all []string) {
	methods, _ := claims["amr"].([]any)
	for _, one := range methods {
		all = append(all, one.(string))
	}
	return all
}

// Rule: FED-13
func TestALogoutThereIsOneHere(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("works")
		b := w.browser()
		b.visitUpstream("works")
		now := w.ambient.Now()
		tell := func(over map[string]any) answer {
			claims := map[string]any{"sub": "person-1", "sid": "s1", "nonce": nil, "jti": w.ambient.UID(), "iat": now.Unix(),
				"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}}
			for name, value := range over {
				claims[name] = value
			}
			l.says = claims
			return w.post("/login/upstream/works/backchannel-logout", app{}, form("logout_token", l.idToken("")))
		}
		l.nonce = ""
		for name, over := range map[string]map[string]any{
			"with a nonce": {"nonce": "n"}, "for another": {"aud": "another"}, "no event": {"events": nil},
			"no jti": {"jti": nil}, "old": {"iat": now.Add(-3 * time.Minute).Unix()},
			"nobody": {"sub": nil, "sid": nil}, "a long sid": {"sid": strings.Repeat("s", 256)},
		} {
			if got := tell(over); got.Status != http.StatusBadRequest || got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: status %d %s", name, got.Status, got.Body)
			}
		}
		if !b.isSignedIn() {
			t.Fatal("a refused token ended the session")
		}
		if got := tell(map[string]any{"jti": "j1"}); got.Status != http.StatusOK || b.isSignedIn() {
			t.Errorf("an honest one: status %d %s, still signed in %v", got.Status, got.Body, b.isSignedIn())
		}
		if got := tell(map[string]any{"jti": "j1"}); got.Status != http.StatusBadRequest {
			t.Errorf("used twice: status %d", got.Status)
		}
		visit := func() *browser {
			l.says = nil
			b := w.browser()
			if b.visitUpstream("works"); !b.isSignedIn() {
				t.Fatal("nobody is signed in")
			}
			return b
		}
		b = visit()
		if got := tell(map[string]any{"sub": nil, "sid": "another"}); got.Status != http.StatusOK || !b.isSignedIn() {
			t.Errorf("another session alone: status %d, still signed in %v", got.Status, b.isSignedIn())
		}
		if got := tell(map[string]any{"sub": nil}); got.Status != http.StatusOK || b.isSignedIn() {
			t.Errorf("the session alone: status %d, still signed in %v", got.Status, b.isSignedIn())
		}
		b = visit()
		w.set("works", "logout_ends_grants", "true")
		if got := tell(map[string]any{"sub": nil}); got.Status != http.StatusOK || b.isSignedIn() {
			t.Errorf("the session alone ends access: status %d, still signed in %v", got.Status, b.isSignedIn())
		}
		visit()
	})
}

// Rule: FED-14
func TestAnUpstreamThatIsDownLeavesTheOtherWaysToSignIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		l := w.liar("works")
		l.down = true
		if v := w.browser().get(w.URL + "/login/upstream/works"); v.Status != http.StatusServiceUnavailable {
			t.Errorf("it is down: status %d", v.Status)
		}
		if b := w.browser(); b.signIn(somebody, goodPassword).At.Path != "/" {
			t.Error("nobody can sign in with a password")
		}
		steps, err := w.Upstreams.Test(t.Context(), "works")
		if err != nil || len(steps) != 1 || steps[0].Name != "metadata" || steps[0].Err == nil ||
			strings.Contains(steps[0].Said(), "unavailable:") {
			t.Errorf("the test says %v %v", steps, err)
		}
		l.down = false
		w.wait(11 * time.Second)
		if b := w.browser(); b.visitUpstream("works").At.Path != "/" {
			t.Error("it does not come back")
		}
		if steps, err := w.Upstreams.Test(t.Context(), "works"); err != nil || len(steps) != 3 || steps[2].Err != nil {
			t.Errorf("the test says %v %v", steps, err)
		}
	})
}

// Rule: FED-15
func TestAnUpstreamLiesOnNoNetworkThatIsNotNamed(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.liar("works")
		for _, issuer := range []string{"https://127.0.0.1:1", "https://169.254.169.254", "https://localhost"} {
			_, err := w.Upstreams.Create(t.Context(), w.act(), "bad", "oidc", "", upstreams.Change{"issuer": issuer,
				"client_id": "c"})
			w.must(err)
			if v := w.browser().get(w.URL + "/login/upstream/bad"); v.Status != http.StatusServiceUnavailable {
				t.Errorf("%s: status %d", issuer, v.Status)
			}
			w.must(w.Store.DeleteUpstream(t.Context(), w.act(), "bad"))
		}
		if v := w.browser().get(w.URL + "/login/upstream/works"); v.Away == nil {
			t.Errorf("one that is named: status %d", v.Status)
		}
	})
}

// Rule: FED-16
func TestTheSecretOfAnUpstreamGoesNowhereElse(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.liar("works")
		change := upstreams.Change{"issuer": "https://evil.example"}
		_, err := w.Upstreams.Set(t.Context(), w.act(), "works", "", change)
		if !fault.HasReason(err, upstreams.ReasonSecretAnew) {
			t.Errorf("without the secret: %v", err)
		}
		if _, err := w.Upstreams.Set(t.Context(), w.act(), "works", "another", change); err != nil {
			t.Errorf("with the secret: %v", err)
		}
		upstream, err := w.Store.FindUpstream(t.Context(), "works")
		if err != nil || strings.Contains(upstream.Config, "another") ||
			strings.Contains(string(upstream.Secret), "another") ||
			strings.Contains(w.said.String(), liarsSecret) {
			t.Errorf("the secret is readable: %v %v", upstream, err)
		}
	})
}

// Rule: FED-5
func TestWhoIsKnownTwiceByAnUpstreamIsDisconnectedAtOnceAndToldOnce(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		user := w.person(somebody)
		l := w.liar("works")
		for _, subject := range []string{"one", "two"} {
			w.must(w.Store.LinkIdentity(t.Context(), w.act(), storage.UpstreamIdentity{UpstreamID: "works", Issuer: l.URL,
				Subject: subject, UserID: user.ID, LinkedAt: w.ambient.Now()}))
		}
		b := w.browser()
		b.signIn(somebody, goodPassword)
		v := b.submit(b.get(b.URL+"/account/identities/disconnect/works"), "confirm", nil)
		mine, err := w.Store.ListIdentities(t.Context(), user.ID)
		if v.Status != http.StatusOK || err != nil || len(mine) > 0 {
			t.Errorf("%d on %s: still known as %v, %v", v.Status, v.At, mine, err)
		}
		mails, _, err := w.Store.ListMails(t.Context(), somebody, storage.PageRequest{})
		if err != nil || len(mails) != 1 {
			t.Errorf("%d mails: %v", len(mails), err)
		}
	})
}

// Rule: FED-5
func TestWhoIsKnownTwiceByTheirOnlyUpstreamKeepsBothAndIsToldNothing(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("works")
		b := l.signsIn("one")
		user := w.whose("one@works.test")
		w.must(w.Store.LinkIdentity(t.Context(), w.act(), storage.UpstreamIdentity{UpstreamID: "works", Issuer: l.URL,
			Subject: "two", UserID: user.ID, LinkedAt: w.ambient.Now()}))
		v := b.submit(b.get(b.URL+"/account/identities/disconnect/works"), "confirm", nil)
		mine, err := w.Store.ListIdentities(t.Context(), user.ID)
		if v.Status != http.StatusConflict || err != nil || len(mine) != 2 {
			t.Errorf("%d on %s: known as %v, %v", v.Status, v.At, mine, err)
		}
		mails, _, err := w.Store.ListMails(t.Context(), user.Email, storage.PageRequest{})
		if err != nil || len(mails) > 0 {
			t.Errorf("%d mails: %v", len(mails), err)
		}
	})
}

// Rule: FED-5
func TestPeopleConnectAndDisconnectAccounts(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		user := w.person(somebody)
		l := w.liar("works")
		b := w.browser()
		b.signIn(somebody, goodPassword)
		v := b.throughAway(b.get(b.URL + "/account/identities/connect/works"))
		if v.At.Path != "/account/identities/confirm" {
			t.Fatalf("on %s: %d", v.At, v.Status)
		}
		other := w.browser()
		w.person("other@example.test")
		other.signIn("other@example.test", goodPassword)
		if v := other.get(w.URL + "/account/identities/confirm"); v.Status != http.StatusBadRequest {
			t.Errorf("somebody else's browser: %d", v.Status)
		}
		if v = b.submit(v, "confirm", nil); v.At.Path != "/account/identities" ||
			!strings.Contains(string(v.Body), "one@works.test") {
			t.Fatalf("on %s: %d\n%s", v.At, v.Status, v.Body)
		}
		taken := other.throughAway(other.get(w.URL + "/account/identities/connect/works"))
		if got := other.submit(taken, "confirm", nil); got.Status != http.StatusConflict {
			t.Errorf("an identity of somebody else: %d", got.Status)
		}
		b.submit(b.get(b.URL+"/account/identities/disconnect/works"), "confirm", nil)
		if mine, err := w.Store.ListIdentities(t.Context(), user.ID); err != nil || len(mine) > 0 {
			t.Errorf("disconnected: %v %v", mine, err)
		}
		for to, want := range map[string][]string{somebody: {templates.LetterFactorRemoved, templates.LetterFactorAdded},
			"other@example.test": nil} {
			mails, _, err := w.Store.ListMails(t.Context(), to, storage.PageRequest{})
			var kinds []string
			for _, m := range mails {
				kinds = append(kinds, m.Kind)
			}
			if err != nil || !slices.Equal(kinds, want) {
				t.Errorf("%s is told by %v, %v", to, kinds, err)
			}
		}
		l.says = map[string]any{"sub": "p2", "email": "p2@works.test"}
		newcomer := w.browser()
		newcomer.visitUpstream("works")
		ask := newcomer.get(w.URL + "/account/identities/disconnect/works")
		if got := newcomer.submit(ask, "confirm", nil); got.Status != http.StatusConflict {
			t.Errorf("the last way to sign in: %d", got.Status)
		}
	})
}
