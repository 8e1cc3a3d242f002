// Package antivirus asks a virus scanner about bytes: clamd, or any service that
// answers over HTTP. It keeps nothing and decides nothing; when to ask, and what
// follows, is dataapi/objects'. Start at Open.
package antivirus

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path"
)

// Scanner asks one scanner. It is safe for concurrent use.
type Scanner interface {
	// Scan reads the bytes to their end and returns the name of what was found in
	// them; "" when that is nothing.
	Scan(ctx context.Context, body io.Reader) (finding string, err error)
}

// Open returns the scanner at the address: tcp://host:port or unix:///path for
// clamd, http:// or https:// for a service. It asks nothing yet.
func Open(address string) (Scanner, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("expected an address")
	}
	switch {
	case u.Scheme == "tcp" && u.Hostname() != "" && u.Port() != "" && u.Path == "":
		return &Clamd{"tcp", u.Host}, nil
	case u.Scheme == "unix" && u.Host == "" && path.IsAbs(u.Path):
		return &Clamd{"unix", u.Path}, nil
	case (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "":
		return &Service{URL: address, client: &http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}}, nil
	}
	return nil, errors.New("expected tcp://host:port or unix:///path of clamd, or a URL that starts with https:// or http://")
}
