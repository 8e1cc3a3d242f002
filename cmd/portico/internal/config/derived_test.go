package config

import "testing"

func TestWhatFollowsFromTheSettings(t *testing.T) {
	for name, c := range map[string]struct {
		environ     []string
		url, domain string
	}{
		"nothing given": {nil, "http://localhost:8080", "serviceaccount.localhost"},
		"another port": {[]string{"PORTICO_LISTEN=127.0.0.1:9000,[::1]:9001"}, "http://localhost:9000",
			"serviceaccount.localhost"},
		"a base URL": {[]string{"PORTICO_BASE_URL=https://id.example.test:8443"},
			"https://id.example.test:8443", "serviceaccount.id.example.test"},
		"a domain for the addresses": {[]string{"PORTICO_SERVICE_ACCOUNT_EMAIL_DOMAIN=robots.example.test"},
			"http://localhost:8080", "robots.example.test"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Load(Sources{Environ: c.environ})
			if err != nil || got.PublicURL() != c.url || got.AccountDomain() != c.domain {
				t.Errorf("%s, %s, %v; want %s, %s", got.PublicURL(), got.AccountDomain(), err, c.url, c.domain)
			}
		})
	}
}
