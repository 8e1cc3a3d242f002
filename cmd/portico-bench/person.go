package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
)

// returnAddress is where the code comes back to; nobody listens there.
const returnAddress = "http://127.0.0.1:1/callback"

// signIns is how many sign-ins are refreshed by turns.
const signIns = 16

// refreshLoad adds a person, signs them in as a browser would again and again, and returns
// an access token that speaks for them, and the renewal of their tokens.
func refreshLoad(ctx context.Context, s *server) (access string, renewal load, err error) {
	const email, password = "load@example.test", "correct horse battery staple"
	if _, err := s.commandWith(ctx, password, "user", "create", "--email", email, "--name", "Load",
		"--password-stdin"); err != nil {
		return "", renewal, err
	}
	made, err := s.command(ctx, "client", "create", "--name", "Load Page", "--type", "web", "--profile", "standard",
		"--redirect-uri", returnAddress, "--scope", "openid profile email")
	if err != nil {
		return "", renewal, err
	}
	id, _ := made["client_id"].(string)
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", renewal, err
	}
	v := visitor{ctx, s.url, &http.Client{Jar: jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	post, kept := posting(s, made), make(chan string, signIns)
	for range signIns {
		code, err := v.code(id, url.Values{"username": {email}, "password": {password}})
		if err != nil {
			return "", renewal, err
		}
		redeem := load{name: "code", request: post("/authentication/v2/token", url.Values{
			"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {returnAddress}})}
		got, err := redeem.tokens(ctx)
		if err != nil {
			return "", renewal, err
		}
		access = got.Access
		kept <- got.Refresh
	}
	return access, renewing(post, kept), nil
}

// renewing takes a refresh token, and keeps the one that comes for it.
func renewing(post poster, kept chan string) load {
	request := func(ctx context.Context) (*http.Request, error) {
		return post("/authentication/v2/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {<-kept}})(ctx)
	}
	return load{name: "refresh", request: request, answer: func(body []byte) {
		var got tokens
		if json.Unmarshal(body, &got) == nil {
			kept <- got.Refresh
		}
	}}
}

// visitor is a browser that answers what it is asked.
type visitor struct {
	ctx    context.Context
	base   string
	client *http.Client
}

var hiddenField = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)"`)

// code walks from the authorize request over sign-in and consent to the code.
func (v visitor) code(clientID string, login url.Values) (string, error) {
	at := v.base + "/authentication/v2/authorize?" + url.Values{
		"client_id": {clientID}, "redirect_uri": {returnAddress}, "response_type": {"code"},
		"scope": {"openid profile email"}, "state": {"load"},
	}.Encode()
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
		case to != "":
			at = v.base + to
		case strings.Contains(page, `id="login-form"`):
			answer = login
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
