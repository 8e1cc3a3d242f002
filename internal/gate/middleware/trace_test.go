package middleware_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/middleware"
	"github.com/portico-id/portico/internal/harness/otlptest"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/tracing"
)

// hop starts a server that is traced and asks the next one.
func hop(t *testing.T, tracer *tracing.Tracer, log io.Writer, trusted []netip.Prefix, next string) string {
	t.Helper()
	caller := &http.Client{Transport: tracing.Transport(http.DefaultTransport)}
	server := httptest.NewServer(middleware.Chain(middleware.Options{Ambient: ambient.System(), TrustedProxies: trusted,
		Log: slog.New(slog.NewJSONHandler(log, nil)), RequestLimit: 1 << 40, Tracer: tracer},
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			httpio.From(r.Context()).Route = "/hop"
			if next == "" {
				return
			}
			asked, err := http.NewRequestWithContext(r.Context(), "GET", next, nil)
			if err != nil {
				t.Error(err)
				return
			}
			answer, err := caller.Do(asked)
			if err != nil {
				t.Error(err)
				return
			}
			_ = answer.Body.Close()
		})))
	t.Cleanup(server.Close)
	return server.URL
}

// Rules: TRACE-3, TRACE-7
func TestATraceGoesOverThreeHopsThatTrustEachOther(t *testing.T) {
	local := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	for name, c := range map[string]struct {
		last   []netip.Prefix // whom the last one trusts
		traces int
	}{"all do": {local, 1}, "the last trusts nobody": {nil, 2}} {
		collector := otlptest.New(t)
		tracer := tracing.New(tracing.Options{URL: collector.URL, Share: 1, Source: ambient.System(), Cause: fault.Cause,
			Log: slog.New(slog.DiscardHandler)})
		var log strings.Builder
		first := hop(t, tracer, io.Discard, local, hop(t, tracer, io.Discard, local, hop(t, tracer, &log, c.last, "")))
		asked, _ := http.NewRequestWithContext(t.Context(), "GET", first, nil)
		asked.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		answer, err := http.DefaultClient.Do(asked)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		collector.Until(func(spans []otlptest.Span) bool { return len(spans) == 5 })
		tracer.Close()
		parents, traces, last := map[string]string{}, map[string]bool{}, otlptest.Span{}
		for _, s := range collector.Spans() {
			parents[s.SpanID], traces[s.TraceID] = s.Parent, true
			if s.Begin >= last.Begin && s.Kind == 2 {
				last = s
			}
		}
		hops, at := 0, last.SpanID
		for ; at != "" && at != "b7ad6b7169203331"; at = parents[at] {
			hops++
		}
		if len(traces) != c.traces || c.traces == 1 && (hops != 5 || at == "") || c.traces == 2 && hops != 1 {
			t.Errorf("%s: %d traces, %d hops from the last to %q", name, len(traces), hops, at)
		}
		if !strings.Contains(log.String(), `"trace_id":"`+last.TraceID+`"`) {
			t.Errorf("%s: the log says %s", name, log.String())
		}
	}
}
