// Package otlptest is a collector of traces for tests. It takes what OTLP/HTTP in JSON
// allows, and fails the test for anything else. Start at New.
package otlptest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"
)

// Span is one that came, its attributes as texts.
type Span struct {
	TraceID, SpanID, Parent, Name string
	Kind                          int
	Begin, End                    int64 // Unix nanoseconds
	Attributes                    map[string]string
	Failed                        bool
}

// Collector keeps what comes.
type Collector struct {
	testing.TB
	URL string // with the path

	mu    sync.Mutex
	spans []Span
	raw   bytes.Buffer
	calls int
	first []http.HandlerFunc
}

// New starts a collector until the test ends. What comes first is answered by the
// handlers, one each, and not kept.
func New(t testing.TB, first ...http.HandlerFunc) *Collector {
	c := &Collector{TB: t, first: first}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	c.URL = server.URL + "/v1/traces"
	return c
}

// ServeHTTP implements http.Handler.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.calls++
	var refuse http.HandlerFunc
	if len(c.first) > 0 {
		refuse, c.first = c.first[0], c.first[1:]
	}
	c.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if refuse != nil {
		refuse(w, r)
		return
	}
	if err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/traces" ||
		r.Header.Get("Content-Type") != "application/json" {
		c.Errorf("%s %s, %s: %v", r.Method, r.URL.Path, r.Header.Get("Content-Type"), err)
	}
	spans := c.read(body)
	c.mu.Lock()
	c.spans = append(c.spans, spans...)
	c.raw.Write(body)
	c.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"partialSuccess":{}}`)
}

// Calls returns how often somebody called.
func (c *Collector) Calls() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls
}

// Raw returns everything that came, as it came.
func (c *Collector) Raw() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw.String()
}

// Spans returns everything that came.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Span(nil), c.spans...)
}

// Until waits until what came is enough.
func (c *Collector) Until(enough func([]Span) bool) []Span {
	c.Helper()
	for end := time.After(30 * time.Second); ; {
		if spans := c.Spans(); enough(spans) {
			return spans
		}
		select {
		case <-end:
			c.Fatalf("what came is not enough: %v", c.Spans())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

type keyed struct {
	Key   string `json:"key"`
	Value struct {
		Text  *string `json:"stringValue"`
		Whole *string `json:"intValue"`
	} `json:"value"`
}

type span struct {
	TraceID    string  `json:"traceId"`
	SpanID     string  `json:"spanId"`
	Parent     string  `json:"parentSpanId"`
	Name       string  `json:"name"`
	Kind       int     `json:"kind"`
	Begin      string  `json:"startTimeUnixNano"`
	End        string  `json:"endTimeUnixNano"`
	Attributes []keyed `json:"attributes"`
	Status     struct {
		Code int `json:"code"`
	} `json:"status"`
}

// read takes a request as the specification has it: opentelemetry-proto, trace.proto,
// and "OTLP/HTTP, JSON Protobuf Encoding".
func (c *Collector) read(body []byte) (all []Span) {
	var said struct {
		ResourceSpans []struct {
			Resource struct {
				Attributes []keyed `json:"attributes"`
			} `json:"resource"`
			ScopeSpans []struct {
				Scope struct {
					Name    string `json:"name"`
					Version string `json:"version"`
				} `json:"scope"`
				Spans []span `json:"spans"`
			} `json:"scopeSpans"`
		} `json:"resourceSpans"`
	}
	strict := json.NewDecoder(bytes.NewReader(body))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&said); err != nil {
		c.Errorf("%v in %s", err, body)
	}
	for _, resource := range said.ResourceSpans {
		if c.attributes(resource.Resource.Attributes)["service.name"] == "" {
			c.Errorf("nobody says whose spans these are: %s", body)
		}
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans {
				all = append(all, c.span(s))
			}
		}
	}
	return all
}

func (c *Collector) span(s span) Span {
	trace, id := regexp.MustCompile(`^[0-9a-f]{32}$`), regexp.MustCompile(`^[0-9a-f]{16}$`)
	begin, err := strconv.ParseInt(s.Begin, 10, 64)
	end, wrong := strconv.ParseInt(s.End, 10, 64)
	if !trace.MatchString(s.TraceID) || !id.MatchString(s.SpanID) || s.Parent != "" && !id.MatchString(s.Parent) ||
		s.Name == "" || s.Kind < 1 || s.Kind > 5 || err != nil || wrong != nil || begin <= 0 || end < begin {
		c.Errorf("it is no span: %+v", s)
	}
	return Span{s.TraceID, s.SpanID, s.Parent, s.Name, s.Kind, begin, end, c.attributes(s.Attributes), s.Status.Code == 2}
}

func (c *Collector) attributes(all []keyed) map[string]string {
	read := map[string]string{}
	for _, a := range all {
		text := a.Value.Text
		if text == nil {
			text = a.Value.Whole
		}
		if _, twice := read[a.Key]; a.Key == "" || twice || text == nil || a.Value.Text != nil && a.Value.Whole != nil {
			c.Errorf("it is no attribute: %+v", a)
			continue
		}
		read[a.Key] = *text
	}
	return read
}
