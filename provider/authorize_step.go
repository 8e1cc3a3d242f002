package provider

import (
	"slices"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/redirecturi"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// step is what an authorize request needs next.
type step int

const (
	stepIssue   step = iota // nothing: the answer can be given
	stepLogin               // somebody must sign in
	stepAgain               // they must do so again, as before anything grave
	stepConsent             // the person must allow it, or learn that the client is not for them
	stepResume              // the browser must come back with its cookies
)

// situation is all that the next step depends on, besides the request.
type situation struct {
	now        time.Time
	session    *websession.Session // nil: nobody is signed in
	met        bool                // the person signed in because of this very request
	barred     bool                // the client is for others than the person
	remembered []string            // scopes the person allowed the client before
	decided    bool                // this session answered this request's consent page
	allowed    bool                // and the answer was yes
}

// nextStep decides. The error is what the client is told instead.
func nextStep(a *authorizeRequest, s situation) (step, error) {
	if s.session == nil || a.wantsFreshSignIn(s) {
		if a.prompt("none") {
			return 0, fault.New(fault.Invalid, "login_required", "Nobody is signed in who could answer without a page.")
		}
		return stepLogin, nil
	}
	if !a.isAbout(s.session.UserID) {
		if a.prompt("none") || s.met {
			return 0, fault.New(fault.Invalid, "login_required", "Somebody else than the request is about is signed in.")
		}
		return stepLogin, nil
	}
	if a.tooWeak(s.session) {
		if a.prompt("none") {
			return 0, fault.New(fault.Invalid, "unmet_authentication_requirements",
				"The person has no second factor, and one is insisted on.")
		}
		return stepLogin, nil // where they add one
	}
	if s.decided && !s.allowed {
		return 0, fault.New(fault.Invalid, "access_denied", "The person did not allow it.")
	}
	if s.barred && a.prompt("none") {
		return 0, fault.New(fault.Forbidden, "access_denied", "The app is not for the person who is signed in.")
	}
	if !s.barred && a.wantsPresence(s.session, s.now) {
		if a.prompt("none") {
			return 0, fault.New(fault.Invalid, "login_required", "Who administers the server has to sign in again for this.")
		}
		return stepAgain, nil
	}
	if !s.barred && !a.wantsConsent(s) {
		return stepIssue, nil
	}
	if a.prompt("none") {
		return 0, fault.New(fault.Invalid, "consent_required", "The person has not allowed this yet.")
	}
	return stepConsent, nil
}

// tooWeak reports whether two factors are insisted on and the session is of one.
func (a *authorizeRequest) tooWeak(session *websession.Session) bool {
	return a.strong && session.ACR != storage.ACRTwoFactors
}

// wantsFreshSignIn reports whether the sign-in at hand is too old for the
// request. One that it led to is always fresh enough, or a max_age of 0 could
// never be met. Any other that happened meanwhile is not: the person may have
// meant it for another app, and the clocks of two replicas can't tell which came
// first.
func (a *authorizeRequest) wantsFreshSignIn(s situation) bool {
	if s.met {
		return false
	}
	if a.prompt("login") || a.prompt("select_account") {
		return true
	}
	return a.tooOld(s.session, s.now)
}

// tooOld counts both ways: by a clock that was ahead nothing is younger.
func (a *authorizeRequest) tooOld(session *websession.Session, now time.Time) bool {
	return a.maxAge >= 0 && now.Sub(session.AuthTime).Abs() > time.Duration(a.maxAge)*time.Second
}

// wantsPresence reports whether the client would administer the server for as long as it refreshes
// its tokens, by the word of somebody who may have gone away. A resource may call something of its
// own as that is called.
func (a *authorizeRequest) wantsPresence(session *websession.Session, now time.Time) bool {
	return session.User.Admin && !session.Recent(now) &&
		slices.ContainsFunc(a.resources.Consents(a.scopes), func(name string) bool {
			_, _, ofResource := scope.Of(name)
			return !ofResource && scope.NeedsAdministrator(name)
		})
}

// isAbout reports whether the request can be answered for the user: an
// id_token_hint or a claims parameter may name whom it is about.
func (a *authorizeRequest) isAbout(userID string) bool {
	return (a.hint == nil || a.hint.Subject == userID) && (len(a.subjects) == 0 || slices.Contains(a.subjects, userID))
}

// wantsConsent reports whether the person has yet to allow something. Their
// answer to this very request counts for what they were shown, which is what
// is remembered: a registration that has grown meanwhile is asked about again.
func (a *authorizeRequest) wantsConsent(s situation) bool {
	covered := scope.Within(a.wanted(), s.remembered)
	switch {
	case s.decided && covered:
		return false
	case a.prompt("consent"), a.couldBeAnyone():
		return true
	case a.takenOnTrust():
		return false
	}
	return !covered
}

// couldBeAnyone reports whether any program on the person's machine could pose
// as the client, or whoever writes its document: then nothing happens without the
// person (RFC 8252 section 8.6, decision C6).
func (a *authorizeRequest) couldBeAnyone() bool {
	return clientprofile.Described(a.client.Origin) || a.client.Type == storage.ClientNative &&
		redirecturi.IsLoopbackOrPrivate(a.redirectURI)
}

// takenOnTrust reports whether the person need not be asked about the client:
// it is first-party. The administration API is asked about all the same.
func (a *authorizeRequest) takenOnTrust() bool {
	return a.client.FirstParty && !a.couldBeAnyone() && !slices.ContainsFunc(a.scopes, scope.NeedsAdministrator)
}

// wanted is what the person is asked to allow.
func (a *authorizeRequest) wanted() []string {
	return scope.Union(a.resources.Consents(a.scopes), a.claimScopes)
}
