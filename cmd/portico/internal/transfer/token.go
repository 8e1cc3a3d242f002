package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/portico-id/portico/internal/ambient"
)

// Tokens gives access tokens.
type Tokens interface {
	// Token returns one; spent is one that the server does not take any more,
	// or "".
	Token(ctx context.Context, client *http.Client, base *url.URL, spent string) (string, error)
}

// Fixed is one token, which somebody else has got.
type Fixed string

// Token implements Tokens.
func (f Fixed) Token(_ context.Context, _ *http.Client, _ *url.URL, spent string) (string, error) {
	if spent == string(f) {
		return "", refusal("the server does not take the access token (any more): get another and run the command again, it goes on where it was")
	}
	return string(f), nil
}

// Credentials gets tokens for an app of its own (RFC 6749 section 4.4).
type Credentials struct {
	ClientID, Secret, Scope string
	Bound                   bool // to the key of Options, or none counts
	Ambient                 *ambient.Source

	mu    sync.Mutex
	token string
	ends  time.Time
}

func tokenURL(base *url.URL) string { return base.JoinPath("/authentication/v2/token").String() }

// renewBefore is how long before its end a token is not used any more.
const renewBefore = time.Minute

// Token implements Tokens.
func (c *Credentials) Token(ctx context.Context, client *http.Client, base *url.URL, spent string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.token != "" && c.token != spent && c.Ambient.Now().Before(c.ends) {
		return c.token, nil
	}
	form := url.Values{"grant_type": {"client_credentials"}, "scope": {c.Scope}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, tokenURL(base),
		strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(url.QueryEscape(c.ClientID), url.QueryEscape(c.Secret))
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	return c.keep(response)
}

func (c *Credentials) keep(response *http.Response) (string, error) {
	var answer struct {
		AccessToken string `json:"access_token"`
		TokenType   string `json:"token_type"`
		ExpiresIn   int64  `json:"expires_in"`
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	err := json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(&answer)
	switch {
	case temporary(response.StatusCode):
		return "", &awayError{fmt.Errorf("the server answers %s", response.Status), retryAfter(response)}
	case answer.Error != "":
		return "", refusal("the server gives no token: %s: %s", answer.Error, answer.Description)
	case err != nil || answer.AccessToken == "":
		return "", refusal("the server answers %s, and no token", response.Status)
	case c.Bound && !strings.EqualFold(answer.TokenType, "DPoP"):
		return "", refusal("the server binds the tokens of this client to no key: leave out --dpop-key, or change its profile")
	}
	c.token, c.ends = answer.AccessToken, c.Ambient.Now().Add(time.Duration(answer.ExpiresIn)*time.Second-renewBefore)
	return c.token, nil
}
