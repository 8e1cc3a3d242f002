package tracing

import (
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"
)

// What follows is a request of OTLP/HTTP in JSON: ids in hex, whole numbers of 64 bits as
// texts, enumerations as numbers.
type (
	document struct {
		ResourceSpans []ofResource `json:"resourceSpans"`
	}
	ofResource struct {
		Resource   resource  `json:"resource"`
		ScopeSpans []ofScope `json:"scopeSpans"`
	}
	resource struct {
		Attributes []keyed `json:"attributes"`
	}
	ofScope struct {
		Scope scope  `json:"scope"`
		Spans []sent `json:"spans"`
	}
	scope struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	sent struct {
		TraceID    string  `json:"traceId"`
		SpanID     string  `json:"spanId"`
		Parent     string  `json:"parentSpanId,omitempty"`
		Name       string  `json:"name"`
		Kind       int     `json:"kind"`
		Begin      string  `json:"startTimeUnixNano"`
		End        string  `json:"endTimeUnixNano"`
		Attributes []keyed `json:"attributes,omitempty"`
		Status     *status `json:"status,omitempty"`
	}
	status struct {
		Code int `json:"code"`
	}
	keyed struct {
		Key   string `json:"key"`
		Value value  `json:"value"`
	}
	value struct {
		Text  string `json:"stringValue,omitempty"`
		Whole string `json:"intValue,omitempty"`
	}
)

const statusError = 2

// encode returns the spans as a collector takes them.
func encode(version string, spans []*Span) ([]byte, error) {
	all := make([]sent, len(spans))
	for i, s := range spans {
		all[i] = s.sent()
	}
	server := []attribute{{key: "service.name", value: "portico"}, {key: "service.version", value: version}}
	return json.Marshal(document{[]ofResource{{
		Resource:   resource{keys(server)},
		ScopeSpans: []ofScope{{scope{"portico", version}, all}},
	}}})
}

func (s *Span) sent() sent {
	one := sent{TraceID: s.TraceID(), SpanID: hex.EncodeToString(s.id[:]), Name: s.name, Kind: s.kind,
		Begin: nanoseconds(s.began), End: nanoseconds(s.ended), Attributes: keys(s.attributes)}
	if s.parent != [8]byte{} {
		one.Parent = hex.EncodeToString(s.parent[:])
	}
	if s.failed {
		one.Status = &status{statusError}
	}
	return one
}

func nanoseconds(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

func keys(all []attribute) []keyed {
	said := make([]keyed, len(all))
	for i, a := range all {
		said[i] = keyed{a.key, value{Text: a.value}}
		if a.value == "" {
			said[i].Value.Whole = strconv.Itoa(a.number)
		}
	}
	return said
}
