package httpio_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

type person struct {
	Name string   `json:"name"`
	Tags []string `json:"tags"`
	Home home     `json:"home"`
}

type home struct {
	City string `json:"city"`
}

func nested(depth int) string {
	return `{"x":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + "}"
}

func TestReadJSONTakesOneValue(t *testing.T) {
	var got person
	body := ` {"name":"Ada","tags":["a","a"],"home":{"city":"Paris"},"unknown":[{"name":1},{"name":2}]} `
	if err := httpio.ReadJSON(httptest.NewRecorder(), post("application/json; charset=utf-8", body), &got); err != nil {
		t.Fatal(err)
	}
	want := person{Name: "Ada", Tags: []string{"a", "a"}, Home: home{City: "Paris"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("decoded (-want +got):\n%s", diff)
	}
	if err := httpio.ReadJSON(httptest.NewRecorder(), post("application/vnd.api+json", nested(httpio.MaxJSONDepth)),
		&got); err != nil {
		t.Errorf("as deep as is allowed: %v", err)
	}
}

func TestReadJSONRefusesTheRest(t *testing.T) {
	const jsonType = "application/json"
	tests := map[string]struct {
		contentType, body string
		kind              fault.Kind
		source            string
	}{
		"a form":                 {formType, "a=1", fault.UnsupportedMedia, "Content-Type"},
		"nothing":                {jsonType, "", fault.Invalid, ""},
		"two values":             {jsonType, "{} {}", fault.Invalid, ""},
		"an open object":         {jsonType, `{"name":"x"`, fault.Invalid, ""},
		"rubbish after the end":  {jsonType, `{} x`, fault.Invalid, ""},
		"a repeated member":      {jsonType, `{"name":"x","name":"y"}`, fault.Invalid, ""},
		"repeated further in":    {jsonType, `{"home":{"city":"x","city":"y"}}`, fault.Invalid, ""},
		"invalid UTF-8":          {jsonType, "{\"name\":\"\xff\"}", fault.Invalid, ""},
		"U+0000 as an escape":    {jsonType, `{"name":"a\u0000b"}`, fault.Invalid, ""},
		"U+0000 in a name":       {jsonType, `{"a\u0000b":1}`, fault.Invalid, ""},
		"a level too deep":       {jsonType, nested(httpio.MaxJSONDepth + 1), fault.Invalid, ""},
		"a number for a text":    {jsonType, `{"home":{"city":7}}`, fault.Invalid, "/home/city"},
		"larger than is allowed": {jsonType, `{"name":"` + strings.Repeat("x", httpio.MaxJSON) + `"}`, fault.TooLarge, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got person
			err := httpio.ReadJSON(httptest.NewRecorder(), post(tt.contentType, tt.body), &got)
			refused(t, err, tt.kind, tt.source)
		})
	}
}

// Rule: ACCOUNT-17
func TestReadJSONTakesNamesAsTheyAreWritten(t *testing.T) {
	type owner struct{ City string }
	type document struct {
		owner
		Name   string            `json:"name"`
		Kind   *string           `json:"kind,omitempty"`
		Homes  []home            `json:"homes"`
		ByName map[string]home   `json:"byName"`
		Free   map[string]string `json:"free"`
		Raw    json.RawMessage   `json:"raw"`
		Hidden string            `json:"-"`
		Plain  string
	}
	kind := "k"
	for name, c := range map[string]struct {
		body string
		want document
	}{
		"as written":                   {`{"name":"a","kind":"k","Plain":"p"}`, document{Name: "a", Kind: &kind, Plain: "p"}},
		"in other case":                {`{"Name":"a","KIND":"k","plain":"p"}`, document{}},
		"the right one first":          {`{"name":"a","NAME":"b"}`, document{Name: "a"}},
		"the right one last":           {`{"Name":"b","name":"a"}`, document{Name: "a"}},
		"with white space and escapes": {"{ \n\"\\u004eame\" : \"b\" , \"n\\u0061me\":\"a\"}", document{Name: "a"}},
		"a letter that folds to ASCII": {`{"Kind":"k","ſcore":1}`, document{}},
		"inside lists": {`{"homes":[{"City":"x"},{"city":"y","CITY":"z"}]}`,
			document{Homes: []home{{}, {City: "y"}}}},
		"inside maps": {`{"byName":{"A":{"City":"x"},"a":{"city":"y"}}}`,
			document{ByName: map[string]home{"A": {}, "a": {City: "y"}}}},
		"keys of maps stay apart": {`{"free":{"Name":"x","name":"y"}}`,
			document{Free: map[string]string{"Name": "x", "name": "y"}}},
		"what is kept raw stays": {`{"raw":{"Name":"x","name":"y"}}`,
			document{Raw: json.RawMessage(`{"Name":"x","name":"y"}`)}},
		"inside a list of unknown": {`{"else":[{"Name":"x"}],"name":"a"}`, document{Name: "a"}},
		"hidden fields":            {`{"Hidden":"x","-":"z"}`, document{}},
	} {
		t.Run(name, func(t *testing.T) {
			var got document
			if err := httpio.DecodeJSON([]byte(c.body), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(document{}, owner{})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	var embedded struct{ person }
	if err := httpio.DecodeJSON([]byte(`{"Name":"b","name":"a","HOME":{"city":"x"}}`), &embedded); err != nil ||
		embedded.Name != "a" || embedded.Home.City != "" {
		t.Errorf("an embedded struct: %+v, %v", embedded, err)
	}
}

// Rule: ACCOUNT-17
func FuzzDecodeJSON(f *testing.F) {
	for _, seed := range []string{`{}`, `[1,2]`, `"x"`, `{"a":{"a":1}}`, `{"a":1,"a":2}`, `]`, `{"a"}`, `1 2`,
		`{"name":"a","N\u0061me" : "b","home":{"City":"x"}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		var got any
		if err := httpio.DecodeJSON([]byte(body), &got); err != nil && fault.From(err).Kind != fault.Invalid {
			t.Fatalf("%q: %v", body, err)
		}
		if strings.Contains(fmt.Sprint(got), "\x00") {
			t.Fatalf("U+0000 came through in %q", body)
		}
		var one person
		if all, object := got.(map[string]any); object && httpio.DecodeJSON([]byte(body), &one) == nil {
			if name, _ := all["name"].(string); one.Name != name {
				t.Fatalf("%q: the name is %q", body, one.Name)
			}
		}
	})
}
