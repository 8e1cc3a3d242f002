package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/cmd/portico/internal/config"
)

// Rule: SERVER-2
func TestBaseURLIsAcceptedOnlyInOneSpelling(t *testing.T) {
	for _, good := range []string{
		"https://id.example.test", "https://id.example.test:8443", "http://localhost:8080", "http://127.0.0.1:8080",
		"http://[::1]:8080", "http://localhost", "http://localhost:443", "https://192.0.2.7", "https://[2001:db8::1]",
	} {
		if got := load(t, environ("PORTICO_BASE_URL="+good)).BaseURL; got != good {
			t.Errorf("%s became %s", good, got)
		}
	}
	for bad, want := range map[string]string{
		"id.example.test":                  "absolute URL",
		"/id":                              "absolute URL",
		"ftp://id.example.test":            "absolute URL",
		"https://":                         "absolute URL",
		"https://id.example.test/":         "no trailing slash",
		"https://id.example.test/id":       "no path",
		"https://id.example.test?x=1":      "query",
		"https://id.example.test?":         "query",
		"https://id.example.test#x":        "fragment",
		"https://id.example.test#":         "fragment",
		"https://user@id.example.test":     "user",
		"https://ID.example.test":          "lower case",
		"HTTPS://id.example.test":          "lower case",
		"https://id.example.test:":         "port",
		"https://id.example.test:99999":    "port",
		"https://id.example.test:443":      "expected no port",
		"http://localhost:80":              "expected no port",
		"https://id.example.test:08443":    "port",
		"http://[0:0:0:0:0:0:0:1]:8080":    "IP address",
		"https://[::ffff:192.0.2.7]":       "IP address",
		"https://192.0.2.07":               "IP address",
		"https://192.514":                  "IP address",
		"https://0xc0000207":               "IP address",
		"https://id_x.example.test":        "domain name",
		"https://\u00efd.example.test":     "domain name",
		"http://id.example.test":           "expected https",
		"http://localhost.example.test":    "expected https",
		"http://127.0.0.1.example.test":    "expected https",
		"https://id.example.test\\@evil.x": "absolute URL",
	} {
		got := faultsOf(t, environ("PORTICO_BASE_URL="+bad))
		if len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("%s: %q, want word of %q", bad, got, want)
		}
	}
}

// Rules: ACCOUNT-6, BRAND-1
func TestEachSettingTakesGoodValuesAndRefusesBadOnes(t *testing.T) {
	tests := map[string]struct{ good, bad []string }{
		"LISTEN": {[]string{":8080", "0.0.0.0:0", "a.test:1, b.test:2"},
			[]string{"8080", "x:99999", ",", "x:http"}},
		"DATABASE_URL": {[]string{"sqlite:x.db", "postgres://u:p@h/db?sslmode=disable",
			"postgres:///db?host=/run"}, []string{"sqlite:", "sqlite:x?mode=ro", "postgres://host", "x.db",
			"postgres://h:port/db"}},
		"DATABASE_POOL":   {[]string{"1", "1000"}, []string{"0", "1001", "-1", "many"}},
		"SECRET":          {[]string{longSecret}, []string{longSecret[1:]}},
		"SECRET_PREVIOUS": {[]string{longSecret}, []string{longSecret[1:]}},
		"OWN_NETWORKS": {[]string{"10.0.0.0/8, ::1", "192.0.2.1"},
			[]string{"10.0.0.1/8", "proxy", "10.0.0.0/33"}},
		"WEBHOOK_NETWORKS": {[]string{"10.0.0.0/8, ::1", "192.0.2.1"},
			[]string{"10.0.0.1/8", "proxy", "10.0.0.0/33"}},
		"TRUSTED_PROXIES": {[]string{"10.0.0.0/8, ::1", "192.0.2.1"},
			[]string{"10.0.0.1/8", "proxy", "10.0.0.0/33"}},
		"TLS_CLIENT_ANY": {[]string{"off"}, []string{"ON", "true"}},
		"TLS_CLIENT_URL": {nil, []string{"http://localhost", "https://mtls.id.example.test/", "mtls"}},
		"MCP":            {[]string{"on", "off"}, []string{"ON", "true"}},
		"DPOP_NONCES":    {[]string{"on", "off"}, []string{"ON", "true"}},
		"RATE_LIMITS": {[]string{"on", "off", "token=2000,revoke=0"},
			[]string{"ON", "true", "token=-1", "tokn=5"}},
		"SIGNUP":                       {[]string{"closed", "invite", "open"}, []string{"yes"}},
		"SIGNUP_DOMAINS":               {[]string{"example.test", "a.test, b.test"}, []string{"Example.test", "a@b.test"}},
		"CODE_LIFETIME":                {[]string{"1s", "300s"}, []string{"0s", "301s", "5", "1.5s", "-1s"}},
		"REFRESH_TOKEN_LIFETIME":       {[]string{"15d", "36h"}, []string{"366d", "d", "99999d"}},
		"SERVICE_ACCOUNT_EXPIRY":       {[]string{"1d", "365d", "3650d", "36h"}, []string{"23h", "3651d", "0s", "never"}},
		"REFRESH_GRACE":                {[]string{"0s", "60s"}, []string{"61s"}},
		"SERVICE_ACCOUNT_EMAIL_DOMAIN": {[]string{"sa.example.test"}, []string{"SA.example.test", "-x.test", "a b"}},
		"URN_NAMESPACE":                {[]string{"portico"}, []string{"Portico", "x", "a:b"}},
		"BRAND_NAME":                   {[]string{"Weber & Söhne"}, []string{"a\tb", strings.Repeat("x", 41)}},
		"BRAND_SUPPORT": {[]string{"help@example.test", "https://example.test/help"},
			[]string{"help", "javascript:alert(1)"}},
		"BRAND_TERMS":      {[]string{"https://example.test/terms"}, []string{"terms", "javascript:alert(1)"}},
		"BRAND_PRIVACY":    {[]string{"https://example.test/privacy"}, []string{"data:text/html,x"}},
		"BRAND_COLOR":      {[]string{"#2a4d8f", "#2A4D8F"}, []string{"blue", "#ffff00", "#12345"}},
		"BRAND_COLOR_DARK": {[]string{"#93b2f5"}, []string{"#2a4d8f"}},
		"BRAND_LOGO":       {[]string{"/etc/portico/logo.png"}, nil},
		"BRAND_IMPRINT":    {[]string{"https://example.test/imprint"}, []string{"/imprint"}},
		"MAIL_FROM":        {[]string{"Portico <no-reply@example.test>"}, []string{"nobody"}},
		"SMTP_URL": {[]string{"smtps://mail.example.test", "smtp://user:a%2Fb%3F@mail.example.test:587/"},
			[]string{"https://mail.example.test", "mail", "smtp://user:7/b@mail.example.test",
				"smtp://user:7?b@mail.example.test", "smtp://user:7#b@mail.example.test",
				"smtp://mail.example.test?starttls=no"}},
		"REDIS_URL": {[]string{"redis://localhost:6379/0"}, []string{"localhost"}},
		"ANTIVIRUS": {[]string{"tcp://127.0.0.1:3310", "unix:///run/clamd.sock", "https://scanner.example.test/scan"},
			[]string{"clamd", "tcp://127.0.0.1", "unix://run/x", "ftp://x"}},
		"ANTIVIRUS_MODE": {[]string{"block", "serve"}, []string{"off"}},
		"METRICS_LISTEN": {[]string{"127.0.0.1:9090"}, []string{"9090"}},
	}
	for name, tt := range tests {
		for _, value := range tt.good {
			if _, err := config.Load(environ("PORTICO_" + name + "=" + value)); err != nil {
				t.Errorf("%s=%s: %v", name, value, err)
			}
		}
		for _, value := range tt.bad {
			if _, err := config.Load(environ("PORTICO_" + name + "=" + value)); err == nil {
				t.Errorf("%s=%s was accepted", name, value)
			}
		}
	}
}

// Rule: MTLS-5
func TestWhatIsSaidOfClientsCertificatesAloneIsNotIgnored(t *testing.T) {
	for _, alone := range []string{"TLS_CLIENT_CA=ca.pem", "TLS_CLIENT_ANY=on",
		"TLS_CLIENT_URL=https://mtls.id.example.test"} {
		want := []string{"PORTICO_TLS_CLIENT_LISTEN: expected too, since clients are to have certificates"}
		if diff := cmp.Diff(want, faultsOf(t, environ("PORTICO_"+alone))); diff != "" {
			t.Errorf("%s alone (-want +got):\n%s", alone, diff)
		}
		load(t, environ("PORTICO_"+alone, "PORTICO_TLS_CLIENT_HEADER=Client-Cert", "PORTICO_TRUSTED_PROXIES=10.0.0.1"))
	}
}

// A header of such a name never comes, so that no app could prove itself by a certificate.
//
// Rule: MTLS-5
func TestAHeaderThatCanNotComeIsRefused(t *testing.T) {
	for _, name := range []string{"Client-Cert:", "Client Cert", "Client-Cert: x", "Zertifikät"} {
		got := faultsOf(t, environ("PORTICO_TLS_CLIENT_HEADER="+name, "PORTICO_TRUSTED_PROXIES=10.0.0.1"))
		if len(got) != 1 || !strings.HasPrefix(got[0], "PORTICO_TLS_CLIENT_HEADER: ") {
			t.Errorf("%s: %q", name, got)
		}
	}
	const rare = "X.Client!#$%&'*+^_`|~Cert" // RFC 9110, section 5.6.2
	c := load(t, environ("PORTICO_TLS_CLIENT_HEADER="+rare, "PORTICO_TRUSTED_PROXIES=10.0.0.1"))
	if c.TLS.ClientHeader != rare {
		t.Errorf("%q", c.TLS.ClientHeader)
	}
}

// Rule: OBJ-41
func TestAnObjectStoreNeedsAllOfItsSettingsOrNone(t *testing.T) {
	all := map[string]string{"ENDPOINT": "https://s3.example.test", "BUCKET": "bytes",
		"ACCESS_KEY": "a", "SECRET_KEY": "b"}
	given := func(without string, more ...string) config.Sources {
		entries := more
		for name, value := range all {
			if name != without {
				entries = append(entries, "PORTICO_S3_"+name+"="+value)
			}
		}
		return environ(entries...)
	}
	got := load(t, given("", "PORTICO_S3_REGION=eu"))
	if !got.S3.Used() || got.S3.Region != "eu" {
		t.Errorf("%v", got)
	}
	if load(t, environ()).S3.Used() {
		t.Error("without settings files go to an object store")
	}
	for name := range all {
		want := []string{"PORTICO_S3_" + name + ": expected too, since files are to go to an object store"}
		if diff := cmp.Diff(want, faultsOf(t, given(name))); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
	all["ENDPOINT"] = "s3.example.test"
	faultsOf(t, given(""))
}

func TestTheFirstAdministratorNeedsAddressAndPassword(t *testing.T) {
	password := file(t, "a long pass phrase\n")
	got := load(t, environ("PORTICO_ADMIN_EMAIL=admin@example.test", "PORTICO_ADMIN_PASSWORD_FILE="+password))
	if got.AdminEmail != "admin@example.test" || got.AdminPassword.Reveal() != "a long pass phrase" {
		t.Errorf("got %q with the password %q", got.AdminEmail, got.AdminPassword.Reveal())
	}
	for _, alone := range []string{"PORTICO_ADMIN_EMAIL=admin@example.test", "PORTICO_ADMIN_PASSWORD_FILE=" + password} {
		faultsOf(t, environ(alone))
	}
	faultsOf(t, environ("PORTICO_ADMIN_EMAIL=Admin <admin@example.test>", "PORTICO_ADMIN_PASSWORD_FILE="+password))
}

func TestAnUnchangedSecretIsNoRotation(t *testing.T) {
	faultsOf(t, environ("PORTICO_SECRET="+longSecret, "PORTICO_SECRET_PREVIOUS="+longSecret))
	load(t, environ("PORTICO_SECRET="+longSecret, "PORTICO_SECRET_PREVIOUS="+longSecret+"x"))
}

func TestDatabaseDefaultsToTheDataDirectory(t *testing.T) {
	got := load(t, environ("PORTICO_DATA_DIR=/srv/portico"))
	if got.DatabaseURL.Reveal() != "sqlite:/srv/portico/portico.db" || !got.SQLite() {
		t.Errorf("database is %s", got.DatabaseURL.Reveal())
	}
	if load(t, environ("PORTICO_DATABASE_URL=postgres://db/portico")).SQLite() {
		t.Error("PostgreSQL is taken for SQLite")
	}
}

// Rule: TRACE-8
func TestTracesGoToAnAddressAndAShareIsOne(t *testing.T) {
	for value, want := range map[string]string{
		"http://127.0.0.1:4318":        "http://127.0.0.1:4318/v1/traces",
		"https://tempo.example.test/":  "https://tempo.example.test/v1/traces",
		"https://all.example.test/own": "https://all.example.test/own",
		"127.0.0.1:4318":               "", "grpc://127.0.0.1:4317": "", "http://u:p@a.example.test": "",
		"http://a.example.test?key=1": "", "http://a.example.test#x": "",
	} {
		c, err := config.Load(config.Sources{Environ: []string{"PORTICO_TRACES_URL=" + value}})
		if (err == nil) != (want != "") || err == nil && c.TracesURL != want {
			t.Errorf("%s: %q, %v", value, c.TracesURL, err)
		}
	}
	for value, good := range map[string]bool{
		"0": true, "1": true, "0.5": true, "1.1": false, "-0.1": false, "NaN": false, "x": false,
	} {
		if _, err := config.Load(config.Sources{Environ: []string{"PORTICO_TRACES_SHARE=" + value}}); (err == nil) != good {
			t.Errorf("%s: %v", value, err)
		}
	}
}
