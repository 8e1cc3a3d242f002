// Package tracing tells a collector of OpenTelemetry what a request, or a round of work
// that comes again, was made of: the statements of the store and the calls to others,
// with the time that each took.
//
// One in so many is followed. Of the others nothing is made: who begins a part of what
// nobody follows gets nil, and everything may be said to a nil *Span. No span holds what
// somebody sent, and none names a person, an app or an address: names and attributes are
// those that the code has. Start at New and Child; export.go sends.
package tracing

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"log/slog"
	"time"
)

// Options are what New needs.
type Options struct {
	URL     string  // of the collector; empty: nothing is traced
	Share   float64 // of what nobody decided about before, 0 to 1, that is followed
	Version string  // of this server
	Source  Source
	Log     *slog.Logger

	// Cause is the word of the code for why something failed; empty: it has none.
	Cause func(error) string
}

// Source gives the time and randomness: *ambient.Source.
type Source interface {
	Now() time.Time
	Bytes(n int) []byte
}

// Tracer makes spans. It is safe for concurrent use; nil makes none.
type Tracer struct {
	source Source
	share  uint64 // of 2^53
	cause  func(error) string
	*exporter
}

// New returns a tracer that sends to the collector until it is closed; nil without one.
func New(o Options) *Tracer {
	if o.URL == "" {
		return nil
	}
	t := &Tracer{source: o.Source, share: uint64(o.Share * (1 << 53)), cause: o.Cause, exporter: newExporter(o)}
	go t.run()
	return t
}

type tracerKey struct{}

// Carry returns a context whose rounds are followed, too.
func (t *Tracer) Carry(ctx context.Context) context.Context {
	if t == nil {
		return ctx
	}
	return context.WithValue(ctx, tracerKey{}, t)
}

// Request begins the span of a request, in the trace of the traceparent that came with
// it from somebody who may say so; empty: nobody did. Who asked has decided whether it
// is followed; when it is not, the span only passes that on.
func (t *Tracer) Request(ctx context.Context, traceparent string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	s, said := parse(traceparent)
	if !said && !t.drawn() {
		return ctx, nil
	}
	s.kind = server
	t.begin(&s, said)
	return context.WithValue(ctx, spanKey{}, &s), &s
}

// Round does work that comes again, as a trace of its own when it is drawn.
func Round(ctx context.Context, name string, work func(context.Context) error) error {
	t, _ := ctx.Value(tracerKey{}).(*Tracer)
	if t == nil || !t.drawn() {
		return work(ctx)
	}
	s := &Span{kind: internal}
	t.begin(s, false)
	s.Name("round", name)
	err := work(context.WithValue(ctx, spanKey{}, s))
	s.End(err)
	return err
}

// begin gives a span that stands at the beginning here what it needs.
func (t *Tracer) begin(s *Span, said bool) {
	s.tracer = t
	if !said {
		s.sampled, s.trace = true, [16]byte(t.source.Bytes(16))
	}
	if s.sampled {
		s.id, s.began = [8]byte(t.source.Bytes(8)), t.source.Now()
	}
}

func (t *Tracer) drawn() bool {
	return binary.BigEndian.Uint64(t.source.Bytes(8))>>11 < t.share
}

// Traceparent is the header in which a trace goes on (W3C Trace Context).
const Traceparent = "Traceparent"

// parse reads a traceparent. A later version may have more at its end, after a dash.
func parse(text string) (s Span, ok bool) {
	const length = len("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	if len(text) < length || text[2] != '-' || text[35] != '-' || text[52] != '-' || text[:2] == "ff" ||
		len(text) > length && (text[:2] == "00" || text[length] != '-') {
		return Span{}, false
	}
	var version, flags [1]byte
	ok = lowerHex(version[:], text[:2]) && lowerHex(s.trace[:], text[3:35]) && lowerHex(s.parent[:], text[36:52]) &&
		lowerHex(flags[:], text[53:55]) && s.trace != [16]byte{} && s.parent != [8]byte{}
	s.sampled = flags[0]&1 == 1
	return s, ok
}

func lowerHex(into []byte, text string) bool {
	for _, c := range text {
		if c >= 'A' && c <= 'F' {
			return false
		}
	}
	_, err := hex.Decode(into, []byte(text))
	return err == nil
}

// later is the end of what began, by a clock that may have been put back meanwhile.
func later(began, ended time.Time) time.Time {
	if ended.Before(began) {
		return began
	}
	return ended
}
