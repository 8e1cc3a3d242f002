package e2e

import (
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/portico-id/portico/internal/harness/freeport"
)

// npmProvider runs npm's oidc-provider as the upstream works of the site, and returns its
// issuer.
func (s *site) npmProvider(t *testing.T) string {
	t.Helper()
	modules := filepath.Join(installed(t, "oidc-provider", "package-lock.json"), "node_modules")
	dir, port := t.TempDir(), freeport.Take(t)
	lay(t, dir, map[string]string{"provider.mjs": string(must(os.ReadFile("testdata/oidc-provider/provider.mjs")))})
	s.must(os.Symlink(modules, filepath.Join(dir, "node_modules")))
	runBeside(t, exec.Command("node", append(nodeFlags(t), filepath.Join(dir, "provider.mjs"), port, s.URL)...), port)
	issuer := "http://127.0.0.1:" + port
	lay(t, dir, map[string]string{"secret": "secret of portico there"})
	s.command("", "upstream", "create", "works", "--preset", "oidc", "--secret-file", filepath.Join(dir, "secret"),
		"issuer="+issuer, "client_id=portico", "networks=127.0.0.0/8", "join=open", "trust_email=true")
	return issuer
}

var leaveLink = regexp.MustCompile(`id="leave"[^>]* href="([^"]+)"`)

// leaves signs out here, and then at the provider, who asks, and returns the page to
// which that leads.
func (v *visitor) leaves(s *site) page {
	s.Helper()
	p, err := v.open(s.URL + "/authentication/v2/logout")
	s.must(err)
	link := leaveLink.FindStringSubmatch(p.Body)
	if link == nil {
		s.Fatalf("%d on %s, and nothing is offered: %s", p.Status, p.At, p.Body)
	}
	p, err = v.open(html.UnescapeString(link[1]))
	s.must(err)
	p, err = v.submit(p, "op.logoutForm", form("logout", "yes"))
	s.must(err)
	return p
}

// testsSecret has the upstream works tell whether the secret is right, and whether
// another one is.
func (s *site) testsSecret(t *testing.T) {
	s.Helper()
	if said := s.command("", "upstream", "test", "works"); !strings.Contains(said, "secret: ok") {
		s.Errorf("the right secret: %s", said)
	}
	dir := t.TempDir()
	set := func(secret string) {
		lay(t, dir, map[string]string{"secret": secret})
		s.command("", "upstream", "set", "works", "--secret-file", filepath.Join(dir, "secret"))
	}
	set("hush-hush")
	if said, trouble := s.commanded("", "upstream", "test", "works"); !strings.Contains(said, "invalid_client") ||
		trouble == "" {
		s.Errorf("another secret: %s %s", said, trouble)
	}
	set("secret of portico there")
}

// disconnects takes the account there off that of the person, who is signed in by it.
func (s *site) disconnects(in func() bool) {
	s.Helper()
	var told struct {
		Identities []struct{ Upstream, Subject string }
	}
	s.commandJSON(&told, "", "user", "identities", "one@works.test")
	if len(told.Identities) != 1 || told.Identities[0].Upstream != "works" || told.Identities[0].Subject != "one" {
		s.Errorf("they sign in by %+v", told.Identities)
	}
	take := []string{"user", "disconnect", "one@works.test", "works"}
	if _, trouble := s.commanded("", take...); !strings.Contains(trouble, "only way to sign in") || !in() {
		s.Errorf("the last way to sign in: %s", trouble)
	}
	if _, trouble := s.commanded("", "user", "disconnect", "one@works.test", "nowhere"); trouble == "" {
		s.Error("an upstream that is not there is disconnected")
	}
	s.command("", append(take, "--force")...)
	if said := s.command("", take...); in() || !strings.Contains(said, "No account of works") {
		s.Errorf("it is taken off, and they are in %v: %s", in(), said)
	}
}

// Rules: FED-5, FED-6, FED-13, FED-22, FED-23
func TestNpmsOIDCProviderIsAnUpstream(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs JavaScript packages, which -short leaves out")
	}
	eachEngine(t, func(t *testing.T, database string) {
		var told atomic.Int32
		hears := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if r.FormValue("logout_token") != "" {
				told.Add(1)
			}
		}))
		t.Cleanup(hears.Close)
		s := start(t, database)
		issuer := s.npmProvider(t)
		s.testsSecret(t)
		app := s.client("--redirect-uri", callback, "--backchannel-logout-uri", hears.URL)
		arrives := func() (*visitor, string) {
			v := s.visitor("one@works.test")
			v.goes = []string{issuer + "/"}
			p, err := v.open(s.URL + "/login/upstream/works")
			s.must(err)
			if p.Status != http.StatusOK || p.At.String() != s.URL+"/" {
				t.Fatalf("%d on %s: %s", p.Status, p.At, p.Body)
			}
			claims := claimsOf(t, v.tokens(app).text("id_token"))
			if claims["iss"] != s.URL || claims["email"] != "one@works.test" {
				t.Errorf("the app is told %v", claims)
			}
			return v, claims["sub"].(string)
		}
		v, subject := arrives()
		if _, again := arrives(); again != subject || again == "one" {
			t.Errorf("the person is %s, and then %s", subject, again)
		}
		in := func() bool {
			p, err := v.open(s.URL + "/account/identities")
			s.must(err)
			return strings.HasPrefix(p.At.Path, "/account/") && p.Status == http.StatusOK
		}
		if !in() || told.Load() != 0 {
			t.Fatalf("before the sign-out: in %v, %d are told", in(), told.Load())
		}
		p, err := v.open(issuer + "/session/end")
		s.must(err)
		_, err = v.submit(p, "op.logoutForm", form("logout", "yes"))
		s.must(err)
		s.eventually("a sign-out there is one here, of which the app hears", func() bool { return told.Load() == 1 && !in() })
		s.command("", "upstream", "set", "works", "offer_logout=true")
		v, _ = arrives()
		if p := v.leaves(s); p.At.String() != s.URL+"/login?signed_out=1" || in() {
			t.Errorf("signed out here and there: %d on %s", p.Status, p.At)
		}
		v, _ = arrives()
		s.disconnects(in)
	})
}
