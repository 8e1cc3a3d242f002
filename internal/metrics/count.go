package metrics

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/portico-id/portico/internal/httpio"
)

// other is the label of what is more than there should be.
const other = "other"

// How many sets of labels there may be of each sort. Routes, grants and reasons are
// written in the code; this is for the day when somebody writes one that is not.
const (
	mostRequests = 4000
	mostOthers   = 500
)

// request is the labels of a request: the template of its route, never the path.
type request struct {
	method, route string
	status        int
}

type requestCounts struct {
	count prometheus.Counter
	took  prometheus.Observer
}

func newRequests(r prometheus.Registerer) *labelled[request, requestCounts] {
	counts := counters(r, "portico_http_requests_total",
		"Requests that were answered, by the template of their route; 499: the client went away.",
		"method", "route", "status")
	took := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "portico_http_request_duration_seconds", Help: "How long requests took, by the template of their route.",
		Buckets: []float64{0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10},
	}, []string{"method", "route"})
	r.MustRegister(took)
	return newLabelled(mostRequests, request{route: other}, func(one request) requestCounts {
		return requestCounts{
			count: counts.WithLabelValues(one.method, one.route, strconv.Itoa(one.status)),
			took:  took.WithLabelValues(one.method, one.route),
		}
	})
}

// refusal is the labels of what failed: the kind of the fault, and its reason.
type refusal struct{ kind, reason string }

func newRefusals(r prometheus.Registerer) *labelled[refusal, prometheus.Counter] {
	counts := counters(r, "portico_refusals_total", "Requests that were refused or failed, by cause.", "kind", "reason")
	return newLabelled(mostOthers, refusal{other, other}, func(one refusal) prometheus.Counter {
		return counts.WithLabelValues(one.kind, one.reason)
	})
}

// tokens is the labels of access tokens that were issued.
type tokens = httpio.Tokens

func newTokens(r prometheus.Registerer) *labelled[tokens, prometheus.Counter] {
	counts := counters(r, "portico_tokens_issued_total", "Access tokens that were issued, by grant and type of app.",
		"grant_type", "app_type")
	return newLabelled(mostOthers, tokens{GrantType: other, AppType: other}, func(t tokens) prometheus.Counter {
		return counts.WithLabelValues(t.GrantType, t.AppType)
	})
}

func newSignIns(r prometheus.Registerer) *labelled[string, prometheus.Counter] {
	counts := counters(r, "portico_sign_ins_total", "How tries of people to sign in ended.", "outcome")
	return newLabelled(mostOthers, other, func(outcome string) prometheus.Counter {
		return counts.WithLabelValues(outcome)
	})
}

func counters(r prometheus.Registerer, name, help string, labels ...string) *prometheus.CounterVec {
	v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	r.MustRegister(v)
	return v
}
