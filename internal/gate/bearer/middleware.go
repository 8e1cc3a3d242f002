package bearer

import (
	"net/http"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

// Middleware wraps a handler.
type Middleware func(http.Handler) http.Handler

// Require lets only requests through whose token carries all the scopes; none
// given: any valid token. Handlers find the caller with From. A missing scope
// is Forbidden with ReasonInsufficientScope; the fault's Source lists the
// scopes that are needed, for the scope attribute of WWW-Authenticate
// (RFC 6750, 3).
func (a *Authenticator) Require(writeError httpio.ErrorWriter, scopes ...string) Middleware {
	return guard(writeError, func(r *http.Request) (*http.Request, error) {
		caller, err := a.Authenticate(r)
		if err != nil {
			return nil, err
		}
		if err := caller.Need(scopes...); err != nil {
			return nil, err
		}
		return r.WithContext(With(r.Context(), caller)), nil
	})
}

// Need returns nil when the token carries all the scopes, else Forbidden with
// ReasonInsufficientScope.
func (c Caller) Need(scopes ...string) error {
	for _, scope := range scopes {
		if !c.Has(scope) {
			return fault.Newf(fault.Forbidden, ReasonInsufficientScope,
				"The access token lacks the scope %s.", scope).At(strings.Join(scopes, " "))
		}
	}
	return nil
}

// TwoLeggedOnly refuses callers with a user behind them: Unauthenticated with
// ReasonTwoLeggedRequired (S1 7.1 answers 401). It belongs inside Require.
func TwoLeggedOnly(writeError httpio.ErrorWriter) Middleware {
	return onlyIf(writeError, Caller.TwoLegged, fault.New(fault.Unauthenticated, ReasonTwoLeggedRequired,
		"This operation is for applications: use a token of the client_credentials grant."))
}

func onlyIf(writeError httpio.ErrorWriter, allowed func(Caller) bool, refusal error) Middleware {
	return guard(writeError, func(r *http.Request) (*http.Request, error) {
		caller, ok := From(r.Context())
		if !ok {
			return nil, fault.New(fault.Unauthenticated, ReasonMissingToken, "An access token is needed.")
		}
		if !allowed(caller) {
			return nil, refusal
		}
		return r, nil
	})
}

// guard passes on the request that check returns, or writes its error.
func guard(writeError httpio.ErrorWriter, check func(*http.Request) (*http.Request, error)) Middleware {
	return func(next http.Handler) http.Handler {
		return httpio.Handle(writeError, func(w http.ResponseWriter, r *http.Request) error {
			r, err := check(r)
			if err != nil {
				return err
			}
			next.ServeHTTP(w, r)
			return nil
		})
	}
}
