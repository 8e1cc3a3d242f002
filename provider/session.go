package provider

import (
	"time"

	"github.com/ory/fosite"
	"github.com/ory/fosite/handler/openid"
	"github.com/ory/fosite/token/jwt"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/provider/resources"
	"github.com/portico-id/portico/storage"
)

// session is what the framework carries from its handlers to our storage and
// our token strategies during one request. It is never persisted: the code row
// and the grant row are.
type session struct {
	claims  *jwt.IDTokenClaims // the framework insists on it; only Subject is used
	headers *jwt.Headers
	expires map[fosite.TokenType]time.Time

	code   *storage.AuthorizeCode // being issued, or being redeemed
	issued string                 // the code being issued, as its client gets it; empty: none
	rests  []string               // the remembered consent that a code being issued rests on; empty: none
	parked string                 // the login request that a code being issued uses up; empty: none
	grant  *storage.Grant         // what the tokens speak for; nil for two-legged ones
	use    storage.RefreshUse     // the presented refresh token, on refresh

	nowhere bool             // the token request leaves redirect_uri out
	asked   []string         // the resources that the token request names
	target  resources.Target // what the access token is for
	demands resources.Target // what says how it has to be: the same, or our own APIs

	bound signing.Bound // what the access token is bound to

	exchanged *exchanged // the token that this one is given for

	told map[string]any // what the trail is told of a token that is given for another one; nil: nothing

	introduced *introduction // what is given instead of an access token; nil: nothing

	assertion *storage.Assertion // of the service account that the token speaks for

	vouched time.Time // of the upstream on whose word the grant rests, which is not kept yet; zero: on none

	frontOnly bool // an ID token alone is issued: no access token will ever come with it

	issuedAt time.Time // of the access token
	idToken  string    // signed with the access token, before anything is spent
}

var _ openid.Session = (*session)(nil)

func newSession() *session {
	return &session{
		claims:  &jwt.IDTokenClaims{},
		headers: &jwt.Headers{},
		expires: map[fosite.TokenType]time.Time{},
	}
}

// speakFor makes the session stand for a grant. The framework is not told when
// the person signed in: it would hold that against a clock of its own, and fail
// where another replica's, which wrote the time, is ahead.
func (s *session) speakFor(grant storage.Grant) {
	s.grant = &grant
	s.claims.Subject = grant.UserID
}

// expected returns the scopes that a client which names none has reason to
// expect: the ones of its authorize request, of the grant or of the assertion.
// It is nothing where the client was given less than it asked for.
func (s *session) expected() []string {
	switch {
	case s.assertion != nil:
		return s.assertion.Scopes
	case s.grant == nil, s.code != nil && s.code.Narrowed:
		return nil
	}
	return s.grant.Scopes
}

// signIn returns how and when the person was proven behind the tokens; false where there
// is none: an app or service account that acts by itself.
func (s *session) signIn() (acr string, then time.Time, person bool) {
	switch {
	case s.grant != nil:
		return s.grant.ACR, s.grant.AuthTime, true
	case s.exchanged != nil:
		return s.exchanged.subject.ACR, s.exchanged.subject.AuthTime, s.exchanged.subject.GrantID != ""
	case s.introduced != nil:
		return s.introduced.grant.ACR, s.introduced.grant.AuthTime, true
	}
	return "", time.Time{}, false
}

// proven refuses tokens for a person who was proven more weakly, or longer ago, than the
// resources demand that they would be for. To ask again helps only whoever can have the
// person sign in: of a service that goes on for them, that is who sent it the token.
func (s *session) proven(now time.Time) error {
	acr, then, person := s.signIn()
	if !person || s.target.Satisfied(acr, then, now) {
		return nil
	}
	return s.weakly("The person has to sign in again, or more strongly, for this resource.")
}

// weakly refuses tokens because of how the person was proven.
func (s *session) weakly(text string) error {
	if s.exchanged != nil || s.introduced != nil {
		return fault.New(fault.Invalid, bearer.ReasonWeakSignIn, text)
	}
	return fault.New(fault.Invalid, "invalid_grant", text)
}

const weakPerson = "The person was not proven by two factors, and has to be."

// userID returns the person or service account behind the tokens, "" for a
// two-legged one.
func (s *session) userID() string {
	switch {
	case s.grant != nil:
		return s.grant.UserID
	case s.assertion != nil:
		return s.assertion.AccountID
	case s.exchanged != nil:
		return s.exchanged.subject.UserID
	case s.introduced != nil:
		return s.introduced.grant.UserID
	}
	return ""
}

// noPerson reports whether it is a service account that is behind them.
func (s *session) noPerson() bool {
	return s.assertion != nil || s.exchanged != nil && s.exchanged.subject.ServiceAccount()
}

func (s *session) IDTokenClaims() *jwt.IDTokenClaims { return s.claims }
func (s *session) IDTokenHeaders() *jwt.Headers      { return s.headers }
func (s *session) GetUsername() string               { return "" }
func (s *session) GetSubject() string                { return s.claims.Subject }

func (s *session) SetExpiresAt(key fosite.TokenType, at time.Time) { s.expires[key] = at }
func (s *session) GetExpiresAt(key fosite.TokenType) time.Time     { return s.expires[key] }

// Clone returns the session itself: it lives for one request, and the
// framework's wish for a copy comes from sessions that outlive one.
func (s *session) Clone() fosite.Session { return s }
