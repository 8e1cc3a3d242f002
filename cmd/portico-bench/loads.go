package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
)

// newLoads registers a client and returns what it will send: the
// client_credentials grant first.
func newLoads(ctx context.Context, s *server) ([]load, error) {
	made, err := s.command(ctx, "client", "create", "--name", "Load", "--type", "service", "--scope", "data:read")
	if err != nil {
		return nil, err
	}
	id, _ := made["client_id"].(string)
	post := posting(s, made)
	token := load{name: "client_credentials",
		request: post("/authentication/v2/token", url.Values{"grant_type": {"client_credentials"}})}
	access, err := token.accessToken(ctx)
	if err != nil {
		return nil, err
	}
	get := func(path string) func(context.Context) (*http.Request, error) {
		return func(ctx context.Context) (*http.Request, error) {
			return http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
		}
	}
	personal, renewal, err := refreshLoad(ctx, s)
	if err != nil {
		return nil, err
	}
	userInfo := func(ctx context.Context) (*http.Request, error) {
		r, err := get("/userinfo")(ctx)
		if err == nil {
			r.Header.Set("Authorization", "Bearer "+personal)
		}
		return r, err
	}
	exchanges, err := exchangeLoads(ctx, s, id, post)
	if err != nil {
		return nil, err
	}
	proven, err := provenLoads(ctx, s)
	if err != nil { // a release of before has no proofs
		fmt.Fprintln(os.Stderr, "left out:", err)
	}
	return append([]load{
		token, renewal,
		{name: "user info", request: userInfo},
		{name: "introspection", request: post("/authentication/v2/introspect", url.Values{"token": {access}})},
		{name: "keys", request: get("/authentication/v2/keys")},
		{name: "discovery", request: get("/.well-known/openid-configuration")},
		{name: "healthz (a bare handler)", request: get("/healthz")},
	}, append(exchanges, proven...)...), nil
}
