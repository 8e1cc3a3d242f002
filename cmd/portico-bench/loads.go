package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
)

// wellKnown is where a provider describes itself (OpenID Connect Discovery 1.0, 4).
const wellKnown = "/.well-known/openid-configuration"

// newLoads registers clients at a Portico and returns what it will be asked: the
// client_credentials grant first.
func newLoads(ctx context.Context, s *server) ([]load, error) {
	made, err := s.command(ctx, "client", "create", "--name", "Load", "--type", "service", "--scope", "data:read")
	if err != nil {
		return nil, err
	}
	service := appOf(made)
	token := s.credentials("client_credentials", service)
	access, err := token.accessToken(ctx)
	if err != nil {
		return nil, err
	}
	login, err := s.newPerson(ctx)
	if err != nil {
		return nil, err
	}
	personal, personals, err := s.personal(ctx, login)
	if err != nil {
		return nil, err
	}
	login.scope = "data:read"
	bare, err := s.refreshes(ctx, "refresh without openid", login)
	if err != nil {
		return nil, err
	}
	exchanges, err := exchangeLoads(ctx, s, service)
	if err != nil {
		return nil, err
	}
	proven, err := provenLoads(ctx, s)
	if err != nil { // a release of before has no proofs
		fmt.Fprintln(os.Stderr, "left out:", err)
	}
	return slices.Concat([]load{token, bare}, personals, s.lookUps(service, access, personal), s.documents(),
		exchanges, proven, dataLoads(ctx, s)), nil
}

// credentials is the grant of an app that speaks for itself.
func (s *server) credentials(name string, service app) load {
	return load{of: s, name: name,
		request: s.post(service, s.paths.token, url.Values{"grant_type": {"client_credentials"}})}
}

// lookUps are what a provider is asked about tokens and people.
func (s *server) lookUps(service app, access, personal string) []load {
	return []load{
		{of: s, name: "user info", request: s.get(s.paths.userInfo, personal)},
		{of: s, name: "introspection", request: s.post(service, s.paths.introspect, url.Values{"token": {access}})},
	}
}

// documents are what a provider tells of itself.
func (s *server) documents() []load {
	return []load{
		{of: s, name: "keys", request: s.get(s.paths.keys, "")},
		{of: s, name: "discovery", request: s.get(wellKnown, "")},
	}
}

// get makes requests for a path, with a token unless it is empty.
func (s *server) get(path, token string) func(context.Context) (*http.Request, error) {
	return func(ctx context.Context) (*http.Request, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
		if err == nil && token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		return r, err
	}
}
