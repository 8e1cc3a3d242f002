package e2e

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// relyingParty is somebody's web application, made with go-oidc and x/oauth2
// as docs/guides/go-oidc.md says.
type relyingParty struct {
	testing.TB
	URL      string
	ctx      context.Context
	provider *oidc.Provider
	config   oauth2.Config
	verifier *oidc.IDTokenVerifier
	mode     string // response_mode; empty: the default

	mu      sync.Mutex
	started map[string]begun // by state
	signed  *signedIn
}

// begun is what the application remembers from the start of a sign-in to its
// end.
type begun struct{ nonce, verifier string }

// signedIn is what it got.
type signedIn struct {
	tokens  *oauth2.Token
	idToken *oidc.IDToken
	raw     string // the ID token as it came
}

// onLoopback opens a server at http://localhost with a port of its own.
func onLoopback(t testing.TB, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return "http://localhost:" + port
}

// relyingParty registers the application and runs it.
func (s *site) relyingParty(mode string) *relyingParty {
	s.Helper()
	rp := &relyingParty{TB: s.TB, mode: mode, started: map[string]begun{}}
	rp.ctx = context.WithoutCancel(s.Context())
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", rp.home)
	mux.HandleFunc("/start", rp.start)
	mux.HandleFunc("/callback", rp.callback)
	mux.HandleFunc("/signed-in", func(w http.ResponseWriter, _ *http.Request) {
		say(w, "signed-in",
			rp.result().idToken.Subject)
	})
	mux.HandleFunc("/favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/bye", func(w http.ResponseWriter, _ *http.Request) { say(w, "signed-out", "Bye") })
	rp.URL = onLoopback(s, mux)
	c := s.client("--redirect-uri", rp.URL+"/callback", "--post-logout-uri", rp.URL+"/bye", "--scope",
		"openid profile email offline_access")
	var err error
	rp.provider, rp.config, rp.verifier, err = discover(rp.ctx, s.URL, c.ID, c.Secret, rp.URL+"/callback")
	s.must(err)
	return rp
}

func say(w http.ResponseWriter, id, text string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = fmt.Fprintf(w, `<!doctype html><title>App</title><p id="%s">%s</p>`, id, html.EscapeString(text))
}

func (rp *relyingParty) home(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = fmt.Fprint(w, `<!doctype html><title>App</title><a id="sign-in" href="/start">Sign in</a>`)
}

func (rp *relyingParty) start(w http.ResponseWriter, r *http.Request) {
	state, one := rand.Text(), begun{nonce: rand.Text(), verifier: oauth2.GenerateVerifier()}
	rp.mu.Lock()
	rp.started[state] = one
	rp.mu.Unlock()
	options := []oauth2.AuthCodeOption{oidc.Nonce(one.nonce), oauth2.S256ChallengeOption(one.verifier)}
	if rp.mode != "" {
		options = append(options, oauth2.SetAuthURLParam("response_mode", rp.mode))
	}
	http.Redirect(w, r, rp.config.AuthCodeURL(state, options...), http.StatusFound)
}

func (rp *relyingParty) callback(w http.ResponseWriter, r *http.Request) {
	signed, err := rp.finish(r)
	if err != nil {
		say(w, "failed", err.Error())
		return
	}
	rp.mu.Lock()
	rp.signed = signed
	rp.mu.Unlock()
	http.Redirect(w, r, "/signed-in", http.StatusSeeOther)
}

// finish judges the answer of the provider, in whichever mode it comes.
func (rp *relyingParty) finish(r *http.Request) (*signedIn, error) {
	if posted := r.Method == http.MethodPost; posted != (rp.mode == "form_post") || posted && r.URL.RawQuery != "" {
		return nil, fmt.Errorf("%s %s is not the mode asked for", r.Method, r.URL)
	}
	if code := r.FormValue("error"); code != "" {
		return nil, fmt.Errorf("%s: %s", code, r.FormValue("error_description"))
	}
	rp.mu.Lock()
	one, known := rp.started[r.FormValue("state")]
	delete(rp.started, r.FormValue("state"))
	rp.mu.Unlock()
	if !known {
		return nil, errors.New("a state that nobody began")
	}
	tokens, idToken, err := exchange(rp.ctx, rp.config, rp.verifier, r.FormValue("code"), one.verifier, one.nonce)
	if err != nil {
		return nil, err
	}
	raw, _ := tokens.Extra("id_token").(string)
	return &signedIn{tokens: tokens, idToken: idToken, raw: raw}, nil
}

func (rp *relyingParty) result() *signedIn {
	rp.mu.Lock()
	defer rp.mu.Unlock()
	return rp.signed
}

// signOutURL is where the application sends a browser to sign out.
func (rp *relyingParty) signOutURL() string {
	var metadata struct {
		EndSession string `json:"end_session_endpoint"`
	}
	if err := rp.provider.Claims(&metadata); err != nil {
		rp.Fatal(err)
	}
	return metadata.EndSession + "?" + url.Values{
		"id_token_hint": {rp.result().raw}, "post_logout_redirect_uri": {rp.URL + "/bye"}, "state": {"leaving"},
	}.Encode()
}

// checkTokens does with the tokens what applications and resource servers do.
func (rp *relyingParty) checkTokens(issuer, subject, email string) {
	rp.Helper()
	got := rp.result()
	if got.idToken.Subject != subject || got.idToken.Issuer != issuer {
		rp.Errorf("the ID token is about %s by %s", got.idToken.Subject, got.idToken.Issuer)
	}
	if _, err := verifyAccessToken(rp.ctx, rp.provider, issuer, got.tokens.AccessToken); err != nil {
		rp.Errorf("the access token does not verify: %v", err)
	}
	info, err := rp.provider.UserInfo(rp.ctx, oauth2.StaticTokenSource(got.tokens))
	if err != nil {
		rp.Fatalf("user info: %v", err)
	}
	if info.Subject != subject || info.Email != email || !info.EmailVerified {
		rp.Errorf("user info %+v", info)
	}
	refreshed, err := rp.config.TokenSource(rp.ctx, &oauth2.Token{RefreshToken: got.tokens.RefreshToken}).Token()
	if err != nil {
		rp.Fatalf("refresh: %v", err)
	}
	if refreshed.AccessToken == got.tokens.AccessToken || refreshed.RefreshToken == got.tokens.RefreshToken {
		rp.Error("a refresh gives the old tokens")
	}
	if _, err := verifyAccessToken(rp.ctx, rp.provider, issuer, refreshed.AccessToken); err != nil {
		rp.Errorf("the refreshed access token does not verify: %v", err)
	}
}
