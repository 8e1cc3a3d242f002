package transfer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	maxAnswer = 8 << 20 // bytes

	firstPause = 100 * time.Millisecond
	longPause  = 3 * time.Second
)

// refusedError is an answer that asking again does not change.
type refusedError struct {
	status int
	code   string
	text   string
}

func (e *refusedError) Error() string { return e.text }

func refusal(format string, args ...any) error {
	return &refusedError{text: fmt.Sprintf(format, args...)}
}

// awayError is a failure that may pass.
type awayError struct {
	cause error
	pause time.Duration // the server has asked for; 0: it has not
}

func (e *awayError) Error() string { return e.cause.Error() }
func (e *awayError) Unwrap() error { return e.cause }

// hasCode reports whether the server has refused with the code or the status.
func hasCode(err error, codes ...string) bool {
	var refused *refusedError
	if !errors.As(err, &refused) {
		return false
	}
	return slices.ContainsFunc(codes, func(code string) bool { return strings.EqualFold(refused.code, code) })
}

// temporary reports whether an answer's status says that another try may help.
func temporary(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout:
		return true
	}
	return false
}

func retryAfter(response *http.Response) time.Duration {
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(min(seconds, 60)) * time.Second
}

// insist acts until it succeeds, is refused, or the server has been away for
// longer than patience. Of an act that failed a quarter of that counts at most: a large
// part may go for minutes before its line breaks, and again. act's moved tells that
// something went on meanwhile. Once for each time that the server is away it says why it waits:
// an address with a slip in it is no different.
func (c *Client) insist(ctx context.Context, act func() (moved bool, err error)) error {
	gone, pause := time.Duration(0), firstPause
	for {
		began := c.ambient.Elapsed()
		moved, err := act()
		var away *awayError
		if (err == nil || moved) && gone > 0 { // a call of its own to another server says nothing of this one
			c.waits.Store(false)
		}
		if err == nil || ctx.Err() != nil || !errors.As(err, &away) {
			return err
		}
		if moved {
			gone, pause = 0, firstPause
		}
		wait := max(pause, away.pause)
		if gone += min(c.ambient.Elapsed()-began, c.patience/4); gone > c.patience {
			return givenUp(err)
		}
		if gone > c.patience/40 && !c.waits.Swap(true) {
			c.note(fmt.Sprintf("%s. It is waited for, %v at most.", reason(err), c.patience))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		gone += wait
		pause = min(2*pause, longPause)
	}
}

// reason is what is waited for: a server that answers says it itself.
func reason(err error) string {
	if refused := new(refusedError); errors.As(err, &refused) {
		return strings.TrimSuffix(refused.text, ".")
	}
	return "The server can't be reached: " + err.Error()
}

func givenUp(err error) error {
	if refused := new(refusedError); errors.As(err, &refused) {
		return fmt.Errorf("run the command again later, it goes on where it was: %w", err)
	}
	return fmt.Errorf("the server can't be reached: %w. Run the command again when it can, it goes on where it was", err)
}

// hidden is a failure on the way to a signed address without that: by it whoever reads a log could
// have the bytes, or put others there.
func hidden(err error) error {
	var request *url.Error
	if errors.As(err, &request) {
		return request.Err
	}
	return err
}

// call makes a request of the API until there is an answer to it, which goes
// into the value. Whatever it changes must not mind coming twice.
func (c *Client) call(ctx context.Context, method, path string, body, into any, header ...string) error {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	return c.insist(ctx, func() (bool, error) { return false, c.try(ctx, method, path, text, into, header) })
}

func (c *Client) try(ctx context.Context, method, path string, text []byte, into any, header []string) error {
	token := ""
	for spent := ""; ; spent = token {
		var err error
		if token, err = c.tokens.Token(ctx, c.http, c.base, spent); err != nil {
			return unlessRefused(err)
		}
		again, err := c.ask(ctx, method, path, token, text, into, header)
		if !again || spent != "" {
			return err
		}
	}
}

// ask makes the request once. again says that the token was not taken.
func (c *Client) ask(ctx context.Context, method, path, token string, text []byte, into any,
	header []string) (again bool, err error) {
	address, err := c.base.Parse(path)
	if err != nil || address.Host != c.base.Host || address.Scheme != c.base.Scheme {
		return false, refusal("the server names an address of another: %s", path)
	}
	request, err := http.NewRequestWithContext(ctx, method, address.String(), bytes.NewReader(text))
	if err != nil {
		return false, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/vnd.api+json")
	if strings.HasPrefix(path, "/oss/") {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := c.http.Do(request)
	if err != nil {
		return false, &awayError{err, 0}
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	switch {
	case err != nil:
		return false, &awayError{err, 0}
	case response.StatusCode >= 300:
		return response.StatusCode == http.StatusUnauthorized, failureOf(response, answer)
	case json.Unmarshal(answer, into) != nil:
		return false, refusal("the server's answer can't be read: is %s a Portico?", c.base)
	}
	return false, nil
}

// unlessRefused takes what nobody has refused for something that may pass.
func unlessRefused(err error) error {
	var refused *refusedError
	var away *awayError
	if errors.As(err, &refused) || errors.As(err, &away) {
		return err
	}
	return &awayError{err, 0}
}

// failureOf reads what the server says is wrong, in either form that it has.
func failureOf(response *http.Response, answer []byte) error {
	var said struct {
		Errors []struct{ Code, Detail string }
		Reason string
		Code   string
		Detail string
	}
	_ = json.Unmarshal(answer, &said) // whatever it is, there is the status
	code, detail := said.Code, cmp.Or(said.Reason, said.Detail)
	if len(said.Errors) > 0 {
		code, detail = said.Errors[0].Code, said.Errors[0].Detail
	}
	detail = cmp.Or(detail, "the server answers "+response.Status)
	err := &refusedError{status: response.StatusCode, code: code, text: detail}
	if temporary(response.StatusCode) || hasCode(err, "PROJECT_BUSY", "scan_pending") {
		return &awayError{err, retryAfter(response)}
	}
	return err
}
