package provider

import (
	"net/http"
	"slices"

	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/scope"
)

const jsonType = "application/json"

// tokenBody is the token answer (S1 2.3 to 2.5).
type tokenBody struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int64  `json:"expires_in"` // seconds
	RefreshToken string `json:"refresh_token,omitempty"`
	ExpiresAt    int64  `json:"expires_at,omitempty"` // Unix time (decision T3)
	IDToken      string `json:"id_token,omitempty"`
	IssuedType   string `json:"issued_token_type,omitempty"` // of what was exchanged for (RFC 8693, 2.2.1)
	Scope        string `json:"scope,omitempty"`             // platform: only when it differs from what was asked

	granted string // what the token may do
	known   string // what the client takes it to be unless it is told
}

// mentionScope adds the scope when the client is always told, or could not know
// it: it asked for another one, or named none and got less than it has reason to
// expect (RFC 6749 section 5.1).
func (b *tokenBody) mentionScope(asked string, always bool) {
	if asked != "" {
		b.known = asked
	}
	if always || !sameScopes(b.known, b.granted) {
		b.Scope = b.granted
	}
}

func sameScopes(a, b string) bool {
	x, errX := scope.Parse(a)
	y, errY := scope.Parse(b)
	slices.Sort(x)
	slices.Sort(y)
	return errX == nil && errY == nil && slices.Equal(x, y)
}

// writeToken answers a token request. Tokens are never to be stored by
// anything between (RFC 6749 section 5.1).
func writeToken(w http.ResponseWriter, body tokenBody) {
	noStore(w)
	httpio.WriteJSON(w, http.StatusOK, jsonType, body)
}

func noStore(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Pragma", "no-cache")
}
