// Package metrics counts what the server does, for Prometheus and whoever reads what it
// reads. One place counts: the end of each request, from what its httpio.Exchange says of
// it. What stands in a queue or a pool is asked for when somebody looks.
//
// No label names a person, an app or an address, none holds what somebody sent, and each
// has a bounded number of values. Start at New; docs/operations.md lists what is counted.
package metrics

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

// Metrics is what is counted. It is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	requests *labelled[request, requestCounts]
	refusals *labelled[refusal, prometheus.Counter]
	tokens   *labelled[tokens, prometheus.Counter]
	signIns  *labelled[string, prometheus.Counter]
	received prometheus.Counter
	sent     prometheus.Counter
	uploads  prometheus.Counter
	uploaded prometheus.Counter
}

// scrapeLimit is how long somebody who looks waits for what has to be asked for: less than
// Prometheus has patience, which is never longer than from one look to the next.
const scrapeLimit = 2 * time.Second

// New returns counters that stand at zero, of a server of the version and revision.
func New(version, revision string) *Metrics {
	r := prometheus.NewRegistry()
	m := &Metrics{registry: r, requests: newRequests(r), refusals: newRefusals(r), tokens: newTokens(r),
		signIns: newSignIns(r)}
	m.received = m.counter("portico_http_received_bytes_total", "Bytes of bodies that clients have sent.")
	m.sent = m.counter("portico_http_sent_bytes_total", "Bytes of bodies that clients have been sent.")
	m.uploads = m.counter("portico_uploads_total", "Files that have come whole and are kept.")
	m.uploaded = m.counter("portico_uploaded_bytes_total", "How large these files are, together.")
	built := prometheus.NewGauge(prometheus.GaugeOpts{Name: "portico_build_info", Help: "What runs; always 1.",
		ConstLabels: prometheus.Labels{"version": version, "revision": revision}})
	built.Set(1)
	m.registry.MustRegister(built, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler serves everything in the text form of Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		Registry: m.registry, EnableOpenMetrics: true, ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 4,
	})
}

func (m *Metrics) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	m.registry.MustRegister(c)
	return c
}

// Answered counts a request that was answered.
func (m *Metrics) Answered(method string, e *httpio.Exchange, status int, received, sent int64, took time.Duration) {
	one := m.requests.of(request{method, e.Route, status})
	one.count.Inc()
	observe(one.took, took, e)
	m.received.Add(float64(max(0, received)))
	m.sent.Add(float64(sent))
	if e.Stored.Files > 0 {
		m.uploads.Add(float64(e.Stored.Files))
		m.uploaded.Add(float64(e.Stored.Bytes))
	}
	if f := fault.From(e.Err); f != nil {
		m.refusals.of(refusal{f.Kind.String(), f.Reason}).Inc()
	}
	if e.Issued != (tokens{}) {
		m.tokens.of(e.Issued).Inc()
	}
	if e.SignIn != "" {
		m.signIns.of(e.SignIn).Inc()
	}
}

// observe counts how long a request took. One that is traced is an example of it.
func observe(in prometheus.Observer, took time.Duration, e *httpio.Exchange) {
	if with, ok := in.(prometheus.ExemplarObserver); ok && e.Traced {
		with.ObserveWithExemplar(took.Seconds(), prometheus.Labels{"trace_id": e.TraceID})
		return
	}
	in.Observe(took.Seconds())
}
