package httpio_test

import (
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
	if err := httpio.ReadJSON(httptest.NewRecorder(), post("application/vnd.api+json", nested(httpio.MaxJSONDepth)), &got); err != nil {
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

func FuzzDecodeJSON(f *testing.F) {
	for _, seed := range []string{`{}`, `[1,2]`, `"x"`, `{"a":{"a":1}}`, `{"a":1,"a":2}`, `]`, `{"a"}`, `1 2`} {
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
	})
}
