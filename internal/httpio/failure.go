package httpio

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
)

// Status returns the status of a kind of fault. Formats that answer some kinds
// otherwise say so in their wire files.
func Status(kind fault.Kind) int {
	switch kind {
	case fault.Invalid:
		return http.StatusBadRequest
	case fault.Unauthenticated:
		return http.StatusUnauthorized
	case fault.Forbidden:
		return http.StatusForbidden
	case fault.NotFound:
		return http.StatusNotFound
	case fault.MethodNotAllowed:
		return http.StatusMethodNotAllowed
	case fault.NotAcceptable:
		return http.StatusNotAcceptable
	case fault.Conflict:
		return http.StatusConflict
	case fault.Gone:
		return http.StatusGone
	case fault.PreconditionFailed:
		return http.StatusPreconditionFailed
	case fault.TooLarge:
		return http.StatusRequestEntityTooLarge
	case fault.UnsupportedMedia:
		return http.StatusUnsupportedMediaType
	case fault.Locked:
		return http.StatusLocked
	case fault.TooMany:
		return http.StatusTooManyRequests
	case fault.Unavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// SetRetryAfter says in whole seconds when to try again (RFC 9110, 10.2.3);
// nothing for 0.
func SetRetryAfter(header http.Header, after time.Duration) {
	if after > 0 {
		header.Set("Retry-After", strconv.Itoa(wholeSeconds(after)))
	}
}

// SetRateLimit says how many calls of a minute a limit gives and leaves, and in
// how many seconds more are given back (draft-ietf-httpapi-ratelimit-headers).
// The name is letters.
func SetRateLimit(header http.Header, name string, limit, left int, reset time.Duration) {
	name = `"` + name + `"`
	header.Set("Ratelimit-Policy", name+";q="+strconv.Itoa(limit)+";w=60")
	header.Set("Ratelimit", name+";r="+strconv.Itoa(left)+";t="+strconv.Itoa(wholeSeconds(reset)))
}

// wholeSeconds rounds up: who comes back then finds that the time has passed.
func wholeSeconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// ProofAlgorithms are what proofs of possession may be signed with, as challenges
// list them (RFC 9449, 7.1).
const ProofAlgorithms = "ES256 EdDSA PS256 RS256"

// SetBearerFailure sets the headers of a failure where requests have access
// tokens: that it is not to be kept, when to try again, and the challenge where one
// belongs.
func SetBearerFailure(header http.Header, r *http.Request, f *fault.Error) {
	header.Set("Cache-Control", "no-store")
	SetRetryAfter(header, f.RetryAfter)
	if f.Kind == fault.Unauthenticated || f.Reason == reasonScope {
		Challenge(header, r, WrongToken(f))
	}
}

// Reasons whose faults have as their source what a challenge says of it.
const (
	reasonScope  = "insufficient_scope"               // the scopes that are needed (RFC 6750, 3)
	reasonSignIn = "insufficient_user_authentication" // acr_values and max_age (RFC 9470, 3)
)

// WrongToken is what a challenge says was wrong with the token; "" where none came.
func WrongToken(f *fault.Error) string {
	wrong := `error="` + TokenError(f) + `"`
	switch {
	case f.Reason == "missing_token":
		return ""
	case f.Reason == reasonScope && f.Source != "":
		return wrong + `, scope="` + f.Source + `"`
	case f.Reason == reasonSignIn && f.Source != "":
		return wrong + ", " + f.Source
	}
	return wrong
}

// TokenError is the word of RFC 6750, RFC 9449 or RFC 9470 for why a token did not
// count.
func TokenError(f *fault.Error) string {
	switch f.Reason {
	case "invalid_dpop_proof", "use_dpop_nonce", reasonScope, reasonSignIn:
		return f.Reason
	}
	return "invalid_token"
}

// Challenge says how requests prove who they are: by the scheme that this one came
// with and what was wrong with it, or by either of those there are (RFC 6750, 3, and
// RFC 9449, 7.1); and where it says which tokens are taken here (RFC 9728, 5.1).
func Challenge(header http.Header, r *http.Request, wrong string) {
	bearer, proof := `Bearer realm="portico"`, `DPoP realm="portico", algs="`+ProofAlgorithms+`"`
	if where := From(r.Context()).ResourceMetadata; where != "" {
		bearer += `, resource_metadata="` + where + `"`
		proof += `, resource_metadata="` + where + `"`
	}
	if wrong != "" {
		wrong = ", " + wrong
	}
	if scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "DPoP") {
		header.Set("WWW-Authenticate", proof+wrong)
		return
	}
	header.Set("WWW-Authenticate", bearer+wrong)
	header.Add("WWW-Authenticate", proof)
}

// Description keeps the characters an error_description may hold: 0x20-21,
// 0x23-5B, 0x5D-7E (RFC 6749 section 5.2).
func Description(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '"':
			return '\''
		case c < 0x20 || c > 0x7e || c == '\\':
			return -1
		}
		return c
	}, text)
}
