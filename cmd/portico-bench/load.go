package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// yardstickMark is what the names of those begin with that are no requests.
const yardstickMark = "("

// load is one kind of request, sent again and again, or a whole flow of them.
type load struct {
	of      *server
	name    string
	request func(ctx context.Context) (*http.Request, error)
	prepare func(n int) error // makes what n requests will send; may be nil
	answer  func(body []byte) // keeps what came; may be nil
	every   int               // of how many requests of a plan it is one; 0: each
	clients int               // that send at once, whatever the plan says; 0: as that does

	// flow is several requests that count as one, in the place of request.
	flow func(ctx context.Context, client *http.Client) error
}

// app is a client at a provider, and what it says beside what all say.
type app struct {
	id, secret string
	more       url.Values
}

func appOf(made map[string]any) app {
	id, _ := made["client_id"].(string)
	secret, _ := made["client_secret"].(string)
	return app{id: id, secret: secret}
}

// post makes requests that post a form to a path as the app, and say what it says.
func (s *server) post(a app, path string, form url.Values) func(context.Context) (*http.Request, error) {
	maps.Copy(form, a.more)
	body := form.Encode()
	return func(ctx context.Context) (*http.Request, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+path, strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.SetBasicAuth(url.QueryEscape(a.id), url.QueryEscape(a.secret))
		return r, nil
	}
}

// tokens are what a token request gives.
type tokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
}

// accessToken sends the token request once and returns what came of it.
func (l load) accessToken(ctx context.Context) (string, error) {
	got, err := l.tokens(ctx, http.DefaultClient)
	return got.Access, err
}

func (l load) tokens(ctx context.Context, client *http.Client) (got tokens, err error) {
	l.answer = func(body []byte) { err = json.Unmarshal(body, &got) }
	return got, errors.Join(l.once(ctx, client), err)
}

// pace is how requests are sent.
type pace struct {
	clients int
	rate    float64 // that begin each second, whatever the server does; 0: each client waits for its answer
}

// run sends n requests and returns how long all took, and each:
// from when it was due, so that a server which holds up the next ones does not look fast.
// Anything but 200 ends it.
func (l load) run(ctx context.Context, client *http.Client, n int, p pace) (took time.Duration, each []time.Duration,
	err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	each = make([]time.Duration, n)
	began := time.Now()
	var all sync.WaitGroup
	for range p.clients {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = next.Add(1) - 1 {
				due := p.due(began, i)
				if err := l.once(ctx, client); err != nil {
					cancel(err)
				}
				each[i] = time.Since(due)
			}
		})
	}
	all.Wait()
	return time.Since(began), each, context.Cause(ctx)
}

// due waits until the request is due, and returns when that was.
func (p pace) due(began time.Time, i int64) time.Time {
	if p.rate == 0 {
		return time.Now()
	}
	at := began.Add(time.Duration(float64(i) / p.rate * float64(time.Second)))
	time.Sleep(time.Until(at))
	return at
}

func (l load) once(ctx context.Context, client *http.Client) error {
	if l.flow != nil {
		return l.flow(ctx, client)
	}
	r, err := l.request(ctx)
	if err != nil {
		return err
	}
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d: %s", l.name, response.StatusCode, body)
	}
	if err == nil && l.answer != nil {
		l.answer(body)
	}
	return err
}
