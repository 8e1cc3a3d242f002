package main

import (
	"context"
	_ "embed"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
)

//go:embed peer/provider.mjs
var peerProgram []byte

// newPeer prepares npm's oidc-provider of the folder node_modules in dir: with its store
// in memory, which is the fastest that it has.
func newPeer(modules, dir string) (*server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	modules, err = filepath.Abs(modules)
	if err != nil {
		return nil, err
	}
	program := filepath.Join(dir, "provider.mjs")
	err = errors.Join(os.WriteFile(program, peerProgram, 0o600), os.Symlink(modules, filepath.Join(dir, "node_modules")))
	_, port, splitErr := net.SplitHostPort(address)
	return &server{
		name: "npm oidc-provider", url: "http://" + address, env: append(os.Environ(), "NODE_ENV=production"),
		program: []string{"node", program, port}, ready: wellKnown,
		paths: paths{authorize: "/auth", token: "/token", introspect: "/token/introspection", userInfo: "/me", keys: "/jwks"},
	}, errors.Join(err, splitErr)
}

// peerLoads returns what the peer is asked beside what we are. Its access tokens for a
// resource are signed ones, as ours are; those that it introspects are not.
func peerLoads(ctx context.Context, s *server) ([]load, error) {
	signed := url.Values{"resource": {"urn:load"}}
	service := app{id: "service", secret: "secret of the service", more: signed}
	page := app{id: "page", secret: "secret of the page", more: signed}
	plain := page
	plain.more = nil
	login := signIn{app: page, scope: "openid profile email data:read"}
	_, personals, err := s.personal(ctx, login)
	if err != nil {
		return nil, err
	}
	login.app = plain
	personal, err := newBrowser(s).tokens(ctx, http.DefaultClient, login)
	if err != nil {
		return nil, err
	}
	unsigned := service
	unsigned.more = nil
	access, err := s.credentials("client_credentials", unsigned).accessToken(ctx)
	if err != nil {
		return nil, err
	}
	token := s.credentials("client_credentials", service)
	return slices.Concat([]load{token}, personals, s.lookUps(service, access, personal.Access), s.documents()), nil
}
