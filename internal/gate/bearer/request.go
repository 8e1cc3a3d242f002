package bearer

import (
	"mime"
	"net/http"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

const parameter = "access_token" // RFC 6750, 2.2 and 2.3

// Authenticate returns who makes the request, by its Authorization header:
// "Bearer <token>", or the bare token, which existing clients send to user
// info. A token in the URL is refused (Invalid, ReasonInvalidRequest), for URLs
// end up in logs. No token at all is Unauthenticated with ReasonMissingToken.
// The request's exchange learns the caller's client and user.
func (a *Authenticator) Authenticate(r *http.Request) (Caller, error) {
	token, err := fromHeader(r)
	if err != nil {
		return Caller{}, err
	}
	return a.admit(r, token)
}

// AuthenticateForm is Authenticate that also takes the token from the field
// access_token of a POSTed form (RFC 6750, 2.2). Header and field together are
// Invalid. It reads the body into r.PostForm.
func (a *Authenticator) AuthenticateForm(w http.ResponseWriter, r *http.Request) (Caller, error) {
	token, err := fromHeader(r)
	if err != nil {
		return Caller{}, err
	}
	field, err := fromForm(w, r)
	if err != nil {
		return Caller{}, err
	}
	if token != "" && field != "" {
		return Caller{}, invalidRequest("The access token came both in the Authorization header and in the body; send it once.")
	}
	return a.admit(r, token+field)
}

func (a *Authenticator) admit(r *http.Request, token string) (Caller, error) {
	if token == "" {
		return Caller{}, fault.New(fault.Unauthenticated, ReasonMissingToken,
			"An access token is needed: Authorization: Bearer <token>.")
	}
	caller, err := a.Check(r.Context(), token)
	if err != nil {
		return Caller{}, err
	}
	exchange := httpio.From(r.Context())
	exchange.ClientID, exchange.UserID = caller.ClientID, caller.UserID
	return caller, nil
}

// fromHeader returns the token of the Authorization header, "" when there is
// none.
func fromHeader(r *http.Request) (string, error) {
	if r.URL.RawQuery != "" && r.URL.Query().Has(parameter) {
		return "", invalidRequest("An access token is not taken from the URL; send it in the Authorization header.")
	}
	headers := r.Header.Values("Authorization")
	if len(headers) > 1 {
		return "", invalidRequest("There is more than one Authorization header.")
	}
	if len(headers) == 0 {
		return "", nil
	}
	return tokenOf(strings.TrimSpace(headers[0]))
}

// tokenOf returns the token of a header's value, "" when the value is of
// another scheme: then nothing was offered that we understand.
func tokenOf(value string) (string, error) {
	scheme, token, found := strings.Cut(value, " ")
	if !found && strings.Count(value, ".") == 2 {
		return value, nil
	}
	if !strings.EqualFold(scheme, "Bearer") {
		return "", nil
	}
	token = strings.TrimSpace(token)
	if token == "" || strings.ContainsAny(token, " \t") {
		return "", invalidToken("malformed Authorization header")
	}
	return token, nil
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
