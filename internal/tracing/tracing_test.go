package tracing_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/otlptest"
	"github.com/portico-id/portico/internal/tracing"
)

func newTracer(t testing.TB, url string, share float64) *tracing.Tracer {
	return newToldTracer(t, slog.DiscardHandler, url, share)
}

func newToldTracer(t testing.TB, log slog.Handler, url string, share float64) *tracing.Tracer {
	source, _ := ambient.Fixed(time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC), 1)
	tracer := tracing.New(tracing.Options{URL: url, Share: share, Version: "1.2.3", Source: source,
		Log: slog.New(log), Cause: fault.Cause})
	tracer.Hurry(time.Millisecond, 100*time.Millisecond)
	t.Cleanup(tracer.Close)
	return tracer
}

// once follows one request with one call.
func once(tracer *tracing.Tracer) {
	ctx, request := tracer.Request(context.Background(), "")
	request.Name("GET", "/x")
	call := tracing.Child(ctx)
	call.Name("SELECT", "identity.FindUser")
	call.End(fault.New(fault.NotFound, "no_such_user", "There is no ada@example.test."))
	request.SetNumber("http.response.status_code", 404)
	request.End(nil)
}

// Rule: TRACE-1
func TestSpansReachTheCollectorAsOTLPHasThem(t *testing.T) {
	collector := otlptest.New(t)
	tracer := newTracer(t, collector.URL, 1)
	once(tracer)
	tracer.Close()
	spans := collector.Spans()
	if len(spans) != 2 {
		t.Fatalf("%+v", spans)
	}
	call, request := spans[0], spans[1]
	if call.TraceID != request.TraceID || call.Parent != request.SpanID || request.Parent != "" ||
		call.Kind != 3 || request.Kind != 2 || call.Name != "SELECT identity.FindUser" ||
		request.Attributes["http.response.status_code"] != "404" {
		t.Errorf("%+v", spans)
	}
	if !call.Failed || call.Attributes["error.type"] != "no_such_user" || request.Failed {
		t.Errorf("what failed: %+v", spans)
	}
	if strings.Contains(collector.Raw(), "ada@") {
		t.Error("the text of a failure is told")
	}
	if sent, lost := tracer.Counts(); sent != 2 || lost != 0 {
		t.Errorf("%d sent, %d lost", sent, lost)
	}
}

// Rule: TRACE-2
func TestWhatIsNotFollowedAllocatesNothing(t *testing.T) {
	none := tracing.New(tracing.Options{})
	ctx := t.Context()
	work := func() {
		inner, request := none.Request(none.Carry(ctx), "")
		call := tracing.Child(inner)
		call.Name("SELECT", "x")
		call.Set("a", "b")
		call.SetNumber("c", 1)
		call.End(nil)
		request.End(nil)
	}
	if got := testing.AllocsPerRun(1000, work); got != 0 || none != nil {
		t.Errorf("%v allocations", got)
	}
	if got := testing.AllocsPerRun(10, func() { once(newTracer(t, "http://127.0.0.1:1", 1)) }); got == 0 {
		t.Error("what is followed allocates nothing, either: is it?")
	}
}

// Rule: TRACE-3
func TestOneInSoManyIsFollowed(t *testing.T) {
	collector := otlptest.New(t)
	for share, want := range map[float64][2]int{0: {0, 0}, 0.25: {900, 1100}, 1: {4000, 4000}} {
		tracer, followed := newTracer(t, collector.URL, share), 0
		for range 4000 {
			if _, s := tracer.Request(t.Context(), ""); s.Sampled() {
				followed++
			}
		}
		if followed < want[0] || followed > want[1] {
			t.Errorf("of 4000 at %v %d", share, followed)
		}
	}
}

// Rule: TRACE-3
func TestWhoAskedDecidesWhetherItIsFollowed(t *testing.T) {
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	collector := otlptest.New(t)
	never, always := newTracer(t, collector.URL, 0), newTracer(t, collector.URL, 1)
	ctx, s := never.Request(t.Context(), "00-"+trace+"-"+parent+"-01")
	if !s.Sampled() || s.TraceID() != trace || strings.Contains(s.Traceparent(), parent) {
		t.Errorf("followed: %s", s.Traceparent())
	}
	if s.Name("GET", "/x"); tracing.Child(ctx) == nil {
		t.Error("its parts are not")
	}
	ctx, s = always.Request(t.Context(), "00-"+trace+"-"+parent+"-00")
	if s.Sampled() || s.Traceparent() != "00-"+trace+"-"+parent+"-00" || tracing.Child(ctx) != nil {
		t.Errorf("not followed: %s", s.Traceparent())
	}
	for name, c := range map[string]struct {
		text string
		good bool
	}{
		"a later version":      {"cc-" + trace + "-" + parent + "-01-what-the-future", true},
		"the very last":        {"ff-" + trace + "-" + parent + "-01", false},
		"more than there is":   {"00-" + trace + "-" + parent + "-01-more", false},
		"capitals":             {"00-" + strings.ToUpper(trace) + "-" + parent + "-01", false},
		"no trace":             {"00-" + strings.Repeat("0", 32) + "-" + parent + "-01", false},
		"no parent":            {"00-" + trace + "-" + strings.Repeat("0", 16) + "-01", false},
		"cut":                  {"00-" + trace + "-" + parent + "-0", false},
		"no hex":               {"00-" + strings.Repeat("g", 32) + "-" + parent + "-01", false},
		"nothing":              {"", false},
		"another kind of dash": {"00_" + trace + "_" + parent + "_01", false},
	} {
		if _, s := always.Request(t.Context(), c.text); (s.TraceID() == trace) != c.good || !s.Sampled() {
			t.Errorf("%s: %s", name, s.Traceparent())
		}
	}
}

// Rule: TRACE-4
func TestARoundIsATraceOfItsOwn(t *testing.T) {
	collector := otlptest.New(t)
	tracer := newTracer(t, collector.URL, 1)
	failed := errors.New("in vain")
	err := tracing.Round(tracer.Carry(t.Context()), "mails", func(ctx context.Context) error {
		call := tracing.Child(ctx)
		call.Name("SEND", "mail")
		call.End(nil)
		return failed
	})
	still := 0
	alone := tracing.Round(t.Context(), "mails", func(context.Context) error { still++; return nil })
	tracer.Close()
	names := []string{}
	for _, s := range collector.Spans() {
		names = append(names, s.Name)
	}
	if !errors.Is(err, failed) || alone != nil || still != 1 || !slices.Contains(names, "round mails") || len(names) != 2 {
		t.Errorf("%v, %v, %v", names, err, alone)
	}
}

func answering(status int, pairs ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(pairs); i += 2 {
			w.Header().Set(pairs[i], pairs[i+1])
		}
		w.WriteHeader(status)
	}
}

// Rule: TRACE-5
func TestACollectorThatIsBusyIsAskedAgainAndAnIllOneIsNot(t *testing.T) {
	busy, ill := answering(http.StatusServiceUnavailable), answering(http.StatusInternalServerError)
	often := answering(http.StatusTooManyRequests, "Retry-After", "0")
	for name, c := range map[string]struct {
		first      []http.HandlerFunc
		calls      int
		sent, lost uint64
	}{
		"well":             {nil, 1, 2, 0},
		"busy for a while": {[]http.HandlerFunc{busy, often, busy}, 4, 2, 0},
		"busy for good":    {[]http.HandlerFunc{busy, busy, busy, busy, busy}, 4, 0, 2},
		"ill":              {[]http.HandlerFunc{ill}, 1, 0, 2},
		"elsewhere":        {[]http.HandlerFunc{answering(http.StatusFound, "Location", "/v1/traces")}, 1, 0, 2},
		"not all of it": {[]http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}}`))
		}}, 1, 1, 1},
	} {
		collector := otlptest.New(t, c.first...)
		tracer := newTracer(t, collector.URL, 1)
		tracer.Hurry(time.Millisecond, time.Minute)
		once(tracer)
		tracer.Close()
		if sent, lost := tracer.Counts(); sent != c.sent || lost != c.lost || collector.Calls() != c.calls {
			t.Errorf("%s: %d sent, %d lost by %d calls", name, sent, lost, collector.Calls())
		}
	}
}

// Rule: TRACE-5
func TestACollectorThatHangsOrIsAwayHoldsNobodyUp(t *testing.T) {
	over := make(chan struct{})
	collector := otlptest.New(t, func(http.ResponseWriter, *http.Request) { <-over })
	defer close(over)
	for name, url := range map[string]string{"hangs": collector.URL, "is away": "http://127.0.0.1:1/v1/traces"} {
		tracer := newTracer(t, url, 1)
		tracer.Hurry(time.Hour, 100*time.Millisecond)
		for range 2 * tracing.Queued {
			once(tracer)
		}
		tracer.Close()
		if sent, lost := tracer.Counts(); sent != 0 || lost < 2*tracing.Queued {
			t.Errorf("%s: %d sent, %d lost", name, sent, lost)
		}
	}
}

// Rule: TRACE-9
func TestTheLogSaysOnceThatTheCollectorTakesNothingAndOnceThatItDoesAgain(t *testing.T) {
	answers := []int{200, 500, 400, 500, 200, 200, 302, 200}
	calls := 0
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(answers[min(calls, len(answers)-1)])
		calls++
	}))
	defer collector.Close()
	var log strings.Builder
	tracer := newToldTracer(t, slog.NewJSONHandler(&log, nil), collector.URL, 1)
	tracer.Hurry(time.Millisecond, time.Minute)
	for range len(answers) * tracing.Most / 2 {
		once(tracer)
	}
	tracer.Close()
	var said []string
	for text := range strings.Lines(log.String()) {
		var line struct{ Level, Msg, URL, Error string }
		if err := json.Unmarshal([]byte(text), &line); err != nil || line.URL != collector.URL {
			t.Errorf("%s: %v", text, err)
		}
		said = append(said, strings.TrimSpace(line.Level+" "+line.Msg+" "+line.Error))
	}
	lost, again := "WARN the collector takes no traces: they are lost ", "INFO the collector takes traces again"
	want := []string{lost + "500 Internal Server Error", again, lost + "302 Found", again}
	if !slices.Equal(said, want) || calls != len(answers) {
		t.Errorf("%d calls, and %q", calls, said)
	}
}

// BenchmarkFollowed is what tracing adds to a request with eight statements, at the
// usual share, when all are followed, and when there is no collector.
func BenchmarkFollowed(b *testing.B) {
	type layer int // of the contexts that a request goes through
	deep := context.Background()
	for i := range 8 {
		deep = context.WithValue(deep, layer(i), i)
	}
	for name, share := range map[string]float64{"off": -1, "at 1 percent": 0.01, "all": 1} {
		b.Run(name, func(b *testing.B) {
			collector := "http://127.0.0.1:1/v1/traces"
			if share < 0 {
				collector = ""
			}
			tracer := tracing.New(tracing.Options{URL: collector, Share: share, Source: ambient.System(),
				Log: slog.New(slog.DiscardHandler), Cause: fault.Cause})
			defer tracer.Close()
			b.ReportAllocs()
			for b.Loop() {
				ctx, request := tracer.Request(deep, "")
				for i := range 4 {
					ctx = context.WithValue(ctx, layer(i), i)
				}
				for range 8 {
					s := tracing.Child(ctx)
					if s != nil {
						s.Name("SELECT", tracing.Act("storage/sqlstore"))
						s.Set("db.system.name", "sqlite")
						s.Set("db.operation.name", "SELECT")
					}
					s.End(nil)
				}
				request.Name("POST", "/authentication/v2/token")
				request.End(nil)
			}
		})
	}
}
