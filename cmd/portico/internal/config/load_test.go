package config_test

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/internal/ratelimit"
)

const longSecret = "0123456789abcdef0123456789abcdef"

func environ(entries ...string) config.Sources {
	return config.Sources{Environ: entries}
}

func load(t *testing.T, sources config.Sources) config.Config {
	t.Helper()
	c, err := config.Load(sources)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func faultsOf(t *testing.T, sources config.Sources) []string {
	t.Helper()
	_, err := config.Load(sources)
	var faults *config.Faults
	if !errors.As(err, &faults) {
		t.Fatalf("got %v, want faults", err)
	}
	return faults.List
}

func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "settings")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Rule: SERVER-12
func TestDefaultsAreThoseOfTheSpec(t *testing.T) {
	got := load(t, environ("HOME=/nowhere"))
	want := config.Config{
		Listen:        []string{"127.0.0.1:8080", "[::1]:8080"},
		DatabaseURL:   "sqlite:data/portico.db",
		DatabasePool:  16,
		DataDir:       "data",
		RateLimits:    ratelimit.DefaultRates(),
		RequestLimit:  10 * time.Second,
		LameDuck:      3 * time.Second,
		Drain:         40 * time.Second,
		URNNamespace:  "portico",
		AntivirusMode: "block",
		TracesShare:   0.01,
		Signup:        "closed",

		ServiceAccountExpiry: 365 * 24 * time.Hour,
		Lifetimes: config.Lifetimes{
			Code: 5 * time.Minute, IDToken: time.Hour, AccessToken: time.Hour,
			RefreshToken: 15 * 24 * time.Hour, RefreshGrace: 10 * time.Second, Grant: 90 * 24 * time.Hour,
			SessionIdle: 24 * time.Hour, SessionAbsolute: 14 * 24 * time.Hour,
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

// Rule: SERVER-26
func TestCommandsKnowWhatTheServerWasSetTo(t *testing.T) {
	server := load(t, environ("PORTICO_BASE_URL=https://id.example.test",
		"PORTICO_SERVICE_ACCOUNT_EMAIL_DOMAIN=robots.example.test",
		"PORTICO_SERVICE_ACCOUNT_EXPIRY=36h", "PORTICO_SECOND_FACTOR=everybody", "PORTICO_REGISTER_APPS=group:Developers",
		"PORTICO_APPS_PER_PERSON=5", "PORTICO_URN_NAMESPACE=example", "PORTICO_OWN_NETWORKS=10.0.0.0/8,::1",
		"PORTICO_SMTP_URL=smtp://mail.example.test", "PORTICO_SESSION_IDLE=30d", "PORTICO_SECRET="+longSecret))
	got := load(t, config.Sources{Server: server.Shared()})
	if diff := cmp.Diff(server.Shared(), got.Shared()); diff != "" {
		t.Errorf("-of the server +of the command:\n%s", diff)
	}
	if got.Lifetimes.SessionIdle != server.Lifetimes.SessionIdle {
		t.Errorf("sign-ins that go on are taken to have ended after %v", got.Lifetimes.SessionIdle)
	}
	for name, value := range server.Shared() {
		if value == "" || strings.Contains(value, longSecret) {
			t.Errorf("%s is %q", name, value)
		}
	}
	own := load(t, config.Sources{Server: server.Shared(),
		Environ: []string{"PORTICO_BASE_URL=https://other.example.test"}})
	if own.BaseURL != "https://other.example.test" || own.URNNamespace != "example" {
		t.Errorf("what a command is told itself does not win: %s, %s", own.BaseURL, own.URNNamespace)
	}
	unset := load(t, environ()).Shared()
	unset["SETTING_OF_ANOTHER_VERSION"] = "1"
	if diff := cmp.Diff(load(t, environ()), load(t, config.Sources{Server: unset}),
		cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
		t.Errorf("a server without settings (-alone +beside it):\n%s", diff)
	}
}

// Rule: SERVER-18
func TestEachSourceOverridesTheOneBefore(t *testing.T) {
	yaml := file(t, "code_lifetime: 1m\nid_token_lifetime: 1m\naccess_token_lifetime: 1m\nlisten: ['127.0.0.1:1', '127.0.0.1:2']\n")
	got := load(t, config.Sources{
		Environ: []string{"PORTICO_CONFIG=" + yaml, "PORTICO_ID_TOKEN_LIFETIME=2m", "PORTICO_ACCESS_TOKEN_LIFETIME=2m"},
		Flags:   map[string]string{"access-token-lifetime": "3m"},
	})
	l := got.Lifetimes
	if l.RefreshGrace != 10*time.Second || l.Code != time.Minute || l.IDToken != 2*time.Minute ||
		l.AccessToken != 3*time.Minute {
		t.Errorf("default, file, environment, flag gave %v, %v, %v, %v", l.RefreshGrace, l.Code, l.IDToken, l.AccessToken)
	}
	if diff := cmp.Diff([]string{"127.0.0.1:1", "127.0.0.1:2"}, got.Listen); diff != "" {
		t.Errorf("a YAML list (-want +got):\n%s", diff)
	}
}

func TestTheFlagNamesTheFileBeforeTheEnvironmentDoes(t *testing.T) {
	got := load(t, config.Sources{
		Environ: []string{"PORTICO_CONFIG=" + file(t, "signup: open")},
		Flags:   map[string]string{"config": file(t, "signup: invite")},
	})
	if got.Signup != "invite" {
		t.Errorf("signup is %q, want invite", got.Signup)
	}
}

// Rule: SERVER-18
func TestEverySecretCanComeFromAFile(t *testing.T) {
	path := file(t, longSecret+"\n")
	for name, sources := range map[string]config.Sources{
		"environment": environ("PORTICO_SECRET_FILE=" + path),
		"flag":        {Flags: map[string]string{"secret-file": path}},
		"YAML":        environ("PORTICO_CONFIG=" + file(t, "secret_file: "+path)),
	} {
		if got := load(t, sources).Secret.Reveal(); got != longSecret {
			t.Errorf("%s: secret is %q", name, got)
		}
	}
	for _, s := range config.Settings() {
		_, err := config.Load(environ(s.File().Env() + "=" + filepath.Join(t.TempDir(), "absent")))
		if refused := strings.Contains(err.Error(), "no such setting"); refused == s.Secret {
			t.Errorf("%s: %v", s.File().Env(), err)
		}
	}
}

func TestALaterSourceMayGiveASecretInTheOtherForm(t *testing.T) {
	got := load(t, config.Sources{
		Environ: []string{"PORTICO_SECRET_FILE=" + file(t, strings.Repeat("x", 40))},
		Flags:   map[string]string{"secret": longSecret},
	})
	if got.Secret.Reveal() != longSecret {
		t.Error("the flag did not win over the file named by the environment")
	}
}

// Rule: SERVER-1
func TestAllFaultsAreReportedAtOnceByName(t *testing.T) {
	got := faultsOf(t, config.Sources{
		Environ: []string{
			"PORTICO_LISTNE=:80", "PORTICO_LISTEN=8080", "PORTICO_DATABASE_POOL=none", "PORTICO_RATE_LIMITS=maybe",
			"PORTICO_SECRET=hunter2", "PORTICO_DATABASE_URL=mysql://root:hunter2@db/x",
			"PORTICO_REDIS_URL=redis://a", "PORTICO_REDIS_URL_FILE=/nowhere", "PORTICO_ADMIN_EMAIL=admin@example.test",
		},
		Flags: map[string]string{"code-lifetime": "6m"},
	})
	want := []string{
		`PORTICO_LISTNE: no such setting; did you mean PORTICO_LISTEN?`,
		`PORTICO_REDIS_URL: given together with PORTICO_REDIS_URL_FILE; expected one of the two`,
		`PORTICO_LISTEN: "8080" was given: expected host:port, as in 127.0.0.1:8080`,
		`PORTICO_DATABASE_URL: expected sqlite:PATH or postgres://user:password@host/name`,
		`PORTICO_DATABASE_POOL: "none" was given: expected a number from 1 to 1000`,
		`PORTICO_SECRET: expected at least 32 bytes, got 7`,
		`PORTICO_RATE_LIMITS: "maybe" was given: expected on, off, or a list as in token=2000,revoke=0, of accounts, apps, authorize, introspect, logout, register, revoke, scim, token`,
		`--code-lifetime: "6m" was given: expected 1s to 5m`,
		`PORTICO_ADMIN_EMAIL: expected together with PORTICO_ADMIN_PASSWORD_FILE, or neither`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestTheYAMLFileIsHeldToTheSameRules(t *testing.T) {
	tests := map[string]struct{ content, want string }{
		"an unknown key": {"lisen: x", "lisen in FILE, line 1: no such setting; did you mean listen?"},
		"a key twice":    {"signup: open\nsignup: open", "signup in FILE, line 2: given twice"},
		"a nested value": {"signup: {a: b}", "signup in FILE, line 1: expected a value or a list of values"},
		"a bad value": {"\nsignup: perhaps",
			`signup in FILE, line 2: "perhaps" was given: expected closed or invite or open`},
		"not a mapping":   {"- a", "FILE: expected settings as NAME: VALUE"},
		"not YAML at all": {"a: [", "FILE: expected YAML: malformed at line 1"},
		"more than one document": {"signup: open\n---\nmcp: on",
			"FILE: expected one YAML document, and there are more"},
		"the file itself": {"config: x", "config in FILE, line 1: no such setting; did you mean listen?"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := file(t, tt.content)
			got := faultsOf(t, environ("PORTICO_CONFIG="+path))
			want := []string{strings.ReplaceAll(tt.want, "FILE", path)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
	for content, want := range map[string]string{"# nothing\n": "closed", "": "closed",
		"---\nsignup: open\n...\n": "open", "---\nsignup: open\n---\n": "open", "# all\n---\nsignup: open\n": "open"} {
		if c := load(t, environ("PORTICO_CONFIG="+file(t, content))); c.Signup != want {
			t.Errorf("%q: signup is %s", content, c.Signup)
		}
	}
}

// Rule: SERVER-1
func TestFaultsNeverShowASecret(t *testing.T) {
	for _, s := range config.Settings() {
		if !s.Secret {
			continue
		}
		_, err := config.Load(environ(s.Env()+"=hunter2", "PORTICO_LISTEN=x"))
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", s.Env(), err)
		}
	}
}

// Rule: OUTBOUND-3
func TestASettingGoesByItsOldNameButNotByBoth(t *testing.T) {
	want := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, name := range []string{"PORTICO_OWN_NETWORKS", "PORTICO_WEBHOOK_NETWORKS"} {
		if got := load(t, environ(name+"=10.0.0.0/8")).OwnNetworks; !cmp.Equal(want, got,
			cmpopts.EquateComparable(netip.Prefix{})) {
			t.Errorf("%s: %v", name, got)
		}
		if wrong := faultsOf(t, environ(name+"=proxy")); len(wrong) != 1 || !strings.HasPrefix(wrong[0], name) {
			t.Errorf("one fault is reported as %q", wrong)
		}
	}
	if got := load(t, environ("PORTICO_OWN_NETWORKS=::ffff:10.0.0.0/104")).OwnNetworks; !cmp.Equal(want, got,
		cmpopts.EquateComparable(netip.Prefix{})) {
		t.Errorf("IPv4 addresses written as IPv6 ones: %v", got)
	}
	got := faultsOf(t, environ("PORTICO_OWN_NETWORKS=10.0.0.0/8", "PORTICO_WEBHOOK_NETWORKS=10.0.0.0/8"))
	if len(got) != 1 || !strings.Contains(got[0], "PORTICO_OWN_NETWORKS") ||
		!strings.Contains(got[0], "PORTICO_WEBHOOK_NETWORKS") {
		t.Errorf("both: %q", got)
	}
	later := config.Sources{Environ: []string{"PORTICO_WEBHOOK_NETWORKS=192.0.2.1"},
		Flags: map[string]string{"own-networks": "10.0.0.0/8"}}
	if got := load(t, later).OwnNetworks; !cmp.Equal(want, got, cmpopts.EquateComparable(netip.Prefix{})) {
		t.Errorf("the flag does not override the old name: %v", got)
	}
	shared := load(t, config.Sources{Server: load(t, environ("PORTICO_OWN_NETWORKS=10.0.0.0/8")).Shared()}).OwnNetworks
	if !cmp.Equal(want, shared, cmpopts.EquateComparable(netip.Prefix{})) {
		t.Errorf("the command line does not know them of the server: %v", shared)
	}
}
