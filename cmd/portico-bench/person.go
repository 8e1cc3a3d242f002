package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
)

// returnAddress is where the code comes back to; nobody listens there.
const returnAddress = "http://127.0.0.1:1/callback"

// signIns is how many sign-ins are refreshed by turns.
const signIns = 64

// signIn is whom an app lets sign in, and what for.
type signIn struct {
	app   app
	scope string
	form  url.Values // of the sign-in page
}

// newPerson adds a person to a Portico, and an app that signs people in.
func (s *server) newPerson(ctx context.Context) (login signIn, err error) {
	const email, password = "load@example.test", "correct horse battery staple"
	if _, err := s.commandWith(ctx, password, "user", "create", "--email", email, "--name", "Load",
		"--password-stdin"); err != nil {
		return login, err
	}
	made, err := s.command(ctx, "client", "create", "--name", "Load Page", "--type", "web", "--profile", "standard",
		"--redirect-uri", returnAddress, "--scope", "openid profile email data:read")
	return signIn{appOf(made), "openid profile email", url.Values{"username": {email}, "password": {password}}}, err
}

// signedIn signs a person in as their browser would, n times, and returns the last
// access token and all refresh tokens.
func (s *server) signedIn(ctx context.Context, in signIn, n int) (access string, renew chan string, err error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", nil, err
	}
	v := visitor{ctx, s, &http.Client{Jar: jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	renew = make(chan string, n)
	for range n {
		code, err := v.code(in)
		if err != nil {
			return "", nil, err
		}
		redeem := load{of: s, name: "code", request: s.post(in.app, s.paths.token, url.Values{
			"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {returnAddress}})}
		got, err := redeem.tokens(ctx)
		if err != nil {
			return "", nil, err
		}
		access = got.Access
		renew <- got.Refresh
	}
	return access, renew, nil
}

// refreshes takes a refresh token of some sign-ins, and keeps the one that comes for it.
func (s *server) refreshes(ctx context.Context, name string, in signIn) (load, error) {
	_, kept, err := s.signedIn(ctx, in, signIns)
	request := func(ctx context.Context) (*http.Request, error) {
		form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {<-kept}}
		return s.post(in.app, s.paths.token, form)(ctx)
	}
	return load{of: s, name: name, request: request, answer: func(body []byte) {
		var got tokens
		if json.Unmarshal(body, &got) == nil {
			kept <- got.Refresh
		}
	}}, err
}

// visitor is a browser that answers what it is asked.
type visitor struct {
	ctx    context.Context
	at     *server
	client *http.Client
}

var hiddenField = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)"`)

// code walks from the authorize request over sign-in and consent to the code.
func (v visitor) code(in signIn) (string, error) {
	asked := url.Values{
		"client_id": {in.app.id}, "redirect_uri": {returnAddress}, "response_type": {"code"},
		"scope": {in.scope}, "state": {"load"},
	}
	maps.Copy(asked, in.app.more)
	at := v.at.url + v.at.paths.authorize + "?" + asked.Encode()
	var answer url.Values
	for range 10 {
		to, page, err := v.send(at, answer)
		if err != nil {
			return "", err
		}
		answer = nil
		switch {
		case strings.HasPrefix(to, returnAddress):
			back, err := url.Parse(to)
			return back.Query().Get("code"), err
		case strings.HasPrefix(to, "/"):
			at = v.at.url + to
		case to != "":
			at = to
		case strings.Contains(page, `id="login-form"`):
			answer = in.form
		case strings.Contains(page, `id="consent-form"`):
			answer = url.Values{"decision": {"allow"}}
			for _, field := range hiddenField.FindAllStringSubmatch(page, -1) {
				answer.Set(field[1], html.UnescapeString(field[2]))
			}
		default:
			return "", fmt.Errorf("a page that is neither sign-in nor consent: %s", page)
		}
	}
	return "", errors.New("sign-in does not come to an end")
}

// send opens the address, or posts the form to it, and returns where the
// answer leads, or its page.
func (v visitor) send(at string, form url.Values) (to, page string, err error) {
	method, body := http.MethodGet, io.Reader(nil)
	if form != nil {
		method, body = http.MethodPost, strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(v.ctx, method, at, body)
	if err != nil {
		return "", "", err
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := v.client.Do(r)
	if err != nil {
		return "", "", err
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	return response.Header.Get("Location"), string(raw), err
}
