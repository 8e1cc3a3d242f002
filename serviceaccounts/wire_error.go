package serviceaccounts

import (
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/httpio"
)

// errorBody is a failure as S1 2.12 words it.
type errorBody struct {
	Title  string `json:"title"`
	Detail string `json:"detail"`
}

// answer is the status and title of a failure.
type answer struct {
	status int
	title  string
}

// byKind maps every kind of fault (S1 7.1).
var byKind = map[fault.Kind]answer{
	fault.Internal:           {http.StatusInternalServerError, ""}, // has no body
	fault.Invalid:            {http.StatusBadRequest, "invalid_request"},
	fault.Unauthenticated:    {http.StatusUnauthorized, "unauthorized"},
	fault.Forbidden:          {http.StatusForbidden, "forbidden"},
	fault.NotFound:           {http.StatusNotFound, "not_found"},
	fault.MethodNotAllowed:   {http.StatusMethodNotAllowed, "method_not_allowed"},
	fault.NotAcceptable:      {http.StatusNotAcceptable, "not_acceptable"},
	fault.Conflict:           {http.StatusBadRequest, "invalid_request"}, // a taken name, a state that forbids it
	fault.Gone:               {http.StatusGone, "gone"},
	fault.PreconditionFailed: {http.StatusPreconditionFailed, "precondition_failed"},
	fault.TooLarge:           {http.StatusRequestEntityTooLarge, "invalid_request"},
	fault.UnsupportedMedia:   {http.StatusUnsupportedMediaType, "invalid_request"},
	fault.Locked:             {http.StatusLocked, "locked"},
	fault.TooMany:            {http.StatusTooManyRequests, "too_many_requests"},
	fault.Unavailable:        {http.StatusServiceUnavailable, "unavailable"},
}

// byReason are the faults whose reason is their title, whatever their kind.
var byReason = map[string]answer{
	ReasonInvalidClient:            {http.StatusForbidden, ReasonInvalidClient},
	ReasonLimitExceeded:            {http.StatusForbidden, ReasonLimitExceeded},
	bearer.ReasonInsufficientScope: {http.StatusForbidden, bearer.ReasonInsufficientScope}, // decision SA4
}

func answerFor(f *fault.Error) answer {
	if own, ok := byReason[f.Reason]; ok {
		return own
	}
	return byKind[f.Kind]
}

// WriteError writes a failure of the operations. It implements
// httpio.ErrorWriter.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.From(err)
	to := answerFor(f)
	httpio.SetBearerFailure(w.Header(), r, f)
	if to.status == http.StatusInternalServerError {
		w.WriteHeader(to.status) // decision T11
		return
	}
	httpio.WriteJSON(w, to.status, jsonType, errorBody{to.title, f.Detail})
}
