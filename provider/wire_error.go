package provider

import (
	"errors"
	"net/http"
	"time"

	"github.com/ory/fosite"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/gate/dpop"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/devices"
	"github.com/portico-id/portico/provider/resources"
)

// oauthError is a failure as OAuth words it: the body of RFC 6749 section 5.2
// with the status it goes out under.
type oauthError struct {
	Code        string `json:"error"`
	Description string `json:"error_description,omitempty"`

	status     int
	retryAfter time.Duration // 0: no header
}

// oauthKinds maps every kind of fault to its status and, for faults without an
// OAuth code of their own, to a code.
var oauthKinds = map[fault.Kind]oauthError{
	fault.Internal:           {status: http.StatusInternalServerError, Code: "server_error"},
	fault.Invalid:            {status: http.StatusBadRequest, Code: "invalid_request"},
	fault.Unauthenticated:    {status: http.StatusUnauthorized, Code: "invalid_client"},
	fault.Forbidden:          {status: http.StatusForbidden, Code: "access_denied"},
	fault.NotFound:           {status: http.StatusBadRequest, Code: "invalid_grant"},
	fault.MethodNotAllowed:   {status: http.StatusMethodNotAllowed, Code: "invalid_request"},
	fault.NotAcceptable:      {status: http.StatusNotAcceptable, Code: "invalid_request"},
	fault.Conflict:           {status: http.StatusBadRequest, Code: "invalid_request"},
	fault.Gone:               {status: http.StatusBadRequest, Code: "invalid_grant"},
	fault.PreconditionFailed: {status: http.StatusPreconditionFailed, Code: "invalid_request"},
	fault.TooLarge:           {status: http.StatusRequestEntityTooLarge, Code: "invalid_request"},
	fault.UnsupportedMedia:   {status: http.StatusUnsupportedMediaType, Code: "invalid_request"},
	fault.Locked:             {status: http.StatusLocked, Code: "temporarily_unavailable"},
	fault.TooMany:            {status: http.StatusTooManyRequests, Code: "temporarily_unavailable"},
	fault.Unavailable:        {status: http.StatusServiceUnavailable, Code: "temporarily_unavailable"},
}

// ownWords are reasons of faults that are OAuth codes as they stand. A reason
// outside of it ("spent", "email_taken") is for the log.
var ownWords = map[string]bool{
	"invalid_request": true, "invalid_client": true, "invalid_grant": true, "invalid_scope": true,
	"invalid_token": true, "insufficient_scope": true, "unauthorized_client": true,
	"unsupported_grant_type": true, "unsupported_response_type": true, "unsupported_token_type": true,
	"access_denied": true, "unmet_authentication_requirements": true, "login_required": true, "consent_required": true,
	"interaction_required":       true,
	"account_selection_required": true, "request_not_supported": true, "request_uri_not_supported": true,
	"registration_not_supported": true, "invalid_request_uri": true, "invalid_request_object": true,
	"invalid_credentials": true, resources.ReasonTarget: true, bearer.ReasonWeakSignIn: true, "server_error": true,
	"temporarily_unavailable": true, devices.ReasonPending: true, devices.ReasonSlowDown: true,
	devices.ReasonExpired: true, dpop.ReasonInvalid: true, dpop.ReasonUseNonce: true,
}

// toOAuth words an error for the wire. Our own faults win over what the
// framework wrapped around them; nothing of an internal error gets out.
func toOAuth(err error) oauthError {
	if own := new(fault.Error); errors.As(err, &own) {
		return faultToOAuth(own)
	}
	framework := new(fosite.RFC6749Error)
	if !errors.As(err, &framework) || framework.CodeField >= http.StatusInternalServerError {
		return oauthKinds[fault.Internal]
	}
	return oauthError{
		Code:        framework.ErrorField,
		Description: httpio.Description(framework.Reason()),
		status:      framework.CodeField,
	}
}

// asFault gives a refusal of the framework the kind that its status stands for:
// the log would take it for a failure of our own otherwise.
func asFault(err error) error {
	framework := new(fosite.RFC6749Error)
	if own := new(fault.Error); errors.As(err, &own) || !errors.As(err, &framework) {
		return err
	}
	switch framework.CodeField {
	case http.StatusBadRequest:
		return fault.New(fault.Invalid, framework.ErrorField, framework.Reason()).Because(err)
	case http.StatusUnauthorized:
		return fault.New(fault.Unauthenticated, framework.ErrorField, framework.Reason()).Because(err)
	}
	return err
}

func faultToOAuth(f *fault.Error) oauthError {
	answer := oauthKinds[f.Kind]
	if ownWords[f.Reason] {
		answer.Code = f.Reason
	}
	if f.Kind != fault.Internal {
		answer.Description = httpio.Description(f.Detail)
	}
	answer.retryAfter = f.RetryAfter
	return answer
}

// writeTokenError writes the failures of the token endpoint. The exchange of
// a service account's assertion has its own word for bad credentials (S1 7.2, decision T10).
func (p *Provider) writeTokenError(w http.ResponseWriter, r *http.Request, err error) {
	answer := toOAuth(err)
	if answer.Code == "invalid_client" && r.PostForm.Get("grant_type") == assertionGrant.name &&
		!vouches(r.PostForm.Get("assertion")) {
		answer.Code = "invalid_credentials"
	}
	p.writeOAuthError(w, r, answer)
}

// writeClientError writes the failures of revocation and introspection.
func (p *Provider) writeClientError(w http.ResponseWriter, r *http.Request, err error) {
	p.writeOAuthError(w, r, toOAuth(err))
}

// writeOAuthError writes the body, except for our own failures: those go out
// empty (decision T11).
func (p *Provider) writeOAuthError(w http.ResponseWriter, r *http.Request, answer oauthError) {
	noStore(w)
	httpio.SetRetryAfter(w.Header(), answer.retryAfter)
	if answer.status == http.StatusUnauthorized && r.Header.Get("Authorization") != "" {
		w.Header().Set("WWW-Authenticate", `Basic realm="portico", charset="UTF-8"`)
	}
	if answer.status == http.StatusInternalServerError {
		w.WriteHeader(answer.status)
		return
	}
	httpio.WriteJSON(w, answer.status, jsonType, answer)
}

// writeBearerError writes the failures of user info (RFC 6750 section 3). The
// challenge says why only when a token came at all.
func (p *Provider) writeBearerError(w http.ResponseWriter, r *http.Request, err error) {
	answer := toOAuth(err)
	f := fault.From(err)
	noStore(w)
	httpio.SetRetryAfter(w.Header(), answer.retryAfter)
	if answer.status == http.StatusInternalServerError {
		w.WriteHeader(answer.status)
		return
	}
	if f.Kind == fault.Unauthenticated {
		answer.Code = httpio.TokenError(f)
	}
	if f.Kind == fault.Unauthenticated || f.Kind == fault.Forbidden {
		httpio.Challenge(w.Header(), r, wrongToken(f, answer))
	}
	httpio.WriteJSON(w, answer.status, jsonType, answer)
}

func wrongToken(f *fault.Error, answer oauthError) string {
	wrong := httpio.WrongToken(f)
	if wrong == "" {
		return ""
	}
	return wrong + `, error_description="` + answer.Description + `"`
}
