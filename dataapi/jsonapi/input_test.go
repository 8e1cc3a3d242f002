package jsonapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/internal/fault"
)

func input(body string) (*jsonapi.Input, error) {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", jsonapi.MediaType)
	return jsonapi.ReadInput(httptest.NewRecorder(), r, "folders")
}

// told are the sources and details of faults, in order.
func told(err error) []string {
	var all []string
	for _, f := range fault.All(err) {
		all = append(all, f.Source+": "+f.Detail)
	}
	return all
}

// Rule: DATA-70
func TestTheFrameOfADocumentIsOneResourceOfTheType(t *testing.T) {
	for body, want := range map[string][]string{
		`{"data":{"type":"folders"}}`:                                       nil,
		`{"data":{"type":"folders"},"jsonapi":{"version":"1.0"},"meta":[]}`: nil,
		`{}`:                            {": The member /data/type is missing."},
		`[]`:                            {": The body must be a JSON:API document, an object with the member data."},
		`"data"`:                        {": The body must be a JSON:API document, an object with the member data."},
		`null`:                          {": The body must be a JSON:API document, an object with the member data."},
		`{"data":null}`:                 {"/data: The value must be an object."},
		`{"data":[{"type":"folders"}]}`: {"/data: The value must be an object."},
		`{"data":{}}`:                   {"/data: The member /data/type is missing."},
		`{"data":{"type":"items"}}`:     {"/data/type: The type must be folders."},
		`{"data":{"type":1}}`:           {"/data/type: The value must be text."},
		`{"data":{"type":"folders"},"jsonapi":"1.0"}`: {"/jsonapi: The value must be an object."},
		`{"data":{"type":"items"},"jsonapi":{"version":1}}`: {"/jsonapi/version: The value must be text.",
			"/data/type: The type must be folders."},
	} {
		_, err := input(body)
		if diff := cmp.Diff(want, told(err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
}

// Rule: DATA-70
func TestEverythingThatIsWrongIsToldAtOnceWithItsPlace(t *testing.T) {
	in, err := input(`{"data":{"type":"folders","attributes":{"name":7,"a/b~c":{"x":"y"},"hidden":"no","list":{}},
		"relationships":{"parent":{"data":null},"item":{"data":{"type":"items"}},"other":{},"tip":{"data":{"type":"folders","id":7}}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	attributes, relationships := in.Member("data", "attributes"), in.Member("data", "relationships")
	attributes.Member("name").Text()
	attributes.Member("name").Text() // asked twice, told once
	attributes.Member("a/b~c", "x").OptionalFlag()
	attributes.Member("hidden").OptionalFlag()
	attributes.Member("hidden", "deeper").Text()
	attributes.Member("list").List()
	attributes.Member("absent").Text()
	attributes.Member("absent", "too").OptionalText()
	relationships.Member("parent").ToOne("folders")
	relationships.Member("item").ToOne("folders")
	relationships.Member("other").ToOne("folders")
	relationships.Member("tip").ToOne("folders")
	relationships.Member("nothing").ToOne("folders")
	in.Member("included").Required()
	want := []string{
		"/data/attributes/name: The value must be text.",
		"/data/attributes/a~1b~0c/x: The value must be true or false.",
		"/data/attributes/hidden: The value must be true or false.",
		"/data/attributes/hidden: The value must be an object.",
		"/data/attributes/list: The value must be an array.",
		"/data/attributes: The member /data/attributes/absent is missing.",
		"/data/relationships/parent/data: The parent can't be empty.",
		"/data/relationships/item/data/type: The type must be folders.",
		"/data/relationships/item/data: The member /data/relationships/item/data/id is missing.",
		"/data/relationships/other: The member /data/relationships/other/data is missing.",
		"/data/relationships/tip/data/id: The value must be text.",
		": The member /included is missing.",
	}
	if diff := cmp.Diff(want, told(in.Err())); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Rule: DATA-70
func TestOfVeryManyFaultsTheFirstAreTold(t *testing.T) {
	for entries, want := range map[int]int{3: 3, 50: 50, 51: 50, 90_000: 50} {
		in, err := input(`{"data":{"type":"folders"},"included":[` + strings.Repeat("1,", entries-1) + `1]}`)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range in.Member("included").List() {
			v.Member("type").OptionalText()
		}
		all := told(in.Err())
		if len(all) != want || all[want-1] != fmt.Sprintf("/included/%d: The value must be an object.", want-1) {
			t.Errorf("%d entries: %d faults, the last %s", entries, len(all), all[len(all)-1])
		}
	}
}

func TestWhatIsRightIsRead(t *testing.T) {
	in, err := input(`{"data":{"type":"folders","attributes":{"name":"a","hidden":false,"data":{"b":1.50,"a":[null]}},
		"relationships":{"parent":{"data":{"type":"folders","id":"f"}}}},"included":[{"id":"1"},{"id":"2"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	attributes := in.Member("data", "attributes")
	id, place := in.Member("data", "relationships", "parent").ToOne("folders")
	hidden := attributes.Member("hidden").OptionalFlag()
	second := in.Member("included").List()[1].Member("id")
	got := []string{
		attributes.Member("name").Text(), id, place.Pointer(), string(attributes.Member("data").JSON()),
		strings.Join(attributes.Names(), " "), second.Text(), second.Pointer(),
	}
	want := []string{"a", "f", "/data/relationships/parent/data/id", `{"a":[null],"b":1.50}`,
		"data hidden name", "2", "/included/1/id"}
	if diff := cmp.Diff(want, got); diff != "" || in.Err() != nil || hidden == nil || *hidden {
		t.Errorf("%v, %v (-want +got):\n%s", hidden, in.Err(), diff)
	}
}

// pointsAstray returns the first fault about a missing member whose pointer
// leads to nothing, or not as far as the body goes.
func pointsAstray(body string, err error) string {
	var document any
	if json.Unmarshal([]byte(body), &document) != nil {
		return "the body is no JSON"
	}
	for _, f := range fault.All(err) {
		missing, given := f.Facts["missing"]
		if !given {
			continue
		}
		next, _, _ := strings.Cut(strings.TrimPrefix(missing, f.Source+"/"), "/")
		if !strings.HasPrefix(missing, f.Source+"/") || !strings.Contains(f.Detail, missing) ||
			!leads(document, f.Source) || leads(document, f.Source+"/"+next) {
			return fmt.Sprintf("%s: %s, %s", body, f.Source, missing)
		}
	}
	return ""
}

// leads reports whether a pointer (RFC 6901) leads to a value.
func leads(document any, pointer string) bool {
	if pointer == "" {
		return true
	}
	for name := range strings.SplitSeq(pointer[1:], "/") {
		switch v := document.(type) {
		case map[string]any:
			member, given := v[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
			if !given {
				return false
			}
			document = member
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(v) {
				return false
			}
			document = v[i]
		default:
			return false
		}
	}
	return true
}

// Rule: DATA-98
func TestTheSourceOfWhatIsMissingLeadsToTheNearestThatIsThere(t *testing.T) {
	for body, want := range map[string][]string{
		`{}`:                          {"", "/data/type"},
		`{"data":{}}`:                 {"/data", "/data/type"},
		`{"data":{"type":"folders"}}`: {"/data", "/data/attributes/a~1b"},
		`{"data":{"type":"folders","attributes":{}}}`: {"/data/attributes", "/data/attributes/a~1b"},
	} {
		in, err := input(body)
		if err == nil {
			in.Member("data", "attributes", "a/b").Text()
			err = in.Err()
		}
		w := httptest.NewRecorder()
		jsonapi.WriteError(w, httptest.NewRequest(http.MethodPost, "/", nil), err)
		var got struct {
			Errors []struct {
				Detail string
				Source struct{ Pointer *string }
				Meta   struct{ Missing string }
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || len(got.Errors) != 1 ||
			got.Errors[0].Source.Pointer == nil {
			t.Errorf("%s: %s", body, w.Body)
			continue
		}
		e := got.Errors[0]
		if diff := cmp.Diff(want, []string{*e.Source.Pointer, e.Meta.Missing}); diff != "" ||
			!strings.Contains(e.Detail, want[1]) {
			t.Errorf("%s: %s (-want +got):\n%s", body, e.Detail, diff)
		}
		if astray := pointsAstray(body, err); astray != "" {
			t.Error(astray)
		}
	}
}

// FuzzInput reads whatever comes, and either refuses it or has read something.
func FuzzInput(f *testing.F) {
	for _, seed := range []string{`{"data":{"type":"folders","attributes":{"name":"a"}}}`, `{"data":[]}`,
		`{"data":{"type":null}}`, `[`, ``, `{"data":{"type":"folders","relationships":{"parent":{"data":[]}}}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		in, err := input(body)
		if err != nil {
			return
		}
		name := in.Member("data", "attributes", "name").Text()
		parent, _ := in.Member("data", "relationships", "parent").Required().ToOne("folders")
		for _, v := range in.Member("included").List() {
			v.Names()
		}
		if err := in.Err(); err == nil && in.Member("data", "attributes", "name").JSON() == nil {
			t.Errorf("%q, %q", name, parent)
		}
		if err := pointsAstray(body, in.Err()); err != "" {
			t.Error(err)
		}
		for _, one := range fault.All(in.Err()) {
			if one.Kind != fault.Invalid || one.Facts["missing"] == "" && !strings.HasPrefix(one.Source, "/") {
				t.Errorf("%+v", one)
			}
		}
	})
}
