package e2e

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// behindTLS runs the application as people deploy it: behind a proxy that
// speaks https. It also returns the proxy's certificate as PEM.
func behindTLS(t *testing.T, database string, settings ...string) (*site, []byte) {
	t.Helper()
	var s *site
	proxy := httptest.NewUnstartedServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: s.address.Load().(string)})
			r.SetXForwarded()
		},
	})
	proxy.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	proxy.StartTLS()
	t.Cleanup(proxy.Close)
	s = start(t, database, append(settings, "BASE_URL="+proxy.URL)...)
	trusted := x509.NewCertPool()
	trusted.AddCert(proxy.Certificate())
	s.wire.TLSClientConfig = &tls.Config{RootCAs: trusted}
	return s, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: proxy.Certificate().Raw})
}

// Rule: SIGNIN-1
func TestBehindAProxyWithTLSCookiesAreForItAlone(t *testing.T) {
	s, _ := behindTLS(t, sqliteURL(t))
	s.person("person@example.test")
	v := s.visitor("person@example.test")
	c := s.client()
	if got := s.userInfo(v.tokens(c).text("access_token")); got.Status != http.StatusOK {
		t.Errorf("user info: %d %s", got.Status, got.Body)
	}
	var names []string
	for _, cookie := range v.http.Jar.Cookies(must(url.Parse(s.URL))) {
		names = append(names, cookie.Name)
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"__Host-portico", "__Host-portico-browser", "__Host-portico-visitor"},
		names); diff != "" {
		t.Errorf("cookies (-want +got):\n%s", diff)
	}
	if got := s.metadata(t); got["issuer"] != s.URL || got["token_endpoint"] != s.URL+tokenPath {
		t.Errorf("discovery names %v and %v", got["issuer"], got["token_endpoint"])
	}
}

// metadata returns the discovery document.
func (s *site) metadata(t *testing.T) map[string]any {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.URL+discoveryPath, nil)
	s.must(err)
	got, err := try(s.plain, r)
	s.must(err)
	return got.object(t)
}

// Rules: DISC-6, SERVER-3
func TestForwardedHeadersOfStrangersMoveNothing(t *testing.T) {
	s := start(t, sqliteURL(t), "TRUSTED_PROXIES=192.0.2.1")
	r, err := http.NewRequest(http.MethodGet, s.URL+discoveryPath, nil)
	s.must(err)
	r.Host = "evil.example.test"
	for _, name := range []string{"X-Forwarded-Host", "X-Forwarded-For", "Forwarded"} {
		r.Header.Set(name, "host=evil.example.test;for=192.0.2.7")
	}
	got, err := try(s.plain, r)
	s.must(err)
	if issuer := got.text("issuer"); issuer != s.URL {
		t.Errorf("the issuer became %s", issuer)
	}
	text, _ := s.log.read()
	if strings.Contains(text, "192.0.2.7") {
		t.Error("a stranger chose the address in the log")
	}
}
