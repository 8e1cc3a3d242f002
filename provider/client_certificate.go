package provider

import (
	"crypto"
	"crypto/x509"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/clientcert"
	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/storage"
)

// Certificates are those that clients connect with.
type Certificates struct {
	URL         string         // where such connections are taken, without a slash at the end; empty: as all others
	Offered     bool           // such connections are taken at all
	Authorities *x509.CertPool // who vouches for them; nil: nobody
}

// The causes for which a certificate proves no client.
const (
	causeNoCertificate  jwt.Cause = "no certificate came with the connection"
	causeNotVouched     jwt.Cause = "no authority of this server vouches for the certificate"
	causeOtherName      jwt.Cause = "the certificate does not name the app"
	causeOtherCertKey   jwt.Cause = "the certificate's key is none of the app's"
	causeCertificateOld jwt.Cause = "the certificate is not valid at this time"
)

// certificates prove clients.
type certificates struct {
	Certificates
	remote  *remoteKeys
	calls   counter
	ambient *ambient.Source
}

// prove returns nil where the request's certificate is the client's; else a Cause, or
// why that can't be told.
func (s certificates) prove(w http.ResponseWriter, r *http.Request, c *client, class ratelimit.Class) error {
	ctx, now := r.Context(), s.ambient.Now()
	shown := httpio.From(ctx).Certificates
	if len(shown) == 0 {
		return causeNoCertificate
	}
	if c.AuthMethod == storage.AuthOwnCertificate {
		keys, err := s.remote.of(ctx, c, certified(shown[0]),
			func() error { return s.calls.at(ctx, w.Header(), class, c.ID) })
		if err != nil {
			return err
		}
		return ownCertificate(shown[0], keys, now)
	}
	if clientcert.Vouched(shown, s.Authorities, now) != nil {
		return causeNotVouched
	}
	if !clientcert.Names(shown[0], c.CertificateField, c.CertificateName) {
		return causeOtherName
	}
	return nil
}

// ownCertificate judges one that nobody vouches for but the client, by its key.
func ownCertificate(shown *x509.Certificate, keys []jose.JSONWebKey, now time.Time) error {
	if now.Before(shown.NotBefore) || now.After(shown.NotAfter) {
		return causeCertificateOld
	}
	if !certified(shown)(keys) {
		return causeOtherCertKey
	}
	return nil
}

// certified reports whether the certificate is of one of the keys.
func certified(shown *x509.Certificate) func([]jose.JSONWebKey) bool {
	public, ok := shown.PublicKey.(interface{ Equal(crypto.PublicKey) bool })
	return func(keys []jose.JSONWebKey) bool {
		return ok && slices.ContainsFunc(keys, func(key jose.JSONWebKey) bool { return public.Equal(key.Key) })
	}
}

// describe adds to what the provider says of itself what there is for connections with
// certificates, and where (RFC 8705, 5). It is the same issuer all the same.
func (s certificates) describe(said map[string]any, issuer string) {
	if !s.Offered {
		return
	}
	said["tls_client_certificate_bound_access_tokens"] = true
	for _, endpoint := range []string{"token", "revocation", "introspection"} {
		name := endpoint + "_endpoint_auth_methods_supported"
		said[name] = append(slices.Clone(said[name].([]string)), storage.AuthCertificate, storage.AuthOwnCertificate)
	}
	if s.URL == "" {
		return
	}
	aliases := map[string]string{}
	for _, name := range []string{"token", "revocation", "introspection", "userinfo", "pushed_authorization_request",
		"device_authorization"} {
		if at, ok := said[name+"_endpoint"].(string); ok {
			aliases[name+"_endpoint"] = s.URL + strings.TrimPrefix(at, issuer)
		}
	}
	said["mtls_endpoint_aliases"] = aliases
}
