package bearer

import (
	"context"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/clientcert"
	"github.com/portico-id/portico/internal/httpio"
)

const parameter = "access_token" // RFC 6750, 2.2 and 2.3

// presented is a token as a request brings it; empty: none.
type presented struct {
	token string
	proof bool // by the scheme that says that a proof is with it (RFC 9449, 7.1)
}

// Authenticate returns who makes the request, by its Authorization header:
// "Bearer <token>", "DPoP <token>" with a proof beside it, or the bare token, which
// existing clients send to user info. A token in the URL is refused (Invalid,
// ReasonInvalidRequest), for URLs end up in logs. No token at all is Unauthenticated
// with ReasonMissingToken. The request's exchange learns the caller's client and user.
func (a *Authenticator) Authenticate(r *http.Request) (Caller, error) {
	if a.inside {
		return a.known(r)
	}
	given, err := fromHeader(r)
	if err != nil {
		return Caller{}, err
	}
	return a.admit(r, given)
}

// known is the caller of a request of our own.
func (a *Authenticator) known(r *http.Request) (Caller, error) {
	caller, let := From(r.Context())
	if !let {
		return Caller{}, fault.New(fault.Unauthenticated, ReasonMissingToken, "Nobody was let in.")
	}
	return caller, nil
}

// AuthenticateForm is Authenticate that also takes the token from the field
// access_token of a POSTed form (RFC 6750, 2.2). Header and field together are
// Invalid. It reads the body into r.PostForm.
func (a *Authenticator) AuthenticateForm(w http.ResponseWriter, r *http.Request) (Caller, error) {
	given, err := fromHeader(r)
	if err != nil {
		return Caller{}, err
	}
	field, err := fromForm(w, r)
	if err != nil {
		return Caller{}, err
	}
	if given.token != "" && field != "" {
		return Caller{}, invalidRequest(
			"The access token came both in the Authorization header and in the body; send it once.")
	}
	given.token += field
	return a.admit(r, given)
}

// Again is Authenticate for a request that was let in before and takes long: whether
// the token still stands, and its person was proven as they must be. Its proof has been
// used up.
func (a *Authenticator) Again(r *http.Request) (Caller, error) {
	given, err := fromHeader(r)
	if err != nil {
		return Caller{}, err
	}
	caller, err := a.Check(r.Context(), given.token)
	if err == nil {
		err = a.Proven(r.Context(), caller)
	}
	return caller, err
}

func (a *Authenticator) admit(r *http.Request, given presented) (Caller, error) {
	if given.token == "" {
		return Caller{}, fault.New(fault.Unauthenticated, ReasonMissingToken,
			"An access token is needed: Authorization: Bearer <token>.")
	}
	caller, err := a.Check(r.Context(), given.token)
	if err == nil {
		err = a.possesses(r, given, caller)
	}
	if err == nil {
		err = a.Proven(r.Context(), caller)
	}
	if err != nil {
		return Caller{}, err
	}
	exchange := httpio.From(r.Context())
	exchange.ClientID, exchange.UserID, exchange.NoPerson = caller.ClientID, caller.UserID, caller.ServiceAccount()
	return caller, nil
}

// Proven refuses a person who was proven more weakly, or longer ago, than the resource
// demands: a programme can mend that by having them sign in (RFC 9470, 3). Whoever is
// no person can't.
func (a *Authenticator) Proven(ctx context.Context, caller Caller) error {
	if a.resources == nil || caller.GrantID == "" {
		return nil
	}
	acr, maxAge, since, err := a.resources.Demanded(ctx, a.audience)
	// Counted both ways: the clock by which they signed in may have been ahead.
	fresh := maxAge == 0 || caller.AuthTime.Sub(since.Add(maxAge)).Abs() <= maxAge
	if err != nil || acr <= caller.ACR && fresh { // they are in the order of their strength
		return err
	}
	var said []string
	if acr != "" {
		said = append(said, `acr_values="`+acr+`"`)
	}
	if maxAge > 0 {
		said = append(said, `max_age="`+strconv.Itoa(int(maxAge.Seconds()))+`"`)
	}
	return fault.New(fault.Unauthenticated, ReasonWeakSignIn,
		"The person has to sign in again, or more strongly, for this.").At(strings.Join(said, ", "))
}

// possesses returns nil where the token is bound to nothing, or the request proves
// that it comes from who has what the token is bound to. Neither is passed off as the
// other: a bound token doesn't count without its proof, nor one that is not bound with
// a proof of anything.
func (a *Authenticator) possesses(r *http.Request, given presented, caller Caller) error {
	bound := caller.Bound
	switch {
	case bound.Certificate != "" && clientcert.Shown(httpio.From(r.Context()).Certificates) != bound.Certificate:
		return invalidToken("bound to a certificate that did not come")
	case given.proof != (bound.Key != ""):
		return invalidToken("bound to a key and no proof, or the other way round")
	case !given.proof:
		return nil
	case a.proofs == nil:
		return invalidToken("nobody judges proofs here")
	}
	thumbprint, err := a.proofs.Judge(r, given.token, a.algorithms(caller.Profile)...)
	if fault.Is(err, fault.Invalid) {
		refused := *fault.From(err)
		refused.Kind = fault.Unauthenticated
		return &refused
	}
	if err == nil && thumbprint != bound.Key {
		return invalidToken("the proof is of another key")
	}
	return err
}

// fromHeader returns the token of the Authorization header, none when there is none.
func fromHeader(r *http.Request) (presented, error) {
	if r.URL.RawQuery != "" && r.URL.Query().Has(parameter) {
		return presented{}, invalidRequest("An access token is not taken from the URL; send it in the Authorization header.")
	}
	headers := r.Header.Values("Authorization")
	if len(headers) > 1 {
		return presented{}, invalidRequest("There is more than one Authorization header.")
	}
	if len(headers) == 0 {
		return presented{}, nil
	}
	return tokenOf(strings.TrimSpace(headers[0]))
}

// tokenOf returns the token of a header's value, none when the value is of
// another scheme: then nothing was offered that we understand.
func tokenOf(value string) (presented, error) {
	scheme, token, found := strings.Cut(value, " ")
	if !found && strings.Count(value, ".") == 2 {
		return presented{token: value}, nil
	}
	proof := strings.EqualFold(scheme, "DPoP")
	if !proof && !strings.EqualFold(scheme, "Bearer") {
		return presented{}, nil
	}
	token = strings.TrimSpace(token)
	if token == "" || strings.ContainsAny(token, " \t") {
		return presented{}, invalidToken("malformed Authorization header")
	}
	return presented{token, proof}, nil
}

// fromForm returns the field access_token of a POSTed form, "" when there is
// none. The form is read as strictly as everywhere.
func fromForm(w http.ResponseWriter, r *http.Request) (string, error) {
	mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if r.Method != http.MethodPost || mediaType != "application/x-www-form-urlencoded" {
		return "", nil
	}
	form, err := httpio.ReadForm(w, r)
	return form.Get(parameter), err
}

func invalidRequest(detail string) error {
	return fault.New(fault.Invalid, ReasonInvalidRequest, detail)
}
