package provider_test

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/metadoc"
	"github.com/portico-id/portico/provider/policy"
	"github.com/portico-id/portico/provider/registration"
	"github.com/portico-id/portico/storage"
)

// published is what lies at the addresses of others.
type published struct {
	mu      sync.Mutex
	hosts   string // whose documents count
	answer  http.HandlerFunc
	fetched int
}

// Get asks the handler over the wire; without one the host is down.
func (p *published) Get(ctx context.Context, address, accept string) (outbound.Answer, error) {
	p.mu.Lock()
	p.fetched++
	answer := p.answer
	p.mu.Unlock()
	if answer == nil {
		return outbound.Answer{}, net.ErrClosed
	}
	server := httptest.NewServer(answer)
	defer server.Close()
	_, path, _ := strings.Cut(strings.TrimPrefix(address, "https://"), "/")
	return outbound.New(outbound.Options{Networks: outbound.Beside("http://localhost")}).Get(ctx,
		server.URL+"/"+path, accept)
}

func (p *published) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fetched
}

// at publishes a document with the changes; nil takes a member away.
func (p *published) at(address string, changes map[string]any) {
	said := map[string]any{"client_id": address, "client_name": "Agent", "token_endpoint_auth_method": "none",
		"redirect_uris": []string{"http://localhost/callback"}}
	maps.Copy(said, changes)
	maps.DeleteFunc(said, func(_ string, value any) bool { return value == nil })
	body, _ := json.Marshal(said)
	p.says(http.StatusOK, "application/json", string(body))
}

// sized publishes a document of so many bytes.
func (p *published) sized(address string, size int) {
	body := `{"client_id":"` + address + `","client_name":"Agent","redirect_uris":["http://localhost/callback"],"x":"`
	p.says(http.StatusOK, "application/json", body+strings.Repeat("x", size-len(body)-2)+`"}`)
}

func (p *published) says(status int, kind, body string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Location", "https://elsewhere.example.test/x")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func (p *published) down() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = nil
}

func read(document []byte, was storage.Client) (storage.Client, error) {
	return registration.Read(document, was, apps.DefaultScopes)
}

func (w *world) newDocuments() *metadoc.Documents {
	return metadoc.New(metadoc.Options{Clients: w.Apps, Store: w.Store, Ambient: w.ambient, Get: w.published.Get,
		Hosts: w.documentHosts, Read: read,
		Changed: func() { w.Provider.ForgetClients() }})
}

func (w *world) documentHosts() string { return w.published.hosts }

const described = "https://agent.example.test/client.json"

// byDocument is the app of the address, which comes back to a free port.
func byDocument(address string) app {
	return app{storage.Client{ID: address, Type: storage.ClientNative,
		RedirectURIs: []string{"http://localhost:58135/callback"}}, ""}
}

// arrives asks for a sign-in with the client and returns the page.
func (w *world) arrives(b *browser, a app) visit {
	w.Helper()
	return b.get(w.authorizeURL(a, append(pkce, "scope", "openid data:read")...))
}

// refusesToSignIn wants the page that says that there is no such app.
func (w *world) refusesToSignIn(why string, a app) {
	w.Helper()
	if v := w.arrives(w.browser(), a); v.Away != nil || v.Status != http.StatusBadRequest {
		w.Errorf("%s: sent to %v, %d on %v", why, v.Away, v.Status, v.At)
	}
}

// Rules: CIMD-1, CIMD-3, CIMD-4, CIMD-6
func TestAClientThatADocumentDescribesSignsPeopleIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.published.at(described, nil)
		a, b := byDocument(described), w.browser()
		w.refusesToSignIn("off", a)
		w.published.hosts = "other.example.test"
		w.refusesToSignIn("another host", a)
		if n := w.published.count(); n != 0 {
			t.Errorf("fetched %d times for nobody", n)
		}
		for _, blocked := range []string{"all -agent.example.test", "agent.example.test -" + described} {
			w.published.hosts = blocked
			w.must(policy.Check(policy.MetadataDocuments, blocked))
			w.refusesToSignIn("blocked before anybody used it: "+blocked, a)
		}
		if n := w.published.count(); n != 0 {
			t.Errorf("fetched %d times for who is blocked", n)
		}
		w.published.hosts = "other.example.test agent.example.test -https://agent.example.test/other.json"
		page := w.arrives(b, a)
		page = b.submit(page, "login-form", form("username", somebody, "password", goodPassword))
		for _, mark := range []string{`id="itself"`, `id="document"`, "agent.example.test", `id="only-here"`,
			"<bdi>localhost:58135</bdi>"} {
			if !strings.Contains(string(page.Body), mark) {
				t.Errorf("the page that asks does not say %s:\n%s", mark, page.Body)
			}
		}
		page = b.submit(page, "consent-form", form("decision", "allow"))
		if page.Away == nil {
			t.Fatalf("on %s:\n%s", page.At, w.said)
		}
		tokens := w.granted(a, form("grant_type", "authorization_code", "code", page.Away.Query().Get("code"),
			"code_verifier", verifier))
		if aud := payload(t, tokens["id_token"])["aud"]; aud != described {
			t.Errorf("the ID token is for %v", aud)
		}
		w.published.down()
		refresh := form("grant_type", "refresh_token", "refresh_token", tokens["refresh_token"].(string))
		tokens = w.granted(a, refresh)
		if n := w.published.count(); n != 1 {
			t.Errorf("fetched %d times, want once: tokens need none", n)
		}
		if again := w.arrives(b, a); again.Away != nil || again.At.Path != "/consent" {
			t.Errorf("asked again it is on %v", again.At)
		}
		w.refusesToSignIn("its id here, under which nobody judges it", byDocument(clientprofile.ID(described)))
		w.must(w.Apps.SetDisabled(t.Context(), w.act(), clientprofile.ID(described), true))
		w.wait(time.Second)
		refresh.Set("refresh_token", tokens["refresh_token"].(string))
		w.refused(w.token(a, refresh), http.StatusUnauthorized, "invalid_client")
		if _, err := w.Bearer.Check(t.Context(), tokens["access_token"].(string)); err == nil {
			t.Error("a token of a disabled client is good")
		}
		w.wait(48 * time.Hour)
		if _, err := w.Registrar.Sweep(t.Context(), 10); err != nil {
			t.Error(err)
		}
		w.published.at(described, nil)
		w.refusesToSignIn("an administrator has blocked it", a)
		if n := w.published.count(); n != 1 {
			t.Errorf("fetched %d times for who is blocked", n)
		}
	})
}

// Rule: CIMD-3
func TestThePageWarnsOfAClientThatAnybodyOnTheDeviceCanPassFor(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.published.hosts = metadoc.All
		const web = "https://agent.example.test/callback"
		for n, c := range []struct {
			comes []string // where it comes back to
			warns bool
		}{
			{[]string{"http://localhost/callback"}, true},
			{[]string{"http://localhost/callback", "http://127.0.0.1/"}, true},
			{[]string{web}, false},
			{[]string{"http://localhost/callback", web}, false},
		} {
			address := strings.Replace(described, "client", "client"+strings.Repeat("x", n), 1)
			w.published.at(address, map[string]any{"redirect_uris": c.comes, "logo_uri": "https://agent.example.test/logo.png"})
			a, b, fetched := byDocument(address), w.browser(), w.published.count()
			a.RedirectURIs = c.comes
			page := b.submit(w.arrives(b, a), "login-form", form("username", somebody, "password", goodPassword))
			body := string(page.Body)
			if !strings.Contains(body, `id="document"`) || strings.Contains(body, `id="only-here"`) != c.warns {
				t.Errorf("%v: the page that asks:\n%s", c.comes, body)
			}
			if strings.Contains(body, "logo.png") || w.published.count() != fetched+1 {
				t.Errorf("%v: its logo is shown, or %d fetches", c.comes, w.published.count()-fetched)
			}
		}
	})
}

// Rule: CIMD-2
func TestWhatADocumentHasToBe(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.published.hosts = metadoc.All
		where := func(n int) string { return strings.Replace(described, "agent", "agent"+strings.Repeat("x", n), 1) }
		n := 0
		for name, changes := range map[string]map[string]any{
			"another client_id":       {"client_id": "https://agent.example.test/other"},
			"no client_id":            {"client_id": nil},
			"no name":                 {"client_name": nil},
			"no redirect URIs":        {"redirect_uris": nil},
			"a script":                {"redirect_uris": []string{"javascript:alert(1)"}},
			"plain http elsewhere":    {"redirect_uris": []string{"http://agent.example.test/callback"}},
			"a secret":                {"client_secret": "x"},
			"a secret's end":          {"client_secret_expires_at": 0},
			"proof by secret":         {"token_endpoint_auth_method": "client_secret_basic"},
			"proof by a key":          {"token_endpoint_auth_method": "private_key_jwt"},
			"a statement":             {"software_statement": "x.y.z"},
			"addresses that are text": {"redirect_uris": "http://localhost/callback"},
		} {
			n++
			w.published.at(where(n), changes)
			w.refusesToSignIn(name, byDocument(where(n)))
		}
		for name, c := range map[string]struct {
			status     int
			kind, body string
		}{
			"a redirect":     {http.StatusFound, "application/json", `{}`},
			"nothing":        {http.StatusNotFound, "application/json", `{}`},
			"not new":        {http.StatusCreated, "application/json", `{}`},
			"a page":         {http.StatusOK, "text/html", `{}`},
			"no type":        {http.StatusOK, "", `{}`},
			"no JSON":        {http.StatusOK, "application/json", `{`},
			"no object":      {http.StatusOK, "application/json", `[]`},
			"out of service": {http.StatusServiceUnavailable, "application/json", `{}`},
		} {
			n++
			w.published.says(c.status, c.kind, c.body)
			w.refusesToSignIn(name, byDocument(where(n)))
		}
		n++
		w.published.down()
		w.refusesToSignIn("nobody answers", byDocument(where(n)))
		w.published.sized(where(n+1), 5<<10+1)
		w.refusesToSignIn("5 KiB and a byte", byDocument(where(n+1)))
		w.published.sized(where(n+2), 5<<10)
		if v := w.arrives(w.browser(), byDocument(where(n+2))); v.At.Path != "/login" {
			t.Errorf("5 KiB: %d on %v", v.Status, v.At)
		}
	})
}

// Rule: CIMD-5
func TestADocumentThatChangesUnderALiveGrant(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.published.hosts = metadoc.All
		w.published.at(described, map[string]any{"redirect_uris": []string{"http://localhost/callback", callback}})
		a, b := byDocument(described), w.browser()
		page := b.through(w.arrives(b, a), somebody)
		tokens := w.granted(a, form("grant_type", "authorization_code", "code", page.Away.Query().Get("code"),
			"code_verifier", verifier))
		w.published.at(described, map[string]any{"redirect_uris": []string{"http://127.0.0.1/other"}, "client_name": "Other"})
		if v := w.arrives(b, a); v.At.Path != "/consent" {
			t.Errorf("within five minutes: %d on %v", v.Status, v.At)
		}
		w.wait(6 * time.Minute)
		w.refusesToSignIn("an address that it has no more", a)
		other := byDocument(described)
		other.RedirectURIs = []string{"http://127.0.0.1:5000/other"}
		if v := w.arrives(b, other); v.At.Path != "/consent" || !strings.Contains(string(v.Body), "Other") {
			t.Errorf("its new address: %d on %v", v.Status, v.At)
		}
		refresh := func() {
			t.Helper()
			tokens = w.granted(a, form("grant_type", "refresh_token", "refresh_token", tokens["refresh_token"].(string)))
		}
		refresh()
		w.published.says(http.StatusNotFound, "text/html", "")
		w.wait(6 * time.Minute)
		w.refusesToSignIn("a document that is gone since a few minutes", other)
		w.published.down()
		w.wait(time.Minute)
		w.refusesToSignIn("a document that was gone when its host answered last", other)
		w.published.at(described, map[string]any{"redirect_uris": []string{"http://127.0.0.1/other"}})
		w.wait(time.Minute)
		if v := w.arrives(w.browser(), other); v.At.Path != "/login" {
			t.Errorf("a document that is there again: %d on %v", v.Status, v.At)
		}
		w.published.down()
		w.wait(6 * 24 * time.Hour)
		if v := w.arrives(w.browser(), other); v.At.Path != "/login" {
			t.Errorf("six days without its host: %d on %v", v.Status, v.At)
		}
		refresh()
		w.wait(2 * 24 * time.Hour)
		w.refusesToSignIn("eight days without its host", other)
		refresh()
		w.published.says(http.StatusOK, "application/json", `{}`)
		w.wait(time.Minute)
		w.refusesToSignIn("a document that fits no more", other)
	})
}

// Rule: CIMD-7
func TestAClientWhoseDocumentCountsNoMoreRestsUntilItDoes(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.published.hosts = metadoc.All
		w.published.at(described, nil)
		a, b := byDocument(described), w.browser()
		page := b.through(w.arrives(b, a), somebody)
		tokens := w.granted(a, form("grant_type", "authorization_code", "code", page.Away.Query().Get("code"),
			"code_verifier", verifier))
		other := w.app(apps.Registration{Scopes: []string{"openid", "data:read"}})
		others := b.tokens(other, somebody)
		refresh := func() answer {
			return w.token(a, form("grant_type", "refresh_token", "refresh_token", tokens["refresh_token"].(string)))
		}
		for _, c := range []struct {
			hosts string
			rests bool
		}{
			{metadoc.Off, true}, {metadoc.All, false}, {"other.example.test", true},
			{"other.example.test agent.example.test", false}, {"all -agent.example.test", true},
			{"all -https://agent.example.test/other.json -other.example.test", false}, {"all -" + described, true},
			{"all -agent.example.test:8443", false},
			{"agent.example.test", false},
		} {
			w.published.hosts = c.hosts
			w.must(policy.Check(policy.MetadataDocuments, c.hosts))
			_, err := w.Bearer.Check(t.Context(), tokens["access_token"].(string))
			if (err != nil) != c.rests {
				t.Errorf("%s: its token: %v", c.hosts, err)
			}
			got := refresh()
			if c.rests {
				w.refused(got, http.StatusUnauthorized, "invalid_client")
			} else if got.Status == http.StatusOK {
				tokens = got.JSON(t)
			} else {
				t.Errorf("%s: refreshing: %d %s", c.hosts, got.Status, got.Body)
			}
			if _, err := w.Bearer.Check(t.Context(), others["access_token"].(string)); err != nil {
				t.Errorf("%s: a token of an app that is registered: %v", c.hosts, err)
			}
			others = w.refreshWith(other, others).JSON(t)
		}
	})
}

// Rule: CIMD-5
func TestEachServerKnowsByItselfWhetherADocumentFits(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.published.hosts = metadoc.All
		servers := []*metadoc.Documents{w.newDocuments(), w.newDocuments()}
		admits := func(of *metadoc.Documents) bool {
			return of.Admit(t.Context(), w.act(), described, func() error { return nil }) == nil
		}
		w.published.at(described, nil)
		if !admits(servers[0]) || !admits(servers[1]) {
			t.Fatal("one that fits is not admitted")
		}
		w.wait(6 * time.Minute)
		w.published.says(http.StatusGone, "text/html", "")
		if admits(servers[0]) {
			t.Error("the server that was told that there is none admits it")
		}
		w.published.down()
		w.wait(time.Minute)
		if admits(servers[0]) {
			t.Error("the server that was told that there was none admits it while the host is down")
		}
		if !admits(servers[1]) {
			t.Error("the server that was told nothing does not go by what was there last")
		}
		w.published.says(http.StatusGone, "text/html", "")
		w.wait(time.Minute)
		if admits(servers[1]) {
			t.Error("told, it admits it")
		}
	})
}

// Rules: CIMD-8, SERVER-53
func TestWhatADocumentSaidLastCountsOnEveryServer(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.published.hosts = metadoc.All
		servers := []*metadoc.Documents{w.newDocuments(), w.newDocuments()}
		stolen := map[string]any{"redirect_uris": []string{callback, "https://stolen.example.test/cb"}}
		has := func(server int) int {
			t.Helper()
			w.must(servers[server].Admit(t.Context(), w.act(), described, func() error { return nil }))
			c, err := w.Apps.Find(t.Context(), clientprofile.ID(described))
			w.must(err)
			return len(c.RedirectURIs)
		}
		w.published.at(described, stolen)
		if has(0) != 2 {
			t.Fatal("the document is not read")
		}
		w.wait(time.Minute)
		w.published.at(described, map[string]any{"redirect_uris": []string{callback}})
		if has(1) != 1 || has(0) != 1 {
			t.Error("what was withdrawn comes back by a server that read it before")
		}
		w.wait(time.Minute)
		w.published.at(described, stolen)
		if has(0) != 1 || has(1) != 1 {
			t.Error("a document is fetched while it is good")
		}
		w.published.down()
		w.wait(10 * time.Minute)
		if has(0) != 1 || has(1) != 1 {
			t.Error("while the host is down it is not as it was")
		}
		w.wait(time.Hour)
		servers = append(servers, w.newDocuments(), w.newDocuments())
		w.published.at(described, stolen)
		if has(2) != 2 {
			t.Error("a new server does not read it")
		}
		w.wait(-time.Hour) // its clock was ahead
		w.published.at(described, map[string]any{"redirect_uris": []string{callback}})
		if has(3) != 1 {
			t.Error("what was withdrawn counts for as long as a clock was ahead")
		}
	})
}

// Rule: CIMD-9
func TestAClientThatADocumentDescribesBeginsByPushing(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database, rates: ratelimit.Rates{ratelimit.Register: 1}})
		w.person(somebody)
		a := byDocument(described)
		asks := append(pkce, "client_id", described, "scope", "openid data:read")
		w.refused(w.push(a, asks...), http.StatusBadRequest, "invalid_client")
		w.published.hosts = metadoc.All
		w.published.at(described, map[string]any{"require_pushed_authorization_requests": true})
		to := w.goingOn(a, w.push(a, asks...))
		b := w.browser()
		v := b.submit(b.get(to), "login-form", form("username", somebody, "password", goodPassword))
		if v.At.Path != "/consent" {
			t.Errorf("on %s: %d", v.At, v.Status)
		}
		other := byDocument("https://other.example.test/client.json")
		if got := w.push(other, append(pkce, "client_id", other.ID)...); got.Status != http.StatusTooManyRequests {
			t.Errorf("more than may register: %d %s", got.Status, got.Body)
		}
	})
}

// Rule: CIMD-4
func TestFetchesOfDocumentsCount(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database, rates: ratelimit.Rates{ratelimit.Register: 2}})
		w.published.hosts = metadoc.All
		for _, host := range []string{"a", "b", "c", "d"} {
			w.arrives(w.browser(), byDocument("https://"+host+".example.test/client.json"))
		}
		if n := w.published.count(); n != 2 {
			t.Errorf("fetched %d times, want 2", n)
		}
		for range 3 {
			w.arrives(w.browser(), byDocument("https://a.example.test/client.json"))
		}
		if n := w.published.count(); n != 2 {
			t.Errorf("a host that is down is asked again at once: %d", n)
		}
		w.wait(2 * time.Minute)
		w.published.at(described, nil)
		if v := w.arrives(w.browser(), byDocument(described)); v.At.Path != "/login" {
			t.Errorf("when there is room again: %d on %v", v.Status, v.At)
		}
		w.wait(10 * time.Minute)
		for _, host := range []string{"e", "f"} { // somebody uses up what their network may
			w.arrives(w.browser(), byDocument("https://"+host+".example.test/client.json"))
		}
		n := w.published.count()
		if v := w.arrives(w.browser(), byDocument(described)); v.At.Path != "/login" || w.published.count() != n {
			t.Errorf("who is known is locked out by that: %d on %v, fetched %d times", v.Status, v.At, w.published.count()-n)
		}
		v := w.arrives(w.browser(), byDocument("https://g.example.test/client.json"))
		if v.Status != http.StatusTooManyRequests {
			t.Errorf("who is not: %d on %v", v.Status, v.At)
		}
	})
}

// Rule: CIMD-4
func TestNoDocumentIsFetchedFromWithin(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		within := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			t.Error("the server was called")
		}))
		t.Cleanup(within.Close)
		_, port, _ := net.SplitHostPort(within.Listener.Addr().String())
		outside := outbound.New(outbound.Options{})
		documents := metadoc.New(metadoc.Options{Clients: w.Apps, Store: w.Store, Ambient: w.ambient, Get: outside.Get,
			Hosts: func() string { return metadoc.All }, Read: read, Changed: func() {}})
		for _, host := range []string{"127.0.0.1", "localhost", "0.0.0.0"} {
			address := "https://" + host + ":" + port + "/client.json"
			if err := documents.Admit(t.Context(), w.act(), address, func() error { return nil }); err == nil {
				t.Errorf("%s is admitted", address)
			}
		}
	})
}

// Rule: CIMD-4
func TestTokensOfADescribedClientCostNoFetch(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.published.hosts = metadoc.All
		w.published.at(described, nil)
		a, b := byDocument(described), w.browser()
		page := b.through(w.arrives(b, a), somebody)
		fetched := w.published.count()
		w.wait(30 * time.Second)
		tokens := w.granted(a, form("grant_type", "authorization_code", "code", page.Away.Query().Get("code"),
			"code_verifier", verifier))
		for range 3 {
			w.wait(20 * time.Minute) // what was fetched is long too old for a sign-in
			tokens = w.granted(a, form("grant_type", "refresh_token", "refresh_token", tokens["refresh_token"].(string)))
			if got := w.userInfo(tokens["access_token"].(string)); got.Status != http.StatusOK {
				t.Errorf("user info: %d %s", got.Status, got.Body)
			}
			for _, path := range []string{"/authentication/v2/introspect", "/authentication/v2/revoke"} {
				w.post(path, a, form("token", tokens["access_token"].(string)))
			}
		}
		if n := w.published.count(); n != fetched || n != 1 {
			t.Errorf("tokens cost %d fetches, and the sign-in %d", n-fetched, fetched)
		}
		if w.arrives(b, a); w.published.count() != 2 {
			t.Errorf("the next sign-in: fetched %d times, want 2", w.published.count())
		}
	})
}

// Rule: CIMD-4
func TestADocumentIsNotFetchedFromAnAddressThatChanges(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		var connections atomic.Int64
		within := httptest.NewUnstartedServer(http.NotFoundHandler())
		within.Config.ErrorLog = log.New(io.Discard, "", 0)
		within.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				connections.Add(1)
			}
		}
		within.StartTLS()
		t.Cleanup(within.Close)
		_, port, _ := net.SplitHostPort(within.Listener.Addr().String())
		address := "https://localhost:" + port + "/client.json"
		fetches := func(networks []netip.Prefix) int64 {
			outside := outbound.New(outbound.Options{Networks: networks, // looked up it is public, called it is not
				Resolve: func(context.Context, string) ([]netip.Addr, error) {
					return []netip.Addr{netip.MustParseAddr("192.88.99.1")}, nil
				}})
			documents := metadoc.New(metadoc.Options{Clients: w.Apps, Store: w.Store, Ambient: w.ambient, Get: outside.Get,
				Hosts: func() string { return metadoc.All }, Read: read, Changed: func() {}})
			if err := documents.Admit(t.Context(), w.act(), address, func() error { return nil }); err == nil {
				t.Error("it is admitted")
			}
			return connections.Swap(0)
		}
		if n := fetches(nil); n != 0 {
			t.Errorf("the network within was connected to %d times", n)
		}
		if n := fetches(outbound.Beside("http://localhost")); n == 0 {
			t.Error("nobody connects where that is allowed: the test shows nothing")
		}
	})
}

// Rule: CIMD-10
func TestAClientWhoseDocumentAddsOrLosesAnAddressOfTheDeviceGoesOn(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.published.hosts = metadoc.All
		b, tokens := w.browser(), map[string]any(nil)
		for _, addresses := range [][]string{{callback}, {callback, "http://localhost/callback"}, {callback}} {
			w.published.at(described, map[string]any{"redirect_uris": addresses})
			w.wait(6 * time.Minute)
			a := byDocument(described)
			if tokens != nil {
				w.granted(a, form("grant_type", "refresh_token", "refresh_token", tokens["refresh_token"].(string)))
			}
			for _, returning := range addresses {
				a.RedirectURIs = []string{strings.Replace(returning, "localhost", "localhost:5000", 1)}
				page := b.through(w.arrives(b, a), somebody)
				if page.Away == nil {
					t.Fatalf("%v: to %s: %d on %v", addresses, returning, page.Status, page.At)
				}
				tokens = w.granted(a, form("grant_type", "authorization_code", "code", page.Away.Query().Get("code"),
					"code_verifier", verifier))
			}
			if len(addresses) > 1 { // an administrator lets it ask from devices, as a native one may
				_, err := w.Apps.Update(t.Context(), w.act(), clientprofile.ID(described),
					apps.Change{Devices: new(true), ByAdministrator: true})
				w.must(err)
			}
		}
	})
}
