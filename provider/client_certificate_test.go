package provider_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/clientcert"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// certified is a certificate with its key.
type certified struct {
	*x509.Certificate
	key crypto.Signer
}

// certify makes a certificate that the authority vouches for; nil: nobody does.
func (w *world) certify(authority *certified, change func(*x509.Certificate)) certified {
	w.Helper()
	now := w.ambient.Now()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	w.must(err)
	uri, _ := url.Parse("https://client.example.test/me")
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
		Subject:  pkix.Name{CommonName: "client", Organization: []string{"Example, Inc."}},
		DNSNames: []string{"client.example.test"},
		URIs:     []*url.URL{uri}, IPAddresses: []net.IP{net.ParseIP("192.0.2.1")},
		EmailAddresses: []string{"client@example.test"},
		ExtKeyUsage:    []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if change != nil {
		change(template)
	}
	parent, signer := template, crypto.Signer(key)
	if authority != nil {
		parent, signer = authority.Certificate, authority.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	w.must(err)
	made, err := x509.ParseCertificate(der)
	w.must(err)
	return certified{made, key}
}

func (w *world) authority(name string) certified {
	return w.certify(nil, func(c *x509.Certificate) {
		c.IsCA, c.BasicConstraintsValid, c.KeyUsage = true, true, x509.KeyUsageCertSign
		c.Subject, c.DNSNames, c.ExtKeyUsage = pkix.Name{CommonName: name}, nil, nil
		c.NotAfter = c.NotAfter.AddDate(1, 0, 0)
	})
}

// header is the certificate as HAProxy tells it.
func (c certified) header() string { return base64.StdEncoding.EncodeToString(c.Raw) }

// behindProxy takes what a request says of a certificate as the word of a proxy.
func (w *world) behindProxy(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		e := &httpio.Exchange{Certificates: clientcert.Presented(r, "Client-Cert", true)}
		next.ServeHTTP(rw, r.WithContext(httpio.With(r.Context(), e)))
		if e.SignIn != "" {
			w.outcome.Store(e.SignIn)
		}
	})
}

// shows asks for a token as an app whose certificate a proxy tells.
func (w *world) shows(a app, f url.Values, certificates ...string) answer {
	w.Helper()
	f.Set("client_id", a.ID)
	r, err := http.NewRequestWithContext(w.Context(), http.MethodPost, w.URL+tokenPath, strings.NewReader(f.Encode()))
	w.must(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, one := range certificates {
		r.Header.Add("Client-Cert", one)
	}
	return w.do(plain, r)
}

func (w *world) byCertificate(method, field, name, keys string) app {
	r := apps.Registration{Scopes: []string{"data:read"}}
	r.AuthMethod, r.CertificateField, r.CertificateName, r.JWKS = method, field, name, keys
	r.CertificateNeeded = true
	return w.app(r)
}

// Rule: MTLS-1
func TestAClientProvesItselfByTheNameInItsCertificate(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		ours := (&world{TB: t, ambient: ambient.System()}).authority("ours")
		pool := x509.NewCertPool()
		pool.AddCert(ours.Certificate)
		w := newWorld(t, settings{database: database, certificates: provider.Certificates{Authorities: pool}})
		good := w.certify(&ours, nil)
		for field, name := range map[string]string{
			clientcert.SubjectDN: `cn=client, O=Example\, Inc.`, clientcert.DNS: "CLIENT.example.test",
			clientcert.URI: "https://client.example.test/me", clientcert.IP: "192.0.2.1",
			clientcert.Email: "client@example.test",
		} {
			a := w.byCertificate(storage.AuthCertificate, field, name, "")
			got := w.shows(a, credentials(), good.header())
			if got.Status != 200 || w.bound(got.JSON(t)["access_token"]).Certificate != clientcert.Thumbprint(good.Certificate) {
				t.Errorf("%s: %d %s", field, got.Status, got.Body)
			}
			other := w.byCertificate(storage.AuthCertificate, field, "10.0.0.1", "")
			w.refused(w.shows(other, credentials(), good.header()), 401, "invalid_client")
		}
	})
}

// Rule: MTLS-2
func TestCertificatesThatProveNothing(t *testing.T) {
	ours := (&world{TB: t, ambient: ambient.System()}).authority("ours")
	pool := x509.NewCertPool()
	pool.AddCert(ours.Certificate)
	w := newWorld(t, settings{certificates: provider.Certificates{Authorities: pool}})
	a := w.byCertificate(storage.AuthCertificate, clientcert.DNS, "client.example.test", "")
	theirs := w.authority("ours")
	good := w.certify(&ours, nil)
	between := w.certify(&good, nil)
	for name, shown := range map[string][]string{
		"none":                        nil,
		"nobody vouches for it":       {w.certify(nil, nil).header()},
		"another of the same name":    {w.certify(&theirs, nil).header()},
		"of one that is no authority": {between.header()},
		"over": {w.certify(&ours,
			func(c *x509.Certificate) { c.NotAfter = w.ambient.Now().Add(-time.Minute) }).header()},
		"not yet": {w.certify(&ours, func(c *x509.Certificate) {
			c.NotBefore = w.ambient.Now().Add(time.Minute)
		}).header()},
		"a server's": {w.certify(&ours, func(c *x509.Certificate) {
			c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
		}).header()},
		"named otherwise": {w.certify(&ours, func(c *x509.Certificate) {
			c.DNSNames = []string{"x.client.example.test"}
		}).header()},
		"two":     {good.header(), good.header()},
		"garbage": {"garbage"},
	} {
		t.Log(name)
		w.refused(w.shows(a, credentials(), shown...), 401, "invalid_client")
	}
	for _, form := range []string{
		good.header(), ":" + good.header() + ":",
		url.PathEscape(string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: good.Raw}))),
	} {
		if got := w.shows(a, credentials(), form); got.Status != 200 {
			t.Errorf("%.20s: %d %s", form, got.Status, got.Body)
		}
	}
	w.refused(w.post(tokenPath, app{Client: a.Client, Secret: "secret"}, credentials()), 400, "invalid_request")
	secret := w.app(apps.Registration{Scopes: []string{"data:read"}})
	w.refused(w.shows(secret, credentials(), good.header()), 401, "invalid_client")
}

// Rule: MTLS-3
func TestAClientProvesItselfByACertificateOfItsOwnKey(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		own := w.certify(nil, nil)
		a := w.byCertificate(storage.AuthOwnCertificate, "", "", keySet(jose.JSONWebKey{Key: own.key.Public(), KeyID: "k"}))
		if got := w.shows(a, credentials(), own.header()); got.Status != 200 {
			t.Errorf("%d %s", got.Status, got.Body)
		}
		w.refused(w.shows(a, credentials(), w.certify(nil, nil).header()), 401, "invalid_client")
		w.refused(w.shows(a, credentials()), 401, "invalid_client")
		w.wait(2 * time.Hour)
		w.refused(w.shows(a, credentials(), own.header()), 401, "invalid_client")
	})
}

// Rules: MTLS-3, PROOF-7
func TestAClientThatRenewsItsCertificateNeedNotWait(t *testing.T) {
	w := newWorld(t, settings{})
	p := newPublisher(t)
	old, renewed := w.certify(nil, nil), w.certify(nil, nil)
	r := apps.Registration{Scopes: []string{"data:read"}}
	r.AuthMethod, r.KeysURI = storage.AuthOwnCertificate, p.URL+"/jwks"
	a := w.app(r)
	p.body.Store(keySet(jose.JSONWebKey{Key: old.key.Public(), KeyID: "old"}))
	tries := func(when string, by certified, status int, reads int32) {
		t.Helper()
		if got := w.shows(a, credentials(), by.header()); got.Status != status || p.reads.Load() != reads {
			t.Errorf("%s: %d %s, the keys were read %d times", when, got.Status, got.Body, p.reads.Load())
		}
	}
	tries("at first", old, 200, 1)
	p.body.Store(keySet(jose.JSONWebKey{Key: renewed.key.Public(), KeyID: "renewed"}))
	tries("a new one within a minute", renewed, 401, 1)
	w.wait(time.Minute)
	tries("the old one after a minute", old, 200, 1)
	tries("a new one after a minute", renewed, 200, 2)
	tries("the old one after that", old, 401, 2)
}

// Rule: MTLS-4
func TestATokenThatIsBoundToACertificateCountsWithItAlone(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		r := apps.Registration{Type: storage.ClientSPA, Scopes: []string{"openid"}}
		r.CertificateNeeded = true
		a := w.app(r)
		mine, other := w.certify(nil, nil), w.certify(nil, nil)
		w.person(somebody)
		code := w.browser().code(a, somebody, pkce...)
		w.refused(w.shows(a, redemption(a, code)), 400, "invalid_request")
		body := w.shows(a, redemption(a, code), mine.header()).JSON(t)
		token, _ := body["access_token"].(string)
		if body["token_type"] != "Bearer" || w.bound(token).Certificate != clientcert.Thumbprint(mine.Certificate) {
			t.Fatalf("%v", body)
		}
		for _, c := range []struct {
			status int
			shown  string
		}{{200, mine.header()}, {401, other.header()}, {401, ""}} {
			got := w.get(userInfoPath, "Authorization", "Bearer "+token, "Client-Cert", c.shown)
			if got.Status != c.status {
				t.Errorf("%d %s, want %d", got.Status, got.Body, c.status)
			}
		}
		refresh := form("grant_type", "refresh_token", "refresh_token", body["refresh_token"].(string))
		w.refused(w.shows(a, refresh, other.header()), 400, "invalid_grant")
		if got := w.shows(a, refresh, mine.header()); got.Status != 200 {
			t.Errorf("refreshed with the certificate: %d %s", got.Status, got.Body)
		}
	})
}

// Rule: MTLS-8
func TestAClientWhoseTokensAreBoundToNoCertificateAnyMoreGoesOn(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		mine, other := w.certify(nil, nil), w.certify(nil, nil)
		public, secret := apps.Registration{Type: storage.ClientSPA}, apps.Registration{Type: storage.ClientWeb}
		secret.AuthMethod = storage.AuthOwnCertificate
		secret.JWKS = keySet(jose.JSONWebKey{Key: mine.key.Public(), KeyID: "k"})
		for name, r := range map[string]apps.Registration{"public": public, "confidential": secret} {
			r.Scopes, r.CertificateNeeded = []string{"data:read"}, true
			a := w.app(r)
			code := w.browser().code(a, somebody, append([]string{"scope", "data:read"}, pkce...)...)
			asked := form("grant_type", "authorization_code", "code", code, "redirect_uri", a.RedirectURIs[0],
				"code_verifier", verifier)
			body := w.shows(a, asked, mine.header()).JSON(t)
			w.must(w.changed(issuing{app: a}, apps.Change{SecurityChange: apps.SecurityChange{CertificateNeeded: new(false)}}))
			w.wait(clientLag)
			refresh := form("grant_type", "refresh_token", "refresh_token", body["refresh_token"].(string))
			if name == "public" {
				w.refused(w.shows(a, refresh), http.StatusBadRequest, "invalid_grant")
				w.refused(w.shows(a, refresh, other.header()), http.StatusBadRequest, "invalid_grant")
			}
			got := w.shows(a, refresh, mine.header())
			if got.Status != http.StatusOK || w.bound(got.JSON(t)["access_token"]).Certificate != "" {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
		}
	})
}

// Rule: MTLS-4
func TestAFAPIClientMayBindItsTokensToItsCertificateAlone(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		own := w.certify(nil, nil)
		r := apps.Registration{Profile: storage.ProfileFAPI, Scopes: []string{"data:read"}}
		r.AuthMethod, r.JWKS = storage.AuthOwnCertificate, keySet(jose.JSONWebKey{Key: own.key.Public(), KeyID: "k"})
		unbound := w.app(r)
		w.refused(w.shows(unbound, credentials(), own.header()), 400, "invalid_dpop_proof")
		r.CertificateNeeded = true
		got := w.shows(w.app(r), credentials(), own.header())
		if got.Status != 200 || w.bound(got.JSON(t)["access_token"]).Certificate == "" {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	})
}

// Rule: MTLS-5
func TestDiscoverySaysWhereCertificatesAreTaken(t *testing.T) {
	w := newWorld(t, settings{certificates: provider.Certificates{Offered: true, URL: "https://mtls.example.test"}})
	said := w.get(discoveryPath).JSON(t)
	aliases, _ := said["mtls_endpoint_aliases"].(map[string]any)
	if said["issuer"] != w.URL || aliases["token_endpoint"] != "https://mtls.example.test"+tokenPath ||
		aliases["userinfo_endpoint"] != "https://mtls.example.test"+userInfoPath ||
		aliases["device_authorization_endpoint"] != "https://mtls.example.test/authentication/v2/device_authorization" ||
		said["tls_client_certificate_bound_access_tokens"] != true {
		t.Errorf("%v", said)
	}
}
