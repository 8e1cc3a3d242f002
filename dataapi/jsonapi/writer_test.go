package jsonapi_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/dataapi/jsonapi"
)

// reflected is what encoding/json makes of a value without HTML escapes.
func reflected(t testing.TB, v any) string {
	t.Helper()
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(body.String())
}

// FuzzWrittenTextIsThatOfEncodingJSON tells the writer of lists from the
// library whose escapes it takes over.
func FuzzWrittenTextIsThatOfEncodingJSON(f *testing.F) {
	for _, text := range []string{
		"", "plain", "longer than eight bytes", "\"", "back\\slash", "<&>", "tab\t", "\x00", "\x1f", " ", "\x7f", "~~~~~~~~",
		"ä", "eight by\u2028", "\xff",
		"1234567\"", "1234567\x1f", "1234567\x80", "!!!!!!!!", "\u65e5\u672c",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := jsonapi.Document{Data: &jsonapi.Resource{
			Type: "t", ID: text, Attributes: jsonapi.Written(func(w *jsonapi.Writer) { w.Text("a", text, "/", text) }),
		}}.Encode(jsonapi.Query{})
		if err != nil {
			t.Fatal(err)
		}
		want := `{"jsonapi":{"version":"1.0"},"data":{"type":"t","id":` + reflected(t, text) +
			`,"attributes":{"a":"` + strings.Trim(reflected(t, text), `"`)
		if !strings.HasPrefix(string(got), strings.TrimSuffix(want, `\`)) || !json.Valid(got) {
			t.Errorf("got  %s\nwant %s…", got, want)
		}
	})
}

func TestWrittenMembersAreThoseOfEncodingJSON(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678900, time.FixedZone("", 3600))
	written := jsonapi.Resource{Type: "t", ID: "1",
		Links: &jsonapi.Links{Self: jsonapi.To("https://id.example.test/a?b&c")},
		Attributes: jsonapi.Written(func(w *jsonapi.Writer) {
			w.Text("text", "a", "b")
			w.Optional("none", "")
			w.Optional("some", "x")
			w.Number("number", -7)
			w.Bool("bool", true)
			w.Time("time", at)
			w.Time("again", at)
			w.Time("zero", time.Time{})
			w.Texts("texts", "a", "<")
			w.Texts("empty")
			w.Any("any", map[string]any{"b": nil, "a": 1.5})
		}),
		Relationships: jsonapi.Written(func(w *jsonapi.Writer) {
			w.Object("one", func(w *jsonapi.Writer) { w.Link("related", "https://id.example.test", "/x") })
			w.Object("two", func(*jsonapi.Writer) {})
		}),
	}
	type members map[string]json.RawMessage
	const attributes = `{"text":"ab","some":"x","number":-7,"bool":true,"time":"2026-01-02T02:04:05.0006789Z",` +
		`"again":"2026-01-02T02:04:05.0006789Z","zero":"0001-01-01T00:00:00.0000000Z","texts":["a","<"],"empty":[],"any":{"a":1.5,"b":null}}`
	plain := jsonapi.Resource{Type: "t", ID: "1", Links: written.Links, Attributes: json.RawMessage(attributes),
		Relationships: json.RawMessage(`{"one":{"related":{"href":"https://id.example.test/x"}},"two":{}}`)}
	for name, documents := range map[string][2]jsonapi.Document{
		"one": {{Data: &written, Meta: members{}}, {Data: &plain, Meta: members{}}},
		"many": {{Data: []jsonapi.Resource{written, written}, Included: []jsonapi.Resource{written}},
			{Data: []jsonapi.Resource{plain, plain}, Included: []jsonapi.Resource{plain}}},
		"empty": {{Links: written.Links, Data: []jsonapi.Resource{}, Included: []jsonapi.Resource{}},
			{Links: written.Links, Data: []jsonapi.Resource{}, Included: []jsonapi.Resource{}}},
	} {
		got, err := documents[0].Encode(jsonapi.Query{})
		if err != nil {
			t.Fatal(err)
		}
		envelope := struct {
			JSONAPI  map[string]string   `json:"jsonapi"`
			Links    *jsonapi.Links      `json:"links,omitempty"`
			Data     any                 `json:"data,omitempty"`
			Included *[]jsonapi.Resource `json:"included,omitempty"`
			Meta     any                 `json:"meta,omitempty"`
		}{map[string]string{"version": "1.0"}, documents[1].Links, documents[1].Data, nil, documents[1].Meta}
		if documents[1].Included != nil {
			envelope.Included = &documents[1].Included
		}
		if diff := cmp.Diff(reflected(t, envelope), string(got)); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

func TestFieldsNarrowWhatIsWritten(t *testing.T) {
	r := jsonapi.Resource{Type: "t", ID: "1", Attributes: jsonapi.Written(func(w *jsonapi.Writer) {
		w.Text("a", "1")
		w.Text("b", "2")
	})}
	got, err := jsonapi.Document{Data: &r}.Encode(jsonapi.Query{Fields: map[string][]string{"t": {"b"}}})
	if err != nil || string(got) != `{"jsonapi":{"version":"1.0"},"data":{"type":"t","id":"1","attributes":{"b":"2"}}}` {
		t.Errorf("%s, %v", got, err)
	}
}
