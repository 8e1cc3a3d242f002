package clientprofile

import (
	"net/http"
	"time"
)

// What FAPI 2.0 asks of a client beyond the standard, each by its section of the
// Security Profile.

// ConfidentialOnly reports whether a client has to be able to keep a key to itself
// (5.3.2.1).
func (p Profile) ConfidentialOnly() bool { return p.fapi }

// MayProveBySecret reports whether a client may prove itself by what others can
// read on the way (5.3.2.1).
func (p Profile) MayProveBySecret() bool { return !p.fapi }

// BoundOnly reports whether a client gets no access tokens but those that are bound
// to a key or a certificate of its own (5.3.2.1).
func (p Profile) BoundOnly() bool { return p.fapi }

// MayNameTokenEndpoint reports whether what a client signs may be for the token
// endpoint instead of the issuer, as older libraries have it.
func (p Profile) MayNameTokenEndpoint() bool { return !p.fapi }

// AudienceIsText reports whether the aud of what a client signs to prove itself has
// to be a string, and no list of one (5.3.2.1).
func (p Profile) AudienceIsText() bool { return p.fapi }

// CodeOnly reports whether nothing but a code comes back from authorize (5.3.2.2).
func (p Profile) CodeOnly() bool { return p.fapi }

// NeedsPKCE reports whether every code needs a challenge (5.3.2.2).
func (p Profile) NeedsPKCE() bool { return p.fapi }

// RedirectsByHTTPS reports whether answers go to https addresses alone (5.3.2.2).
func (p Profile) RedirectsByHTTPS() bool { return p.fapi }

// CodeLifetime returns how long codes live, of the time that is configured: a minute
// at most (5.3.2.1).
func (p Profile) CodeLifetime(configured time.Duration) time.Duration {
	if p.fapi {
		return min(configured, time.Minute)
	}
	return configured
}

// RotatesRefresh reports whether each use of a refresh token gives another one. One
// that is bound to its client needs no rotation, and a lost answer then loses
// nothing (5.3.2.1).
func (p Profile) RotatesRefresh() bool { return !p.fapi }

// RedirectStatus returns the status of a redirect that answers the method: 302 for
// GET and 303 for a form, so that the form is not sent on (RFC 9700 section 4.12),
// and always 303 where that is advised (5.3.2.2).
func (p Profile) RedirectStatus(method string) int {
	if method == http.MethodPost || p.fapi {
		return http.StatusSeeOther
	}
	return http.StatusFound
}

// SignedOnly reports whether requests count only when they are signed, and answers
// are signed in any case (FAPI 2.0 Message Signing 5.3 and 5.4).
func (p Profile) SignedOnly() bool { return p.signing }

// NeedsNotBefore reports whether a signed request says from when on it counts, and
// counts for an hour from then (FAPI 2.0 Message Signing 5.3.1).
func (p Profile) NeedsNotBefore() bool { return p.fapi }
