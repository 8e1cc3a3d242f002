// Package fault is the one error vocabulary of the program.
//
// Rules and storage speak in Kinds; only the wire files at the edge (one per
// response format) know which status and which words a Kind becomes. A table
// test per format walks over Kinds(), so a new Kind fails until it is mapped.
package fault

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"syscall"
	"time"
)

// Kind says what went wrong, in the terms of whoever asked.
type Kind int

// The kinds. Internal is the zero value, so an error nobody classified is one.
const (
	Internal           Kind = iota // our own failure; details are for the log only
	Invalid                        // the request is malformed or breaks a rule
	Unauthenticated                // who is asking could not be proven
	Forbidden                      // known, but not allowed
	NotFound                       // absent, or not for this caller to know about
	MethodNotAllowed               // the resource has no such operation
	NotAcceptable                  // none of the wanted answer formats exists
	Conflict                       // clashes with what is already there
	Gone                           // was there once: spent, expired, revoked
	PreconditionFailed             // the caller's If-Match no longer holds
	TooLarge                       // beyond a size limit
	UnsupportedMedia               // the body's media type is not understood
	Locked                         // held by somebody else for now
	TooMany                        // over a rate or a count limit
	Unavailable                    // a part we need is down; worth trying again
	kindCount
)

var kindNames = [kindCount]string{
	"internal", "invalid", "unauthenticated", "forbidden", "not found",
	"method not allowed", "not acceptable", "conflict", "gone",
	"precondition failed", "too large", "unsupported media", "locked",
	"too many", "unavailable",
}

// String returns the kind in plain words.
func (k Kind) String() string {
	if k < 0 || k >= kindCount {
		return fmt.Sprintf("kind(%d)", int(k))
	}
	return kindNames[k]
}

// Kinds returns every kind, for the tables that must map each of them.
func Kinds() []Kind {
	all := make([]Kind, kindCount)
	for i := range all {
		all[i] = Kind(i)
	}
	return all
}

// Error is a failure with a kind. Detail is written for the person who reads
// the answer; the cause is for the log and never leaves the server.
type Error struct {
	Kind   Kind
	Reason string // stable machine word such as "email_taken"; may be empty
	Detail string // one sentence for people: what is wrong and what to do
	Source string // the parameter, header or JSON pointer at fault; may be empty

	RetryAfter time.Duration // for Locked, TooMany and Unavailable; 0 = unknown

	// Facts are more about it for machines, by name. Formats that have room
	// for them show them.
	Facts map[string]string

	// Format and Values are what Newf made Detail of: pages say it in other
	// languages. Without values Format is empty.
	Format string
	Values []any
	cause  error
}

// New returns an error of the kind.
func New(kind Kind, reason, detail string) *Error {
	return &Error{Kind: kind, Reason: reason, Detail: detail}
}

// Newf is New with a formatted detail.
func Newf(kind Kind, reason, format string, args ...any) *Error {
	e := New(kind, reason, fmt.Sprintf(format, args...))
	e.Format, e.Values = format, args
	return e
}

// Absent is the NotFound error for a thing of the kind, such as "folder".
func Absent(what string) *Error {
	return Newf(NotFound, what+"_not_found", "There is no such %s.", what)
}

// OrAbsent gives a NotFound error, such as a store's, the words of Absent. It
// returns every other error as it is.
func OrAbsent(err error, what string) error {
	if Is(err, NotFound) {
		return Absent(what)
	}
	return err
}

// Because returns a copy of e with the cause attached.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// At returns a copy of e that names the parameter, header or pointer at fault.
func (e *Error) At(source string) *Error {
	c := *e
	c.Source = source
	return &c
}

// Retold returns a copy of e of another kind, for another reason: what it says stays.
func (e *Error) Retold(kind Kind, reason string) *Error {
	c := *e
	c.Kind, c.Reason = kind, reason
	return &c
}

// After returns a copy of e that says when trying again makes sense.
func (e *Error) After(d time.Duration) *Error {
	c := *e
	c.RetryAfter = d
	return &c
}

// With returns a copy of e with one more fact.
func (e *Error) With(name, value string) *Error {
	c := *e
	c.Facts = maps.Clone(e.Facts)
	if c.Facts == nil {
		c.Facts = map[string]string{}
	}
	c.Facts[name] = value
	return &c
}

// Error returns kind, reason, detail and cause, for the log.
func (e *Error) Error() string {
	s := e.Kind.String()
	for _, part := range []string{e.Reason, e.Detail} {
		if part != "" {
			s += ": " + part
		}
	}
	if e.cause != nil {
		s += ": " + e.cause.Error()
	}
	return s
}

// Told returns what an error says to people: without the kind and the reason of the fault in it.
func Told(err error) string {
	var e *Error
	if !errors.As(err, &e) || e.Detail == "" {
		return err.Error()
	}
	said := e.Detail
	if e.cause != nil {
		said = strings.TrimSuffix(said, ".") + ": " + Told(e.cause)
	}
	return strings.Replace(err.Error(), e.Error(), said, 1)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// From returns the first *Error in err's chain, or one around err: Unavailable
// when something ran out that may be there again in a moment, else Internal.
// From(nil) is nil.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Kind: kindOf(err), cause: err}
}

// kindOf judges an error that nobody gave a kind. What ran out, time, room or
// descriptors, may be there again in a moment; all else is our failure.
func kindOf(err error) Kind {
	for _, gone := range []error{
		context.Canceled, context.DeadlineExceeded, syscall.EMFILE, syscall.ENFILE, syscall.ENOSPC, syscall.EDQUOT,
	} {
		if errors.Is(err, gone) {
			return Unavailable
		}
	}
	return Internal
}

// Is reports whether err is, or wraps, an error of the kind. A nil error is of
// no kind.
func Is(err error, kind Kind) bool {
	e := From(err)
	return e != nil && e.Kind == kind
}

// HasReason reports whether err is, or wraps, an error with the reason.
func HasReason(err error, reason string) bool {
	e := From(err)
	return e != nil && e.Reason == reason
}

// Cause is the word of the code for why something failed, for who counts or follows it:
// the reason of its fault, else the kind.
func Cause(err error) string {
	switch f := From(err); {
	case f == nil:
		return ""
	case f.Reason != "":
		return f.Reason
	default:
		return f.Kind.String()
	}
}
