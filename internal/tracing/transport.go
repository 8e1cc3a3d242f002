package tracing

import (
	"net/http"
	"strconv"
)

// Transport follows calls over HTTP: each is a part of what is under way, and whoever
// is called is told so.
func Transport(over http.RoundTripper) http.RoundTripper { return transport{over} }

type transport struct{ over http.RoundTripper }

// RoundTrip implements http.RoundTripper. The span has the method, the status and who
// called; where to is for others to say, and may be a secret.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	within := From(r.Context())
	if within == nil {
		return t.over.RoundTrip(r)
	}
	s := Child(r.Context())
	told := within
	if s != nil {
		s.Name(r.Method, room())
		s.Set("http.request.method", r.Method)
		told = s
	}
	r = r.Clone(r.Context())
	r.Header.Set(Traceparent, told.Traceparent())
	answer, err := t.over.RoundTrip(r)
	if err == nil {
		s.SetNumber("http.response.status_code", answer.StatusCode)
		if answer.StatusCode >= http.StatusBadRequest {
			s.Fail(strconv.Itoa(answer.StatusCode))
		}
	}
	s.End(err)
	return answer, err
}

// CloseIdleConnections lets http.Client close those of the transport.
func (t transport) CloseIdleConnections() {
	if closes, ok := t.over.(interface{ CloseIdleConnections() }); ok {
		closes.CloseIdleConnections()
	}
}
