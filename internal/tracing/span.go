package tracing

import (
	"cmp"
	"context"
	"encoding/hex"
	"time"
)

// The kinds of spans, as OTLP numbers them.
const (
	internal = 1
	server   = 2
	client   = 3
)

// Span is one part of what a trace tells. Its methods are for the goroutine that began
// it, until End; on nil they do nothing.
type Span struct {
	tracer       *Tracer
	trace        [16]byte
	id, parent   [8]byte // no parent: zero
	sampled      bool
	kind         int
	name         string
	began, ended time.Time
	attributes   []attribute
	failed       bool
}

// attribute is one of the words or numbers of the code about a span.
type attribute struct {
	key, value string
	number     int // where value is empty
}

type spanKey struct{}

// From returns the span that is under way; nil: there is none.
func From(ctx context.Context) *Span {
	s, _ := ctx.Value(spanKey{}).(*Span)
	return s
}

// Child begins a call to somebody else as a part of what is under way; nil when that is
// not followed.
func Child(ctx context.Context) *Span {
	within := From(ctx)
	if !within.Sampled() {
		return nil
	}
	t := within.tracer
	return &Span{tracer: t, trace: within.trace, id: [8]byte(t.source.Bytes(8)), parent: within.id, sampled: true,
		kind: client, began: t.source.Now()}
}

// Sampled reports whether the span is kept, and not just handed on.
func (s *Span) Sampled() bool { return s != nil && s.sampled }

// TraceID names the trace in log lines; empty: there is none.
func (s *Span) TraceID() string {
	if s == nil {
		return ""
	}
	return hex.EncodeToString(s.trace[:])
}

// Traceparent is what whoever is called next is told; empty: nothing.
func (s *Span) Traceparent() string {
	switch {
	case s == nil:
		return ""
	case !s.sampled:
		return "00-" + s.TraceID() + "-" + hex.EncodeToString(s.parent[:]) + "-00"
	}
	return "00-" + s.TraceID() + "-" + hex.EncodeToString(s.id[:]) + "-01"
}

// Name says what the span is, in words of the code alone.
func (s *Span) Name(what, which string) {
	if s == nil {
		return
	}
	s.name = what
	if which != "" {
		s.name += " " + which
	}
}

// Set adds an attribute with a word of the code; an empty one is none.
func (s *Span) Set(key, value string) {
	if s != nil && value != "" {
		s.attributes = append(s.attributes, attribute{key: key, value: value})
	}
}

// SetNumber adds an attribute with a number.
func (s *Span) SetNumber(key string, n int) {
	if s != nil {
		s.attributes = append(s.attributes, attribute{key: key, number: n})
	}
}

// Fail says that it was in vain, and for what cause.
func (s *Span) Fail(cause string) {
	if s != nil {
		s.failed = true
		s.Set("error.type", cause)
	}
}

// End ends the span. Of an error it keeps the cause, never the text, which may quote
// what somebody sent.
func (s *Span) End(err error) {
	if !s.Sampled() {
		return
	}
	if err != nil && !s.failed {
		s.Fail(cmp.Or(s.tracer.cause(err), "_OTHER")) // as the conventions of OpenTelemetry call it
	}
	s.ended = later(s.began, s.tracer.source.Now())
	s.tracer.offer(s)
}
