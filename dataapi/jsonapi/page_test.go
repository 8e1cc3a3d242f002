package jsonapi_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/sealing"
)

const list = "https://id.example.test/data/v1/list"

func pager(t *testing.T, secret string) jsonapi.Pager {
	t.Helper()
	ring, err := sealing.New([]byte(strings.Repeat(secret, 32)), nil, ambient.System())
	if err != nil {
		t.Fatal(err)
	}
	return jsonapi.Pager{Sealer: ring}
}

func parse(t *testing.T, address string) jsonapi.Query {
	t.Helper()
	q, err := rules().Parse(httptest.NewRequest("GET", address, nil))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// Rule: DATA-16
func TestNextCarriesANumberAndACursorAndKeepsFilters(t *testing.T) {
	p := pager(t, "a")
	first := p.Links(list, parse(t, list+"?page[limit]=5&filter[id]=x&sort=-name"), "after-x")
	if first.First != nil || first.Prev != nil || first.Next == nil {
		t.Fatalf("links of a first page: %+v", first)
	}
	next, err := url.Parse(first.Next.Href)
	if err != nil {
		t.Fatal(err)
	}
	got := next.Query()
	cursor := got.Get("page[cursor]")
	got.Del("page[cursor]")
	want := url.Values{"page[number]": {"1"}, "page[limit]": {"5"}, "filter[id]": {"x"}, "sort": {"-name"}}
	if diff := cmp.Diff(want, got); diff != "" || cursor == "" {
		t.Errorf("next (-want +got):\n%s\ncursor %q", diff, cursor)
	}
	q := parse(t, first.Next.Href)
	if after, err := p.After(list, q); err != nil || after != "after-x" {
		t.Errorf("After = %q, %v", after, err)
	}
	second := p.Links(list, q, "")
	if second.Next != nil || second.First == nil || second.Prev == nil || strings.Contains(second.Prev.Href, "cursor") {
		t.Errorf("links of the last page: %+v", second)
	}
}

// Rule: DATA-17
func TestACursorHoldsOnlyForTheListItWasMadeFor(t *testing.T) {
	p := pager(t, "a")
	good := p.Links(list, parse(t, list+"?filter[id]=x"), "after").Next.Href
	cursor := parse2(t, good).Get("page[cursor]")
	for name, tt := range map[string]struct {
		pager   jsonapi.Pager
		address string
		query   string
	}{
		"another filter":      {p, list, "filter[id]=y&page[cursor]=" + cursor},
		"another list":        {p, list + "2", "filter[id]=x&page[cursor]=" + cursor},
		"another secret":      {pager(t, "b"), list, "filter[id]=x&page[cursor]=" + cursor},
		"changed at its end":  {p, list, "filter[id]=x&page[cursor]=" + cursor[:len(cursor)-3] + "AAA"},
		"changed at its head": {p, list, "filter[id]=x&page[cursor]=AAA" + cursor[3:]},
		"cut":                 {p, list, "filter[id]=x&page[cursor]=" + cursor[:20]},
		"no base64url":        {p, list, "filter[id]=x&page[cursor]=%2B%2F"},
	} {
		_, err := tt.pager.After(tt.address, parse(t, tt.address+"?"+tt.query))
		if f := fault.From(err); f == nil || f.Kind != fault.Invalid || f.Source != "page[cursor]" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Rule: DATA-96
func TestACursorTellsNothingOfWhereThePageEnded(t *testing.T) {
	p := pager(t, "a")
	const position = "a hidden name"
	cursor := p.Cursor("label", []byte(position), list)
	sealed, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || bytes.Contains(sealed, []byte("hidden")) {
		t.Errorf("%q, %v", sealed, err)
	}
	if got, ok := p.OpenCursor("label", cursor, list); !ok || string(got) != position {
		t.Errorf("opened %q, %v", got, ok)
	}
	if _, ok := p.OpenCursor("other label", cursor, list); ok {
		t.Error("a cursor of another kind opens")
	}
}

func parse2(t *testing.T, address string) url.Values {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}

// Rule: DATA-18
func TestOnlyTheFieldsAskedForAreThere(t *testing.T) {
	type attributes struct {
		Name string `json:"name"`
		Age  int    `json:"age"`
	}
	type relationships struct {
		Parent jsonapi.Relationship `json:"parent"`
	}
	d := jsonapi.Document{
		Data: []jsonapi.Resource{{
			Type: "folders", ID: "1", Attributes: attributes{"x", 7},
			Relationships: relationships{jsonapi.Relationship{Links: &jsonapi.Links{Self: jsonapi.To("s")}}},
		}},
		Included: []jsonapi.Resource{{Type: "items", ID: "2", Attributes: attributes{"y", 8}}},
	}
	for query, want := range map[string]string{
		"":                                 `{"jsonapi":{"version":"1.0"},"data":[{"type":"folders","id":"1","attributes":{"name":"x","age":7},"relationships":{"parent":{"links":{"self":{"href":"s"}}}}}],"included":[{"type":"items","id":"2","attributes":{"name":"y","age":8}}]}`,
		"?fields[folders]=name":            `{"jsonapi":{"version":"1.0"},"data":[{"type":"folders","id":"1","attributes":{"name":"x"}}],"included":[{"type":"items","id":"2","attributes":{"name":"y","age":8}}]}`,
		"?fields[folders]=parent,age":      `{"jsonapi":{"version":"1.0"},"data":[{"type":"folders","id":"1","attributes":{"age":7},"relationships":{"parent":{"links":{"self":{"href":"s"}}}}}],"included":[{"type":"items","id":"2","attributes":{"name":"y","age":8}}]}`,
		"?fields[folders]=&fields[items]=": `{"jsonapi":{"version":"1.0"},"data":[{"type":"folders","id":"1"}],"included":[{"type":"items","id":"2"}]}`,
		"?fields%5Bitems%5D=name,nothing":  `{"jsonapi":{"version":"1.0"},"data":[{"type":"folders","id":"1","attributes":{"name":"x","age":7},"relationships":{"parent":{"links":{"self":{"href":"s"}}}}}],"included":[{"type":"items","id":"2","attributes":{"name":"y"}}]}`,
	} {
		body, err := d.Encode(parse(t, "/"+query))
		if err != nil || string(body) != want {
			t.Errorf("%s: %v\n got %s\nwant %s", query, err, body, want)
		}
	}
	one := jsonapi.Document{Data: &d.Data.([]jsonapi.Resource)[0]}
	body, err := one.Encode(parse(t, "/?fields[folders]=age"))
	if err != nil || !json.Valid(body) || !strings.Contains(string(body), `"attributes":{"age":7}}`) {
		t.Errorf("%s, %v", body, err)
	}
	if again, _ := one.Encode(jsonapi.Query{}); !strings.Contains(string(again), `"name":"x"`) {
		t.Error("the document itself lost its fields")
	}
}
