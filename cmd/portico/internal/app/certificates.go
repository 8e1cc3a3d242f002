package app

import (
	"crypto/x509"
	"os"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider"
)

// authorities reads those whose certificates clients have.
func authorities(file string) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	text, err := os.ReadFile(file)
	if err != nil || !pool.AppendCertsFromPEM(text) {
		return nil, fault.New(fault.Invalid, "tls", "The file "+file+
			" holds no certificates of authorities as PEM.").At("PORTICO_TLS_CLIENT_CA").Because(err)
	}
	return pool, nil
}

// clientCertificates says which certificates clients may prove themselves by.
func clientCertificates(files config.TLS) (known provider.Certificates, err error) {
	known = provider.Certificates{
		URL: files.ClientURL, Offered: len(files.ClientListen) > 0 || files.ClientHeader != "",
	}
	if files.ClientCA != "" {
		known.Authorities, err = authorities(files.ClientCA)
	}
	return known, err
}
