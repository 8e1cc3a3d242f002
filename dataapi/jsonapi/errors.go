package jsonapi

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

// errorObject is one failure. Status is text, as the format has it; Meta is the
// fault's facts.
type errorObject struct {
	ID     string            `json:"id"`
	Status string            `json:"status"`
	Code   string            `json:"code"`
	Title  string            `json:"title"`
	Detail string            `json:"detail,omitempty"`
	Source *source           `json:"source,omitempty"`
	Meta   map[string]string `json:"meta,omitempty"`
}

// source is what a failure is about: one of the three. The pointer to the whole
// document is empty.
type source struct {
	Pointer   *string `json:"pointer,omitempty"`
	Parameter string  `json:"parameter,omitempty"`
	Header    string  `json:"header,omitempty"`
}

// answer is the title and, for faults without a reason, the code of a failure.
type answer struct {
	title string
	code  string
}

// byKind maps every kind of fault (S2 section 7, decision J13).
var byKind = map[fault.Kind]answer{
	fault.Internal:           {"Server error", "SERVER_ERROR"},
	fault.Invalid:            {"One or more input values are bad", "BAD_INPUT"},
	fault.Unauthenticated:    {"Unauthorized", "INVALID_TOKEN"},
	fault.Forbidden:          {"Forbidden", "FORBIDDEN"},
	fault.NotFound:           {"Not found", "NOT_FOUND"},
	fault.MethodNotAllowed:   {"Method not allowed", "METHOD_NOT_ALLOWED"},
	fault.NotAcceptable:      {"Not acceptable", "NOT_ACCEPTABLE"},
	fault.Conflict:           {"Conflict", "CONFLICT"},
	fault.Gone:               {"Gone", "GONE"},
	fault.PreconditionFailed: {"Precondition failed", "PRECONDITION_FAILED"},
	fault.TooLarge:           {"Too large", "TOO_LARGE"},
	fault.UnsupportedMedia:   {"Unsupported media type", "UNSUPPORTED_MEDIA_TYPE"},
	fault.Locked:             {"Locked", "LOCKED"},
	fault.TooMany:            {"Too many requests", "TOO_MANY_REQUESTS"},
	fault.Unavailable:        {"Unavailable", "UNAVAILABLE"},
}

const (
	// invalidToken is what existing clients look for before they get a new
	// token (decision J2).
	invalidToken = "Access token provided is invalid or expired."

	reasonScope = "insufficient_scope" // of a fault whose source is for the challenge
)

// WriteError writes a failure, or each entry of a fault.List, as a document. It
// implements httpio.ErrorWriter.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	faults := fault.All(err)
	first := faults[0]
	httpio.SetBearerFailure(w.Header(), r, first)
	e := envelope{JSONAPI: version{Version}}
	id := httpio.From(r.Context()).RequestID
	for i, f := range faults {
		object := newErrorObject(r, f)
		object.ID = id
		if i > 0 {
			object.ID += "." + strconv.Itoa(i+1)
		}
		e.Errors = append(e.Errors, object)
	}
	body, err := Marshal(e)
	if err != nil {
		body = nil // can't be: an error object is text
	}
	Write(w, r, httpio.Status(first.Kind), body)
}

func newErrorObject(r *http.Request, f *fault.Error) errorObject {
	to := byKind[f.Kind]
	object := errorObject{
		Status: strconv.Itoa(httpio.Status(f.Kind)), Title: to.title, Code: to.code, Detail: f.Detail,
		Source: sourceOf(r, f), Meta: f.Facts,
	}
	if f.Reason != "" && f.Kind != fault.Internal {
		object.Code = strings.ToUpper(f.Reason)
	}
	switch f.Kind {
	case fault.Internal:
		object.Detail, object.Source, object.Meta = httpio.OursDetail, nil, nil
	case fault.Unauthenticated:
		object.Detail = invalidToken
	}
	return object
}

// sourceOf tells pointers, headers and parameters apart: what stands in the query
// is a parameter, anything else is told by how it is written. The source of a
// missing scope is for the challenge.
func sourceOf(r *http.Request, f *fault.Error) *source {
	switch {
	case f.Facts[factMissing] != "":
		return &source{Pointer: &f.Source}
	case f.Source == "" || f.Reason == reasonScope || f.Kind == fault.Unauthenticated:
		return nil
	case r.URL.Query().Has(f.Source):
		return &source{Parameter: f.Source}
	case f.Source[0] == '/':
		return &source{Pointer: &f.Source}
	case f.Source[0] >= 'A' && f.Source[0] <= 'Z':
		return &source{Header: f.Source}
	}
	return &source{Parameter: f.Source}
}
