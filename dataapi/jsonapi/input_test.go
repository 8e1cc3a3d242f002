package jsonapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
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
		`{}`:                            {"/data: The member type is missing."},
		`[]`:                            {": The body must be a JSON:API document, an object with the member data."},
		`"data"`:                        {": The body must be a JSON:API document, an object with the member data."},
		`null`:                          {": The body must be a JSON:API document, an object with the member data."},
		`{"data":null}`:                 {"/data: The value must be an object."},
		`{"data":[{"type":"folders"}]}`: {"/data: The value must be an object."},
		`{"data":{}}`:                   {"/data: The member type is missing."},
		`{"data":{"type":"items"}}`:     {"/data/type: The type must be folders."},
		`{"data":{"type":1}}`:           {"/data/type: The value must be text."},
		`{"data":{"type":"folders"},"jsonapi":"1.0"}`:       {"/jsonapi: The value must be an object."},
		`{"data":{"type":"items"},"jsonapi":{"version":1}}`: {"/jsonapi/version: The value must be text.", "/data/type: The type must be folders."},
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
		"/data/attributes: The member absent is missing.",
		"/data/relationships/parent/data: The parent can't be empty.",
		"/data/relationships/item/data/type: The type must be folders.",
		"/data/relationships/item/data: The member id is missing.",
		"/data/relationships/other: The member data is missing.",
		"/data/relationships/tip/data/id: The value must be text.",
		"/included: The member included is missing.",
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
	want := []string{"a", "f", "/data/relationships/parent/data/id", `{"a":[null],"b":1.50}`, "data hidden name", "2", "/included/1/id"}
	if diff := cmp.Diff(want, got); diff != "" || in.Err() != nil || hidden == nil || *hidden {
		t.Errorf("%v, %v (-want +got):\n%s", hidden, in.Err(), diff)
	}
}

// FuzzInput reads whatever comes, and either refuses it or has read something.
func FuzzInput(f *testing.F) {
	for _, seed := range []string{`{"data":{"type":"folders","attributes":{"name":"a"}}}`, `{"data":[]}`, `{"data":{"type":null}}`, `[`, ``, `{"data":{"type":"folders","relationships":{"parent":{"data":[]}}}}`} {
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
		for _, one := range fault.All(in.Err()) {
			if one.Kind != fault.Invalid || !strings.HasPrefix(one.Source, "/") {
				t.Errorf("%+v", one)
			}
		}
	})
}
