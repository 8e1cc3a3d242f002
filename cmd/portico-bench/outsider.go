package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
)

// outsider is a server that runs already, whoever wrote it, and what it knows of us: an
// app that may return to returnAddress, and a person who signs in by a form without script.
type outsider struct {
	issuer string // the address; empty: there is none
	pid    int    // of its process on this machine; 0: what it costs is not known
	scope  string
}

// Secrets stand in the environment, where no list of processes shows them.
const (
	outsiderClient   = "BENCH_CLIENT_ID"
	outsiderSecret   = "BENCH_CLIENT_SECRET"
	outsiderUser     = "BENCH_USER" // empty: nobody signs in there
	outsiderPassword = "BENCH_PASSWORD"
)

// server finds out where the outsider answers (OpenID Connect Discovery 1.0, 4).
func (o outsider) server(ctx context.Context) (*server, error) {
	s := &server{name: o.issuer, url: strings.TrimSuffix(o.issuer, "/"), pid: o.pid}
	var said struct {
		Authorize  string `json:"authorization_endpoint"`
		Token      string `json:"token_endpoint"`
		Introspect string `json:"introspection_endpoint"`
		UserInfo   string `json:"userinfo_endpoint"`
		Keys       string `json:"jwks_uri"`
	}
	var err error
	asking := load{of: s, name: "discovery", request: s.get(wellKnown, ""),
		answer: func(body []byte) { err = json.Unmarshal(body, &said) }}
	failed := asking.once(ctx, http.DefaultClient)
	if err := errors.Join(failed, err); err != nil {
		return nil, fmt.Errorf("%s: %w", o.issuer, err)
	}
	for path, address := range map[*string]string{
		&s.paths.authorize: said.Authorize, &s.paths.token: said.Token, &s.paths.introspect: said.Introspect,
		&s.paths.userInfo: said.UserInfo, &s.paths.keys: said.Keys,
	} {
		*path = strings.TrimPrefix(address, s.url)
	}
	return s, nil
}

// loads are what the outsider is asked: as much as is known there.
func (o outsider) loads(ctx context.Context, s *server) ([]load, error) {
	service := app{id: os.Getenv(outsiderClient), secret: os.Getenv(outsiderSecret)}
	who := person{os.Getenv(outsiderUser), os.Getenv(outsiderPassword)}
	all := s.documents()
	if service.id == "" {
		return all, nil
	}
	token := s.credentials("client_credentials", service)
	access, err := token.accessToken(ctx)
	if err != nil {
		return nil, err
	}
	introspection := load{of: s, name: "introspection",
		request: s.post(service, s.paths.introspect, url.Values{"token": {access}})}
	all = append([]load{token, introspection}, all...)
	if who.name == "" {
		return all, nil
	}
	personal, personals, err := s.personal(ctx, signIn{service, o.scope, who})
	if err != nil {
		return nil, err
	}
	info := load{of: s, name: "user info", request: s.get(s.paths.userInfo, personal)}
	return slices.Concat(all, personals, []load{info}), nil
}
