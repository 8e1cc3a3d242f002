package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/metrics"
)

func scrape(m *metrics.Metrics) string {
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

func has(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains("\n"+text, "\n"+line+"\n") {
			t.Errorf("%s is not told in\n%s", line, text)
		}
	}
}

// Rule: METRIC-1
func TestARequestIsCountedByItsRouteItsCauseAndWhatItGave(t *testing.T) {
	m := metrics.New("1.2.3", "abc")
	e := &httpio.Exchange{Route: "/token", Issued: httpio.Tokens{GrantType: "refresh_token", AppType: "web"}}
	m.Answered("POST", e, 200, 100, 2000, 3*time.Millisecond)
	m.Answered("POST", e, 200, -1, 2000, 3*time.Millisecond)
	refused := &httpio.Exchange{Route: "/token", Err: fault.New(fault.Invalid, "invalid_grant", "")}
	m.Answered("POST", refused, 400, 100, 50, time.Millisecond)
	m.Answered("POST", &httpio.Exchange{Route: "/login", SignIn: "wrong_login"}, 422, 30, 900, time.Second)
	m.Answered("POST", &httpio.Exchange{Route: "/x", Stored: httpio.Stored{Files: 1, Bytes: 5000}}, 200, 10, 0,
		time.Millisecond)
	has(t, scrape(m),
		`portico_uploads_total 1`, `portico_uploaded_bytes_total 5000`,
		`portico_build_info{revision="abc",version="1.2.3"} 1`,
		`portico_http_requests_total{method="POST",route="/token",status="200"} 2`,
		`portico_http_requests_total{method="POST",route="/token",status="400"} 1`,
		`portico_http_request_duration_seconds_bucket{method="POST",route="/token",le="0.002"} 1`,
		`portico_http_request_duration_seconds_count{method="POST",route="/token"} 3`,
		`portico_http_received_bytes_total 240`,
		`portico_http_sent_bytes_total 4950`,
		`portico_refusals_total{kind="invalid",reason="invalid_grant"} 1`,
		`portico_tokens_issued_total{app_type="web",grant_type="refresh_token"} 2`,
		`portico_sign_ins_total{outcome="wrong_login"} 1`)
}

// Rule: METRIC-2
func TestLabelsOfWhichThereAreTooManyAreCountedAsTheRest(t *testing.T) {
	m := metrics.New("1", "")
	const many = 700
	for i := range many {
		m.Answered("GET", &httpio.Exchange{Route: "/x", Err: fault.New(fault.Invalid, fmt.Sprintf("made_up_%d", i), "")},
			400, 0, 0, time.Millisecond)
	}
	text := scrape(m)
	if got := strings.Count(text, "\nportico_refusals_total{"); got > 501 {
		t.Errorf("%d sets of labels", got)
	}
	has(t, text, `portico_refusals_total{kind="other",reason="other"} 200`)
}

// Rule: METRIC-3
func TestCountingAllocatesNothing(t *testing.T) {
	m := metrics.New("1", "")
	e := &httpio.Exchange{Route: "/token", Issued: httpio.Tokens{GrantType: "client_credentials", AppType: "service"}}
	count := func() { m.Answered("POST", e, 200, 100, 2000, time.Millisecond) }
	count()
	if got := testing.AllocsPerRun(1000, count); got != 0 {
		t.Errorf("%v allocations a request", got)
	}
}

// Rule: METRIC-4
func TestASourceThatFailsLeavesTheOthersAlone(t *testing.T) {
	m := metrics.New("1", "")
	m.Look(metrics.Source{Of: []metrics.Reading{{Name: "ill", Help: "It fails."}},
		Read: func(context.Context) ([]map[string]float64, error) { return nil, errors.New("away") }})
	m.Look(metrics.Source{Of: []metrics.Reading{{Name: "well", Help: "It has a label.", Label: "what"}},
		Read: func(context.Context) ([]map[string]float64, error) { return []map[string]float64{{"a": 7}}, nil }})
	text := scrape(m)
	has(t, text, `portico_well{what="a"} 7`)
	if strings.Contains(text, "portico_ill") {
		t.Error("a figure that nobody knows is told")
	}
}

// Rule: METRIC-4
func TestASourceThatHangsIsNotWaitedForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, began := metrics.New("1", ""), time.Now()
		m.Look(metrics.Source{Of: []metrics.Reading{{Name: "silent", Help: "It hangs."}},
			Read: func(ctx context.Context) ([]map[string]float64, error) { <-ctx.Done(); return nil, ctx.Err() }})
		has(t, scrape(m), `portico_uploads_total 0`)
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("it took %v, and Prometheus may look each five seconds", took)
		}
	})
}

// Rule: TRACE-7
func TestARequestThatIsTracedIsAnExample(t *testing.T) {
	m := metrics.New("1", "")
	m.Answered("GET", &httpio.Exchange{Route: "/x", TraceID: "0af7651916cd43dd8448eb211c80319c", Traced: true}, 200, 0, 0,
		3*time.Millisecond)
	m.Answered("GET", &httpio.Exchange{Route: "/y", TraceID: "b7ad6b7169203331b7ad6b7169203331"}, 200, 0, 0,
		time.Millisecond)
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/metrics", nil)
	r.Header.Set("Accept", "application/openmetrics-text;version=1.0.0")
	m.Handler().ServeHTTP(w, r)
	if text := w.Body.String(); !strings.Contains(text, `# {trace_id="0af7651916cd43dd8448eb211c80319c"} 0.003`) ||
		strings.Contains(text, "b7ad6b7169203331b7ad6b7169203331") {
		t.Error(text)
	}
}

func BenchmarkAnswered(b *testing.B) {
	m := metrics.New("1", "")
	e := &httpio.Exchange{Route: "/token", Issued: httpio.Tokens{GrantType: "client_credentials", AppType: "service"}}
	for b.Loop() {
		m.Answered("POST", e, 200, 100, 2000, time.Millisecond)
	}
}
