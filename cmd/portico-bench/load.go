package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// load is one kind of request, sent again and again.
type load struct {
	name    string
	request func(ctx context.Context) (*http.Request, error)
	prepare func(n int) error // makes what n requests will send; may be nil
	answer  func(body []byte) // keeps what came; may be nil
}

// poster makes requests that post a form to a path.
type poster func(path string, form url.Values) func(context.Context) (*http.Request, error)

// posting posts forms as a client that was made proves itself.
func posting(s *server, made map[string]any) poster {
	id, _ := made["client_id"].(string)
	secret, _ := made["client_secret"].(string)
	return func(path string, form url.Values) func(context.Context) (*http.Request, error) {
		body := form.Encode()
		return func(ctx context.Context) (*http.Request, error) {
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+path, strings.NewReader(body))
			if err != nil {
				return nil, err
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.SetBasicAuth(id, secret)
			return r, nil
		}
	}
}

// tokens are what a token request gives.
type tokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
}

// accessToken sends the token request once and returns what came of it.
func (l load) accessToken(ctx context.Context) (string, error) {
	got, err := l.tokens(ctx)
	return got.Access, err
}

func (l load) tokens(ctx context.Context) (got tokens, err error) {
	l.answer = func(body []byte) { err = json.Unmarshal(body, &got) }
	return got, errors.Join(l.once(ctx, http.DefaultClient), err)
}

// run sends n requests over kept connections and returns how long it took.
// Anything but 200 ends it.
func (l load) run(ctx context.Context, n, clients int) (time.Duration, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}, Timeout: 30 * time.Second}
	defer client.CloseIdleConnections()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var left atomic.Int64
	left.Store(int64(n))
	began := time.Now()
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for left.Add(-1) >= 0 && ctx.Err() == nil {
				if err := l.once(ctx, client); err != nil {
					cancel(err)
				}
			}
		})
	}
	all.Wait()
	return time.Since(began), context.Cause(ctx)
}

func (l load) once(ctx context.Context, client *http.Client) error {
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
