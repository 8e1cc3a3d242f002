package e2e

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/freeport"
)

// authority makes certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	next int64
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t, next: 1}
	a.key = must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	a.cert = must(x509.ParseCertificate(must(x509.CreateCertificate(rand.Reader, template, template,
		a.key.Public(), a.key))))
	return a
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// issue returns a certificate for localhost, and its key, as PEM.
func (a *authority) issue(name string) (cert, key []byte) {
	a.next++
	own := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(a.next), Subject: pkix.Name{CommonName: name}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der := must(x509.CreateCertificate(rand.Reader, template, a.cert, own.Public(), a.key))
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: must(x509.MarshalPKCS8PrivateKey(own))})
}

// Rule: SERVER-42
func TestTheServerSpeaksTLSByItselfAndTakesUpANewCertificate(t *testing.T) {
	t.Parallel()
	dir, a := t.TempDir(), newAuthority(t)
	port, clients := freeport.Take(t), freeport.Take(t)
	write := func(name string, content []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	renew := func(name string) (cert, key string) {
		certPEM, keyPEM := a.issue(name)
		return write("cert.pem", certPEM), write("key.pem", keyPEM)
	}
	cert, key := renew("first")
	ca := write("ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw}))
	s := newSite(t, sqliteURL(t), "LISTEN=127.0.0.1:"+port, "TLS_CERT="+cert, "TLS_KEY="+key, "TLS_CLIENT_CA="+ca,
		"TLS_CLIENT_LISTEN=127.0.0.1:"+clients)
	s.run()
	serves := func(port string, own ...tls.Certificate) (name, protocol string, err error) {
		client := &http.Client{Transport: &http.Transport{
			DisableKeepAlives: true, ForceAttemptHTTP2: true,
			TLSClientConfig: &tls.Config{RootCAs: a.pool(), Certificates: own},
		}}
		got, err := client.Get("https://localhost:" + port + "/healthz")
		if err != nil {
			return "", "", err
		}
		defer got.Body.Close()
		return got.TLS.PeerCertificates[0].Subject.CommonName, got.Proto, nil
	}
	if name, protocol, err := serves(port); name != "first" || protocol != "HTTP/2.0" || err != nil {
		t.Errorf("%s by %s, %v", name, protocol, err)
	}
	if s.URL != "https://localhost:"+port {
		t.Errorf("the base URL is %s", s.URL)
	}
	for _, c := range []struct {
		name   string
		newest uint16
		suite  uint16
		good   bool
	}{
		{"TLS 1.3", tls.VersionTLS13, 0, true},
		{"TLS 1.2 with GCM", tls.VersionTLS12, tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, true},
		{"TLS 1.2 with CBC", tls.VersionTLS12, tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, false},
		{"TLS 1.1", tls.VersionTLS11, tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, false},
	} {
		conn, err := tls.Dial("tcp", "localhost:"+port, &tls.Config{RootCAs: a.pool(), MinVersion: tls.VersionTLS11,
			MaxVersion: c.newest, CipherSuites: []uint16{c.suite}})
		if (err == nil) != c.good {
			t.Errorf("%s: %v", c.name, err)
		}
		if err == nil {
			_ = conn.Close()
		}
	}
	write("cert.pem", []byte("no certificate"))
	time.Sleep(1100 * time.Millisecond)
	if name, _, err := serves(port); name != "first" || err != nil {
		t.Errorf("with files that can't be used: %s, %v", name, err)
	}
	renew("second")
	eventually(t, 10*time.Second, "the new certificate", func() bool {
		name, _, err := serves(port)
		return err == nil &&
			name == "second"
	})

	if _, _, err := serves(clients); err == nil {
		t.Error("a client without a certificate was let in")
	}
	own := must(tls.X509KeyPair(a.issue("client")))
	if _, _, err := serves(clients, own); err != nil {
		t.Errorf("a client with a certificate: %v", err)
	}
	foreign := must(tls.X509KeyPair(newAuthority(t).issue("client")))
	if _, _, err := serves(clients, foreign); err == nil {
		t.Error("a client with a certificate of somebody else was let in")
	}
	if said := s.command("", "healthcheck"); said != "ready\n" {
		t.Errorf("healthcheck: %q", said)
	}
}

// Rule: SERVER-43
func TestTheHealthcheckTellsAContainerHowTheServerIs(t *testing.T) {
	t.Parallel()
	s := newSite(t, sqliteURL(t), "LISTEN=:"+freeport.Take(t))
	ask := func(args ...string) (string, int) {
		var said bytes.Buffer
		cmd := s.portico(append([]string{"healthcheck"}, args...)...)
		cmd.Stdout = &said
		tie := must(cmd.StdinPipe())
		defer tie.Close()
		err := cmd.Run()
		var ended *exec.ExitError
		if err != nil && !errors.As(err, &ended) {
			t.Fatal(err)
		}
		return said.String(), cmd.ProcessState.ExitCode()
	}
	if said, code := ask(); code != 1 {
		t.Errorf("without a server: %d %s", code, said)
	}
	s.run()
	for _, args := range [][]string{nil, {"--live"}} {
		if said, code := ask(args...); code != 0 {
			t.Errorf("%v with a server: %d %s", args, code, said)
		}
	}
}
