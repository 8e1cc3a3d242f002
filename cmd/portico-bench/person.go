package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync/atomic"
)

// returnAddress is where the code comes back to; nobody listens there.
const returnAddress = "http://127.0.0.1:1/callback"

const (
	signIns  = 64 // are refreshed by turns
	browsers = 16 // are signed in and ask for codes by turns
)

// signIn is whom an app lets sign in, and what for.
type signIn struct {
	app   app
	scope string
	who   person
}

// newPerson adds a person to a Portico, and an app that signs people in.
func (s *server) newPerson(ctx context.Context) (login signIn, err error) {
	who := person{"load@example.test", "correct horse battery staple"}
	if _, err := s.commandWith(ctx, who.password, "user", "create", "--email", who.name, "--name", "Load",
		"--password-stdin"); err != nil {
		return login, err
	}
	made, err := s.command(ctx, "client", "create", "--name", "Load Page", "--type", "web", "--profile", "standard",
		"--redirect-uri", returnAddress, "--scope", "openid profile email data:read")
	return signIn{appOf(made), "openid profile email", who}, err
}

// personal returns what is asked in the name of people: whole code flows, and refreshes
// with an ID token and without; and an access token of one.
func (s *server) personal(ctx context.Context, in signIn) (access string, all []load, err error) {
	flow, err := s.codeFlow(ctx, in)
	if err != nil {
		return "", nil, err
	}
	renewal, err := s.refreshes(ctx, "refresh", in)
	if err != nil {
		return "", nil, err
	}
	got, err := newBrowser(s).tokens(ctx, http.DefaultClient, in)
	return got.Access, []load{flow, renewal}, err
}

// codeFlow is all from the authorize request of a person who is signed in to the tokens.
func (s *server) codeFlow(ctx context.Context, in signIn) (load, error) {
	var next atomic.Int64
	all := make([]browser, browsers)
	for i := range all {
		all[i] = newBrowser(s)
		if _, err := all[i].tokens(ctx, http.DefaultClient, in); err != nil {
			return load{}, err
		}
	}
	return load{of: s, name: "code flow", flow: func(ctx context.Context, client *http.Client) error {
		_, err := all[next.Add(1)%browsers].tokens(ctx, client, in)
		return err
	}}, nil
}

// refreshes takes a refresh token of some sign-ins, and keeps the one that comes for it.
func (s *server) refreshes(ctx context.Context, name string, in signIn) (load, error) {
	kept, b := make(chan string, signIns), newBrowser(s)
	for range signIns {
		got, err := b.tokens(ctx, http.DefaultClient, in)
		if err != nil {
			return load{}, err
		}
		kept <- got.Refresh
	}
	request := func(ctx context.Context) (*http.Request, error) {
		form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {<-kept}}
		return s.post(in.app, s.paths.token, form)(ctx)
	}
	return load{of: s, name: name, request: request, answer: func(body []byte) {
		var got tokens
		if json.Unmarshal(body, &got) == nil {
			kept <- got.Refresh
		}
	}}, nil
}

// browser is one that answers what it is asked.
type browser struct {
	at      *server
	cookies http.CookieJar
}

func newBrowser(s *server) browser {
	jar, _ := cookiejar.New(nil) // it never fails
	return browser{s, jar}
}

// tokens walks from the authorize request over sign-in and consent, where they are asked
// for, to the tokens. The client lends its connections.
func (b browser) tokens(ctx context.Context, client *http.Client, in signIn) (tokens, error) {
	own := http.Client{Jar: b.cookies, Transport: client.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	code, err := b.code(ctx, &own, in)
	if err != nil {
		return tokens{}, err
	}
	return load{of: b.at, name: "code", request: b.at.post(in.app, b.at.paths.token, url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {returnAddress},
	})}.tokens(ctx, client)
}

func (b browser) code(ctx context.Context, client *http.Client, in signIn) (string, error) {
	asked := url.Values{
		"client_id": {in.app.id}, "redirect_uri": {returnAddress}, "response_type": {"code"},
		"scope": {in.scope}, "state": {"load"},
	}
	maps.Copy(asked, in.app.more)
	at, err := url.Parse(b.at.url + b.at.paths.authorize + "?" + asked.Encode())
	var answer url.Values
	for range 10 {
		if err != nil {
			return "", err
		}
		if strings.HasPrefix(at.String(), returnAddress) {
			return at.Query().Get("code"), nil
		}
		at, answer, err = step(ctx, client, at, answer, in.who)
	}
	return "", errors.New("sign-in does not come to an end")
}

// step opens the address, or posts the form to it, and returns where the answer leads, with
// what is to be posted there.
func step(ctx context.Context, client *http.Client, at *url.URL, form url.Values,
	who person) (to *url.URL, answer url.Values, err error) {
	method, body := http.MethodGet, io.Reader(nil)
	if form != nil {
		method, body = http.MethodPost, strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(ctx, method, at.String(), body)
	if err != nil {
		return nil, nil, err
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := client.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	page, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, nil, err
	}
	if to, err := response.Location(); err == nil {
		return to, nil, nil
	}
	f, err := leadsOn(bytes.NewReader(page), who)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %s", err, page)
	}
	to, err = at.Parse(cmp.Or(f.action, at.String()))
	return to, f.fields, err
}
