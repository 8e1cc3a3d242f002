package middleware_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"math/big"
	"net/http"
	"net/netip"
	"testing"

	"github.com/portico-id/portico/internal/gate/middleware"
	"github.com/portico-id/portico/internal/httpio"
)

// Rule: MTLS-6
func TestACertificateInAHeaderCountsFromATrustedProxyAlone(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	told := base64.StdEncoding.EncodeToString(der)
	local := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	for name, c := range map[string]struct {
		header  string
		trusted []netip.Prefix
		sent    []string
		want    int
		passes  int // of the headers, to the handler
	}{
		"from a trusted proxy":     {"Client-Cert", local, []string{told}, 1, 0},
		"as RFC 9440 has it":       {"Client-Cert", local, []string{":" + told + ":"}, 1, 0},
		"from a stranger":          {"Client-Cert", nil, []string{told}, 0, 0},
		"twice":                    {"Client-Cert", local, []string{told, told}, 0, 0},
		"empty":                    {"Client-Cert", local, []string{""}, 0, 0},
		"not a certificate":        {"Client-Cert", local, []string{"AAAA"}, 0, 0},
		"with something after it":  {"Client-Cert", local, []string{told + "x"}, 0, 0},
		"nobody is to tell of any": {"", local, []string{told}, 0, 1},
	} {
		r := get("/x")
		r.Header["Client-Cert"] = c.sent
		serve(t, middleware.Options{TrustedProxies: c.trusted, Certificate: c.header}, r,
			func(_ http.ResponseWriter, r *http.Request) {
				if got := len(httpio.From(r.Context()).Certificates); got != c.want ||
					len(r.Header.Values("Client-Cert")) != c.passes {
					t.Errorf("%s: %d certificates, header %q", name, got, r.Header.Values("Client-Cert"))
				}
			})
	}
}
