// Package clientprofile owns every difference between the rule books a client can
// be held to, and what follows from a client's type.
//
// The profile "platform" is the token specification (S1) to the letter,
// "standard" is plain OAuth 2 and OpenID Connect for relying parties that know
// nothing of S1 (decision C2), "fapi" is that under the FAPI 2.0 Security Profile, for
// what is worth an attack, and "fapi-signed" under FAPI 2.0 Message Signing too. No other code may ask which of them a
// client
// has: it asks Profile for the rule. Where they agree, the rule is not here.
//
// Everything is pure. Faults carry the OAuth error code as their reason, the
// parameter as their source, and a detail of the characters RFC 6749 section
// 4.1.2.1 allows in error_description.
package clientprofile

import (
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// Profile is one of the rule books. The zero value is platform.
type Profile struct {
	standard bool
	fapi     bool // and standard
	signing  bool // and fapi: requests and answers are signed
}

// Of returns the profile of the client; a name it does not know is platform.
func Of(client storage.Client) Profile {
	signing := client.Profile == storage.ProfileFAPISigned
	fapi := signing || client.Profile == storage.ProfileFAPI
	return Profile{standard: fapi || client.Profile == storage.ProfileStandard, fapi: fapi, signing: signing}
}

// Names returns the names a client can be registered with, the default first.
func Names() []string {
	return []string{storage.ProfilePlatform, storage.ProfileStandard, storage.ProfileFAPI, storage.ProfileFAPISigned}
}

// CheckState judges the state parameter. An absent one is fine. Platform:
// letters, digits, comma, period, underscore and hyphen (S1 section 4.1);
// standard: every printable ASCII character (RFC 6749 appendix A.5).
func (p Profile) CheckState(state string) error {
	for i := range len(state) {
		switch c := state[i]; {
		case p.standard && (c < ' ' || c > '~'):
			return invalid("state", "The state may only have printable ASCII characters.")
		case !p.standard && !alphanumeric(c) && strings.IndexByte(",._-", c) < 0:
			return invalid("state", "The state may only have letters, digits, commas, periods, underscores and hyphens.")
		}
	}
	return nil
}

// TokenTypeHintRequired reports whether a revocation must say which sort of
// token it brings: S1 wants it, RFC 7009 section 2.1 leaves it open.
func (p Profile) TokenTypeHintRequired() bool { return !p.standard }

// NonceRequired reports whether an authorize request of the response type
// needs a nonce: OpenID Connect Core sections 3.2.2.1 and 3.3.2.11 want one
// wherever an ID token comes back through the browser, S1 never does.
func (p Profile) NonceRequired(responseType string) bool {
	return p.standard && hasIDToken(responseType)
}

// CheckChallengeMethod refuses a code_challenge whose code_challenge_method parameter
// is as given, empty when absent. Absent it is S256 under platform, the only value that S1
// has. Under standard RFC 7636 section 4.3 would make it plain, which nobody may use (RFC
// 9700 section 2.1.1), so there is no default.
func (p Profile) CheckChallengeMethod(given string) error {
	switch {
	case given == "" && p.standard:
		return invalid("code_challenge_method", "A code_challenge needs code_challenge_method=S256 beside it.")
	case given != "" && given != MethodS256:
		return invalid("code_challenge_method", "The code_challenge_method must be S256.")
	}
	return nil
}

// FilterScopes returns those of the requested scopes the client may have, in
// their order. A scope that is unknown or not registered for the client is an
// Invalid invalid_scope under platform, and dropped under standard (RFC 6749
// section 3.3); if nothing is left of a request, that is invalid_scope too.
func (p Profile) FilterScopes(requested, registered []string) ([]string, error) {
	var allowed []string
	for _, name := range requested {
		switch {
		case scope.Registered(registered, name) && (scope.Known(name) || slices.Contains(registered, name)):
			allowed = append(allowed, name)
		case p.standard:
		case !scope.Known(name):
			return nil, invalidScope("There is no scope %s.", printable(name))
		default:
			return nil, invalidScope("This client is not registered for the scope %s.", name)
		}
	}
	if len(requested) > 0 && len(allowed) == 0 {
		return nil, invalidScope("This client is registered for none of the requested scopes.")
	}
	return allowed, nil
}

// UnknownGrantReason returns the OAuth error code for a grant_type that does
// not exist: S1 section 7.2 says invalid_request, RFC 6749 section 5.2
// unsupported_grant_type.
func (p Profile) UnknownGrantReason() string {
	if p.standard {
		return "unsupported_grant_type"
	}
	return "invalid_request"
}

// BasicMayJustName reports whether HTTP Basic with an empty password names a
// public client (RFC 6749 sections 2.3.1 and 3.2.1), and whether the same
// client_id may stand in the body beside Basic. S1 has neither.
func (p Profile) BasicMayJustName() bool { return p.standard }

// AlwaysTellsScope reports whether every token answer says its scope. RFC 6749
// section 5.1 leaves it out where it is the one asked for, as S1 does, but some
// libraries take its absence for no scope at all.
func (p Profile) AlwaysTellsScope() bool { return p.standard }

// UserInfoNeedsOpenID reports whether user info wants the scope openid
// (decision U1).
func (p Profile) UserInfoNeedsOpenID() bool { return p.standard }

// RS256 is what tokens are signed with unless a client is registered for another
// algorithm.
const RS256 = "RS256"

// SigningAlgorithms returns what the tokens of a client can be signed with, the
// default first. S1 has RS256 alone.
func (p Profile) SigningAlgorithms() []string {
	switch {
	case p.fapi:
		return []string{"ES256", "PS256", "EdDSA"}
	case p.standard:
		return []string{RS256, "ES256", "PS256", "EdDSA"}
	}
	return []string{RS256}
}

// MayProveByKey reports whether a client may prove itself by what it signs. S1 knows
// secrets alone.
func (p Profile) MayProveByKey() bool { return p.standard }

// AssertionAlgorithms returns what clients may sign with to prove themselves.
func AssertionAlgorithms() []string { return []string{"PS256", "ES256", "EdDSA", RS256} }

// AssertionAlgorithms returns what a client of the profile may sign with. FAPI 2.0
// section 5.4.1 leaves RS256 out.
func (p Profile) AssertionAlgorithms() []string {
	if p.fapi {
		return p.SigningAlgorithms()
	}
	return AssertionAlgorithms()
}

// ProofAlgorithms returns what a client of the profile with the name signs proofs of
// possession with: what it signs to prove itself with.
func ProofAlgorithms(profile string) []string {
	return Of(storage.Client{Profile: profile}).AssertionAlgorithms()
}

// MayBind reports whether tokens of a client can be bound to a key or a certificate.
// S1 knows neither, so nothing of what would bind them is looked at.
func (p Profile) MayBind() bool { return p.standard }

// TakesResources reports whether a client may name what its tokens are for (RFC 8707). S1
// has nothing of it.
func (p Profile) TakesResources() bool { return p.standard }

// MayLeaveOut reports whether a token request may leave out the parameter that S1 has:
// OAuth 2.1 has no redirect_uri there, for a challenge binds the code as well.
func (p Profile) MayLeaveOut(parameter string) bool { return p.standard && parameter == "redirect_uri" }

// TellsSignIn reports whether access tokens say how strongly the person was proven, and
// when (RFC 9470, 6). S1 has no such claims.
func (p Profile) TellsSignIn() bool { return p.standard }

// ServesDevices reports whether the client may ask people from devices without a
// browser (RFC 8628): it was given that, and can keep what they allow. S1 has nothing
// of it, and FAPI no place for it.
func ServesDevices(c storage.Client) bool {
	p := Of(c)
	return c.Devices && p.standard && !p.fapi && (c.Type == storage.ClientNative || c.Type == storage.ClientWeb)
}

// TakesPushed reports whether a client may push its requests (RFC 9126). S1 has
// nothing of it.
func (p Profile) TakesPushed() bool { return p.standard }

// TakesSigned reports whether a client may sign its requests (RFC 9101), and have
// answers signed (JARM, RFC 9701). S1 has nothing of it.
func (p Profile) TakesSigned() bool { return p.standard }

// PushedOnly reports whether requests count only when they were pushed.
func (p Profile) PushedOnly() bool { return p.fapi }

// GrantLifetime returns how long the refresh tokens of one grant go on, of the
// two that are configured.
func (p Profile) GrantLifetime(standard, platform time.Duration) time.Duration {
	if p.standard {
		return standard
	}
	return platform
}

// LogoutNeedsHint reports whether a registered post_logout_redirect_uri is
// followed only beside an id_token_hint or client_id (decision L2).
func (p Profile) LogoutNeedsHint() bool { return p.standard }

func alphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// printable keeps what error_description may hold. Scopes that come through
// scope.Parse are such already.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '?'
		}
		return r
	}, s)
}

func invalid(source, detail string) error {
	return fault.New(fault.Invalid, "invalid_request", detail).At(source)
}

func invalidScope(format string, args ...any) error {
	return fault.Newf(fault.Invalid, scope.Reason, format, args...).At("scope")
}

func hasIDToken(responseType string) bool {
	return slices.Contains(strings.Fields(responseType), "id_token")
}
