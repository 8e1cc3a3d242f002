package config

import (
	"crypto/x509"
	"os"

	"github.com/portico-id/portico/internal/fault"
)

// Authorities reads those whose certificates clients have; nil: none are named.
func (t TLS) Authorities() (*x509.CertPool, error) {
	if t.ClientCA == "" {
		return nil, nil
	}
	pool := x509.NewCertPool()
	text, err := os.ReadFile(t.ClientCA)
	if err != nil || !pool.AppendCertsFromPEM(text) {
		return nil, fault.New(fault.Invalid, "tls", "The file "+t.ClientCA+
			" holds no certificates of authorities as PEM.").At("PORTICO_TLS_CLIENT_CA").Because(err)
	}
	return pool, nil
}
