package ldaptest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
)

// Certificates writes ca.pem, cert.pem and key.pem for this machine into the directory,
// and returns the authority's.
func Certificates(t testing.TB, dir string) string {
	t.Helper()
	source := ambient.System()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	make := func(template, by *x509.Certificate, signer *ecdsa.PrivateKey) (*ecdsa.PrivateKey, []byte) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), source.Random())
		must(err)
		if signer == nil {
			signer = key
		}
		der, err := x509.CreateCertificate(source.Random(), template, by, key.Public(), signer)
		must(err)
		return key, der
	}
	from, until := source.Now().Add(-time.Hour), source.Now().Add(24*365*time.Hour)
	authority := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "CA of a test"},
		NotBefore: from, NotAfter: until, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	caKey, ca := make(authority, authority, nil)
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "directory"},
		NotBefore: from, NotAfter: until, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	key, der := make(leaf, authority, caKey)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	must(err)
	for name, block := range map[string]*pem.Block{"ca.pem": {Type: "CERTIFICATE", Bytes: ca},
		"cert.pem": {Type: "CERTIFICATE", Bytes: der}, "key.pem": {Type: "PRIVATE KEY", Bytes: private}} {
		must(os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600))
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca}))
}
