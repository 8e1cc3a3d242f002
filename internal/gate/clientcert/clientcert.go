// Package clientcert knows the certificates that clients connect with (RFC 8705): where
// one stands that a proxy was shown, what names it, and whether an authority has vouched
// for it.
//
// Whether a client has to have one, and which, is for provider; what a token is bound to
// for internal/gate/bearer. Start at Presented.
package clientcert

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Shown is the Thumbprint of the certificate that a client has shown for a request, the first
// of those that were Presented; empty: it has shown none.
func Shown(presented []*x509.Certificate) string {
	if len(presented) == 0 {
		return ""
	}
	return Thumbprint(presented[0])
}

// Thumbprint names a certificate in tokens (RFC 8705, 3.1).
func Thumbprint(certificate *x509.Certificate) string {
	sum := sha256.Sum256(certificate.Raw)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// maxHeader bounds what is looked at, in bytes.
const maxHeader = 16 << 10

// Presented returns the certificates that a client has shown for a request, its own
// first; none where it has shown none. Behind a proxy that is believed the client's is
// in the header of the given name, and the connection's is the proxy's. The header is
// taken out of the request whoever sent it.
func Presented(r *http.Request, header string, believed bool) []*x509.Certificate {
	var told []string
	if header != "" {
		told = r.Header.Values(header)
		r.Header.Del(header)
	}
	switch {
	case believed && header != "":
		if len(told) != 1 {
			return nil
		}
		certificate, err := Read(told[0])
		if err != nil {
			return nil
		}
		return []*x509.Certificate{certificate}
	case r.TLS != nil:
		return r.TLS.PeerCertificates
	}
	return nil
}

// Read reads a certificate as proxies put it into a header: between colons (RFC 9440),
// as an escaped PEM text (nginx) or as plain base64 (HAProxy).
func Read(text string) (*x509.Certificate, error) {
	if len(text) > maxHeader {
		return nil, errors.New("it is too long")
	}
	if strings.Contains(text, "BEGIN") {
		plain, err := url.PathUnescape(text)
		if err != nil {
			return nil, err
		}
		block, rest := pem.Decode([]byte(plain))
		if block == nil || block.Type != "CERTIFICATE" || len(bytes.TrimSpace(rest)) > 0 {
			return nil, errors.New("it is no certificate in PEM")
		}
		return x509.ParseCertificate(block.Bytes)
	}
	der, err := base64.StdEncoding.Strict().DecodeString(strings.Trim(text, ":"))
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

// Vouched reports why no authority of the pool has vouched for the first of the
// certificates as a client's, by way of the others; nil where one has.
func Vouched(shown []*x509.Certificate, authorities *x509.CertPool, now time.Time) error {
	if authorities == nil {
		return errors.New("there are no authorities (PORTICO_TLS_CLIENT_CA)")
	}
	between := x509.NewCertPool()
	for _, certificate := range shown[1:] {
		between.AddCert(certificate)
	}
	_, err := shown[0].Verify(x509.VerifyOptions{
		Roots: authorities, Intermediates: between, CurrentTime: now,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	return err
}
