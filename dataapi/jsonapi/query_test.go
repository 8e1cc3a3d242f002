package jsonapi_test

import (
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/internal/fault"
)

func rules() jsonapi.Rules {
	return jsonapi.Rules{
		Types: []string{"folders", "items"}, Paged: true, Sort: []string{"name"}, Flags: []string{"includeHidden"},
		Texts: []string{"user"},
		Filters: []jsonapi.Filter{
			{Name: "id", Ops: jsonapi.Exact()}, {Name: "versionNumber", Ops: jsonapi.Ordered()},
			{Name: "extension.type", Ops: jsonapi.Textual()}, {Name: "extension.data.*", Ops: jsonapi.Textual()},
		},
	}
}

// Rule: DATA-12
func TestFiltersAreReadAsClientsWriteThem(t *testing.T) {
	one := func(name string, op jsonapi.Op, values ...string) jsonapi.Condition {
		return jsonapi.Condition{Name: name, Op: op, Values: values}
	}
	for query, want := range map[string]jsonapi.Condition{
		"filter[id]=a":                                one("id", "eq", "a"),
		"filter%5Bid%5D=a":                            one("id", "eq", "a"),
		"filter%5bid%5d=a,b":                          one("id", "eq", "a", "b"),
		"filter[id]=a&filter[id]=b,c":                 one("id", "eq", "a", "b", "c"),
		`filter[id]=Plan\,%20ground%20floor.pdf,b`:    one("id", "eq", "Plan, ground floor.pdf", "b"),
		"filter[id]=%5C%2C,%5C%5C,%5C%5C%5C%2C,a%5C,": one("id", "eq", ",", `\`, `\,`, "a,"),
		"filter[id]-eq=a":                             one("id", "eq", "a"),
		"filter[attributes.versionNumber]-lt=3":       one("versionNumber", "lt", "3"),
		"filter[versionNumber]-ge=3":                  one("versionNumber", "ge", "3"),
		"filter[meta.extension.type]-starts=items%3A": one("extension.type", "starts", "items:"),
		"filter[extension.type]-ends=File":            one("extension.type", "ends", "File"),
		"filter[extension.type]-contains=core":        one("extension.type", "contains", "core"),
		"filter[extension.data.a.b]=c":                one("extension.data.a.b", "eq", "c"),
		"filter[attributes.extension.data.x]-gt=1":    one("extension.data.x", "gt", "1"),
	} {
		q, err := rules().Parse(httptest.NewRequest("GET", "/?"+query, nil))
		if err != nil || len(q.Conditions) != 1 {
			t.Errorf("%s: %v, %v", query, q.Conditions, err)
			continue
		}
		q.Conditions[0].Parameter = ""
		if diff := cmp.Diff(want, q.Conditions[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

// Rules: DATA-12, DATA-13
func TestWhatAnOperationDoesNotHaveIsRefusedByName(t *testing.T) {
	for query, want := range map[string][2]string{
		"colour=red":                {"colour", "unknown_parameter"},
		"include=items":             {"include", "unknown_parameter"},
		"filter=x":                  {"filter", "unknown_parameter"},
		"page=1":                    {"page", "unknown_parameter"},
		"page%5Bsize%5D=1":          {"page[size]", "unknown_parameter"},
		"page[limit=1":              {"page[limit", "unknown_parameter"},
		"filter[id=1":               {"filter[id", "unknown_parameter"},
		"filter[colour]=red":        {"filter[colour]", "unknown_filter"},
		"filter[extension.data.]=x": {"filter[extension.data.]", "bad_input"},
		"filter[extension..type]=x": {"filter[extension..type]", "bad_input"},
		"filter[extension.data." + strings.Repeat("a.", 30) + "a]=x": {
			"filter[extension.data." + strings.Repeat("a.", 30) + "a]", "bad_input"},
		"filter[]=x":                            {"filter[]", "bad_input"},
		"filter[attributes.]=x":                 {"filter[attributes.]", "bad_input"},
		"filter[id]-lt=1":                       {"filter[id]-lt", "unknown_comparison"},
		"filter[id]-like=1":                     {"filter[id]-like", "unknown_comparison"},
		"filter[id]eq=1":                        {"filter[id]eq", "unknown_comparison"},
		"filter[id]-=1":                         {"filter[id]-", "unknown_comparison"},
		"filter[versionNumber]-starts=1":        {"filter[versionNumber]-starts", "unknown_comparison"},
		"filter[id]=":                           {"filter[id]", "bad_input"},
		"filter[id]=a,,b":                       {"filter[id]", "bad_input"},
		`filter[id]=a\`:                         {"filter[id]", "bad_input"},
		`filter[id]=a\b`:                        {"filter[id]", "bad_input"},
		`filter[id]=a\\,`:                       {"filter[id]", "bad_input"},
		"sort=age":                              {"sort", "bad_input"},
		"sort=--name":                           {"sort", "bad_input"},
		"sort=name,age":                         {"sort", "bad_input"},
		"sort=":                                 {"sort", "bad_input"},
		"fields[hubs]=name":                     {"fields[hubs]", "bad_input"},
		"fields[folders=name":                   {"fields[folders", "bad_input"},
		"includeHidden=yes":                     {"includeHidden", "bad_input"},
		"includeHidden=1":                       {"includeHidden", "bad_input"},
		"includeHidden=TRUE":                    {"includeHidden", "bad_input"},
		"includeHidden=":                        {"includeHidden", "bad_input"},
		"includeHidden=true&includeHidden=true": {"includeHidden", "bad_input"},
		"user=":                                 {"user", "bad_input"},
		"page[limit]=0":                         {"page[limit]", "bad_input"},
		"page[limit]=201":                       {"page[limit]", "bad_input"},
		"page[limit]=+5":                        {"page[limit]", "bad_input"},
		"page[limit]=%2B5":                      {"page[limit]", "bad_input"},
		"page[limit]=1e2":                       {"page[limit]", "bad_input"},
		"page[limit]=":                          {"page[limit]", "bad_input"},
		"page[number]=-1":                       {"page[number]", "bad_input"},
		"page[number]=99999999999":              {"page[number]", "bad_input"},
		"page[number]=1&page[number]=2":         {"page[number]", "bad_input"},
		"page[cursor]=":                         {"page[cursor]", "bad_input"},
		"a=%zz":                                 {"", "bad_input"},
		"filter[id]=%00":                        {"filter[id]", "bad_input"},
		"filter[id]=%ff":                        {"filter[id]", "bad_input"},
		strings.Repeat("&", 300):                {"", "bad_input"},
		"filter[id]=" + strings.Repeat("a,", 200) + "a": {"filter[id]", "bad_input"},
		// Each value costs as much as there are others.
		"filter[extension.type]=" + strings.Repeat("a,", 199) + "a&filter[id]=" + strings.Repeat("b,", 199) + "b": {
			"filter[id]", "bad_input"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL.RawQuery = query
		_, err := rules().Parse(r)
		if f := fault.From(err); f == nil || f.Kind != fault.Invalid || f.Source != want[0] ||
			f.Reason != want[1] || f.Detail == "" {
			t.Errorf("%.60s: %v, source %q; want %q", query, err, fault.From(err).Source, want)
		}
	}
}

// Rule: DATA-13
func TestAFlagIsReadAsClientsWriteIt(t *testing.T) {
	for value, want := range map[string]bool{"true": true, "True": true, "false": false, "False": false} {
		q, err := rules().Parse(httptest.NewRequest("GET", "/?includeHidden="+value, nil))
		if err != nil || q.Flag("includeHidden") != want {
			t.Errorf("%s: %t, %v", value, q.Flag("includeHidden"), err)
		}
	}
}

// Rule: DATA-15
func TestBoundsOfThePageSizeAreTold(t *testing.T) {
	_, err := rules().Parse(httptest.NewRequest("GET", "/?page[limit]=201", nil))
	for _, part := range []string{"1", "200", `"201"`} {
		if !strings.Contains(fault.From(err).Detail, part) {
			t.Errorf("%q lacks %s", fault.From(err).Detail, part)
		}
	}
	for limit, want := range map[string]int{"": 200, "?page[limit]=1": 1, "?page%5Blimit%5D=200": 200} {
		q, err := rules().Parse(httptest.NewRequest("GET", "/"+limit, nil))
		if err != nil || q.Page.Limit != want {
			t.Errorf("%s: %d, %v", limit, q.Page.Limit, err)
		}
	}
}

// Rule: DATA-12
func TestTimesInFiltersMayBeCutShort(t *testing.T) {
	utc := func(year int, month time.Month, day, hour, minute, second, nanosecond int) time.Time {
		return time.Date(year, month, day, hour, minute, second, nanosecond, time.UTC)
	}
	for text, want := range map[string]time.Time{
		"2026":                         utc(2026, 1, 1, 0, 0, 0, 0),
		"2026-03":                      utc(2026, 3, 1, 0, 0, 0, 0),
		"2026-03-04":                   utc(2026, 3, 4, 0, 0, 0, 0),
		"2026-03-04Z":                  utc(2026, 3, 4, 0, 0, 0, 0),
		"2026-03-04T05":                utc(2026, 3, 4, 5, 0, 0, 0),
		"2026-03-04T05:06":             utc(2026, 3, 4, 5, 6, 0, 0),
		"2026-03-04T05:06:07":          utc(2026, 3, 4, 5, 6, 7, 0),
		"2026-03-04T05:06:07Z":         utc(2026, 3, 4, 5, 6, 7, 0),
		"2026-03-04T05:06:07.1":        utc(2026, 3, 4, 5, 6, 7, 100_000_000),
		"2026-03-04T05:06:07.1234567Z": utc(2026, 3, 4, 5, 6, 7, 123_456_700),
		"2026-03-04T05:06:07+02:00":    utc(2026, 3, 4, 3, 6, 7, 0),
		"2026-03-04T05:06:07 02:00":    utc(2026, 3, 4, 3, 6, 7, 0), // a "+" that was not escaped
		"2026-03-04T05:06-0130":        utc(2026, 3, 4, 6, 36, 0, 0),
		"2026-03-04T05+02":             utc(2026, 3, 4, 3, 0, 0, 0),
	} {
		if got, ok := jsonapi.ParseTime(text); !ok || !got.Equal(want) {
			t.Errorf("%s: %v, %t", text, got, ok)
		}
	}
	for _, text := range []string{
		"", "26", "2026-13", "2026-02-30", "2026-03-04T25", "yesterday", "2026-03-04T05:06:07.",
		"2026-03-04T05:06:07.12345678", "2026-03-04 05:06", "1772600000",
	} {
		if got, ok := jsonapi.ParseTime(text); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// Rule: DATA-12
func FuzzFilterNamesAndValues(f *testing.F) {
	for _, seed := range [][2]string{
		{"id]", "a,b"}, {"attributes.extension.data.x]-contains", "%"},
		{"lastModifiedTimeRollup]-lt", "2026-01-01T00:00:00+02:00"},
		{"]]-eq", ""}, {"..]", ","}, {"id]-eq-eq", "x"}, {"[id]", "x"}, {"name]", `a\,b,\\,c`}, {"name]", `a\`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, inside, value string) {
		c, err := jsonapi.ParseFilter(inside, []string{value})
		if err != nil {
			if !fault.Is(err, fault.Invalid) || fault.From(err).Detail == "" {
				t.Errorf("%q=%q: %v", inside, value, err)
			}
			return
		}
		written := make([]string, len(c.Values))
		for i, one := range c.Values {
			written[i] = strings.NewReplacer(`\`, `\\`, ",", `\,`).Replace(one)
		}
		if c.Name == "" || strings.ContainsAny(c.Name, "[]") || len(c.Values) == 0 || strings.Join(written, ",") != value {
			t.Errorf("%q=%q: %+v", inside, value, c)
		}
		again, err := jsonapi.ParseFilter(c.Name+"]-"+string(c.Op), written)
		if strings.HasPrefix(c.Name, "attributes.") || strings.HasPrefix(c.Name, "meta.") {
			return // one prefix of two was taken off
		}
		if err != nil || again.Name != c.Name || again.Op != c.Op || !slices.Equal(again.Values, c.Values) {
			t.Errorf("%+v reads as %+v, %v", c, again, err)
		}
	})
}

func FuzzQueriesNeverPanicAndNameWhatIsWrong(f *testing.F) {
	for _, seed := range []string{"filter[id]=a", "page[limit]=1&sort=-name", "fields[items]=a,b", "%", "filter%5B",
		"page%5Bcursor%5D=x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL.RawQuery = raw
		if q, err := rules().Parse(r); err != nil {
			if _, malformed := url.ParseQuery(raw); malformed == nil && !fault.Is(err, fault.Invalid) {
				t.Errorf("%q: %v", raw, err)
			}
		} else if q.Page.Limit < 1 || q.Page.Limit > jsonapi.MaxLimit || q.Page.Number < 0 {
			t.Errorf("%q: %+v", raw, q.Page)
		}
	})
}
