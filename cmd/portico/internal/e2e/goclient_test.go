package e2e

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// The functions between the marks are docs/guides/go-oidc.md word for word; a
// test compares them.

// guide: discover
func discover(ctx context.Context, issuer, clientID, clientSecret,
	redirectURL string) (*oidc.Provider, oauth2.Config, *oidc.IDTokenVerifier, error) {
	provider, err := oidc.NewProvider(ctx, issuer)
	if err != nil {
		return nil, oauth2.Config{}, nil, err
	}
	config := oauth2.Config{
		ClientID:     clientID,
		ClientSecret: clientSecret,
		Endpoint:     provider.Endpoint(),
		RedirectURL:  redirectURL,
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email"},
	}
	return provider, config, provider.Verifier(&oidc.Config{ClientID: clientID}), nil
}

// guide: exchange
func exchange(ctx context.Context, config oauth2.Config, verifier *oidc.IDTokenVerifier, code, pkce,
	nonce string) (*oauth2.Token, *oidc.IDToken, error) {
	tokens, err := config.Exchange(ctx, code, oauth2.VerifierOption(pkce))
	if err != nil {
		return nil, nil, err
	}
	raw, _ := tokens.Extra("id_token").(string)
	idToken, err := verifier.Verify(ctx, raw)
	if err == nil && idToken.Nonce != nonce {
		err = errors.New("the ID token answers another sign-in")
	}
	return tokens, idToken, err
}

// guide: verifyAccessToken
func verifyAccessToken(ctx context.Context, provider *oidc.Provider, audience, token string) (*oidc.IDToken, error) {
	return provider.Verifier(&oidc.Config{ClientID: audience}).Verify(ctx, token)
}

// guide: serviceClient
func serviceClient(ctx context.Context, provider *oidc.Provider, clientID, clientSecret string) *http.Client {
	config := clientcredentials.Config{
		ClientID:     clientID,
		ClientSecret: clientSecret,
		TokenURL:     provider.Endpoint().TokenURL,
		Scopes:       []string{"data:read"},
	}
	return config.Client(ctx)
}

// guide: end

// Rule: DISC-8
func TestTheGoGuideIsTheCodeThatIsTested(t *testing.T) {
	source, err := os.ReadFile("goclient_test.go")
	if err != nil {
		t.Fatal(err)
	}
	guide := readGuide(t, "go-oidc.md")
	parts := strings.Split(string(source), "\n// guide: ")
	for _, part := range parts[1 : len(parts)-1] {
		name, code, _ := strings.Cut(part, "\n")
		if !strings.Contains(guide, "```go\n"+strings.TrimSpace(code)+"\n```") {
			t.Errorf("docs/guides/go-oidc.md has %s otherwise; it should be\n%s", name, code)
		}
	}
}

func TestGoServicesCallWithATokenOfTheirOwn(t *testing.T) {
	s := start(t, sqliteURL(t))
	c := s.client("--type", "service", "--scope", "data:read")
	provider, err := oidc.NewProvider(t.Context(), s.URL)
	s.must(err)
	var header string
	resource := onLoopback(t, http.HandlerFunc(func(_ http.ResponseWriter,
		r *http.Request) {
		header = r.Header.Get("Authorization")
	}))
	response, err := serviceClient(t.Context(), provider, c.ID, c.Secret).Get(resource)
	s.must(err)
	response.Body.Close()
	raw, _ := strings.CutPrefix(header, "Bearer ")
	token, err := verifyAccessToken(t.Context(), provider, s.URL, raw)
	s.must(err)
	var got struct{ Scope string }
	s.must(token.Claims(&got))
	if token.Subject != c.ID || got.Scope != "data:read" {
		t.Errorf("a token for %s with %q", token.Subject, got.Scope)
	}
}

// jwtPart decodes a part of a JWT: 0 the header, 1 the claims.
func jwtPart(t testing.TB, token string, i int) json.RawMessage {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("%q is no JWT", token)
	}
	part, err := base64.RawURLEncoding.DecodeString(parts[i])
	if err != nil {
		t.Fatal(err)
	}
	return part
}
