package app

import (
	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/provider"
)

// clientCertificates says which certificates clients may prove themselves by.
func clientCertificates(files config.TLS) (known provider.Certificates, err error) {
	known = provider.Certificates{
		URL: files.ClientURL, Offered: len(files.ClientListen) > 0 || files.ClientHeader != "",
	}
	known.Authorities, err = files.Authorities()
	return known, err
}
