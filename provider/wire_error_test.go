package provider

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/ory/fosite"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

// Rule: TOKEN-22
func TestEveryKindOfFaultHasItsOAuthError(t *testing.T) {
	for _, kind := range fault.Kinds() {
		answer, ok := oauthKinds[kind]
		if !ok || answer.status < 400 || answer.Code == "" {
			t.Errorf("%v is not mapped: %+v", kind, answer)
		}
	}
}

// Rule: TOKEN-22
func TestToOAuth(t *testing.T) {
	spent := fault.New(fault.Gone, "spent", "The code was used before.")
	cases := []struct {
		name   string
		err    error
		status int
		code   string
	}{
		{"our fault with an OAuth reason keeps it", fault.New(fault.Invalid, "invalid_scope", "x"), 400, "invalid_scope"},
		{"our fault with a reason of its own gets the kind's code", fault.New(fault.Invalid, "email_taken", "x"),
			400, "invalid_request"},
		{"a spent code is invalid_grant", spent, 400, "invalid_grant"},
		{"our fault inside the framework's server_error wins", fosite.ErrServerError.WithWrap(spent), 400, "invalid_grant"},
		{"our fault inside two layers wins", fmt.Errorf("x: %w", fosite.ErrInvalidRequest.WithWrap(spent)), 400,
			"invalid_grant"},
		{"the framework's own refusal keeps its code", fosite.ErrInvalidGrant.WithHint("x"), 400, "invalid_grant"},
		{"the framework's server_error is internal", fosite.ErrServerError.WithHint("secret"), 500, "server_error"},
		{"a foreign error is internal", errors.New("secret"), 500, "server_error"},
		{"a store that is down is temporarily unavailable", fault.New(fault.Unavailable, "", "x"), 503,
			"temporarily_unavailable"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := toOAuth(c.err)
			if got.status != c.status || got.Code != c.code {
				t.Errorf("got %d %s, want %d %s", got.status, got.Code, c.status, c.code)
			}
			if strings.Contains(got.Description, "secret") {
				t.Errorf("the description tells what is inside: %q", got.Description)
			}
		})
	}
}

// Rule: TOKEN-11
func TestAnInternalErrorTellsNothing(t *testing.T) {
	leaky := fault.New(fault.Internal, "", "the password of the database is secret")
	if got := toOAuth(leaky); got.Description != "" || got.status != http.StatusInternalServerError {
		t.Errorf("got %+v", got)
	}
}

// Rule: AUTH-25
func TestDescriptionsKeepToTheirAlphabet(t *testing.T) {
	got := httpio.Description("a \"quoted\" back\\slash, new\r\nline, tab\t and é")
	if want := "a 'quoted' backslash, newline, tab and "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestARefusalOfTheFrameworkIsNoFailureOfOurs(t *testing.T) {
	cases := []struct {
		name string
		err  error
		kind fault.Kind
	}{
		{"a bad grant", fosite.ErrInvalidGrant.WithHint("x"), fault.Invalid},
		{"a client that is not who it says", fosite.ErrInvalidClient, fault.Unauthenticated},
		{"its server_error stays one", fosite.ErrServerError, fault.Internal},
		{"our fault inside of it keeps its kind", fosite.ErrInvalidGrant.WithWrap(fault.New(fault.Gone, "spent", "x")),
			fault.Gone},
		{"a foreign error", errors.New("x"), fault.Internal},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			judged := asFault(c.err)
			if !fault.Is(judged, c.kind) {
				t.Errorf("got %v, want %v", judged, c.kind)
			}
			if before, after := toOAuth(c.err), toOAuth(judged); before.Code != after.Code || before.status != after.status {
				t.Errorf("on the wire %+v became %+v", before, after)
			}
		})
	}
}
