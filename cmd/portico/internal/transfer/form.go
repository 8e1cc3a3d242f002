package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Device is what a person needs to let the command line act for them (RFC 8628).
type Device struct {
	Code      string `json:"device_code"`
	UserCode  string `json:"user_code"`
	URI       string `json:"verification_uri"`
	ExpiresIn int64  `json:"expires_in"` // seconds, like the next
	Interval  int64  `json:"interval"`
}

// answered is what the server says to any form.
type answered struct {
	Device
	Access      string `json:"access_token"`
	Refresh     string `json:"refresh_token"`
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

func (a answered) refused() error {
	return refusal("the server gives no token: %s: %s", a.Error, a.Description)
}

// kept is the sign-in with what the server gave.
func (a answered) kept(s SignedIn, now time.Time) SignedIn {
	s.Access, s.Ends = a.Access, now.Add(time.Duration(a.ExpiresIn)*time.Second-renewBefore)
	if a.Refresh != "" {
		s.Refresh = a.Refresh
	}
	return s
}

func ask(ctx context.Context, client *http.Client, to string, form url.Values) (said answered, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, strings.NewReader(form.Encode()))
	if err != nil {
		return said, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := client.Do(request)
	if err != nil {
		return said, err
	}
	defer response.Body.Close()
	if temporary(response.StatusCode) {
		return said, &awayError{errors.New("the server answers " + response.Status), retryAfter(response)}
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil || response.StatusCode == http.StatusOK && len(text) == 0 {
		return said, err // a revocation has no more to say
	}
	if json.Unmarshal(text, &said) != nil {
		return said, refusal("the server answers %s: is it a Portico?", response.Status)
	}
	return said, nil
}
