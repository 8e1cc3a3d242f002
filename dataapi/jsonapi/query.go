package jsonapi

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

// Bounds of page[limit] (decision J6) and of a query.
const (
	MaxLimit      = 200
	maxQuery      = 64 << 10            // bytes
	maxParameters = 300                 // a filter may be repeated once for each of 200 ids
	maxValues     = 300                 // of all filters: 200 ids, and words besides
	maxWay        = httpio.MaxJSONDepth // names in the brackets of a filter: no body is nested deeper
)

// Rules say which parameters an operation takes. Anything else is refused by
// its name.
type Rules struct {
	Types   []string // of the resources in the answer, for fields[type]
	Filters []Filter
	Flags   []string // parameters that are true or false
	Texts   []string // parameters with one text each
	Paged   bool     // page[number], page[limit] and page[cursor]
	Sort    []string // fields that the list can be sorted by
}

// Query is what the parameters of a request say.
type Query struct {
	Fields     map[string][]string // by type; absent: all
	Conditions []Condition         // all of them must hold
	Page       Page
	Sort       string // the field; empty: the usual order
	Descending bool

	flags map[string]bool
	texts map[string]string
	kept  url.Values // everything but the page, for the links
}

// Flag returns whether the flag is set; absent ones are false.
func (q Query) Flag(name string) bool { return q.flags[name] }

// Text returns the value of the parameter, and whether it was given.
func (q Query) Text(name string) (string, bool) {
	value, given := q.texts[name]
	return value, given
}

// Parse reads the query of a request. Everything wrong is Invalid, with the
// parameter as its source.
func (rules Rules) Parse(r *http.Request) (Query, error) {
	values, err := parameters(r.URL.RawQuery)
	if err != nil {
		return Query{}, err
	}
	q := Query{
		Fields: map[string][]string{}, flags: map[string]bool{}, texts: map[string]string{}, kept: url.Values{},
		Page: Page{Limit: MaxLimit},
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := rules.take(&q, name, values[name]); err != nil {
			return Query{}, fault.From(err).At(name)
		}
		if !strings.HasPrefix(name, "page[") {
			q.kept[name] = values[name]
		}
	}
	return q, nil
}

// parameters splits the query. Names and values are text; brackets may come
// encoded or not.
func parameters(raw string) (url.Values, error) {
	if len(raw) > maxQuery || strings.Count(raw, "&") >= maxParameters {
		return nil, fault.New(fault.Invalid, ReasonInvalid, "The query is too long.")
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, fault.New(fault.Invalid, ReasonInvalid, "The query is not form-encoded.")
	}
	for _, name := range slices.Sorted(maps.Keys(values)) { // the same query fails in the same words
		noText := invalid("The query holds invalid UTF-8 or the character U+0000.")
		if !httpio.IsText(name) {
			return nil, noText
		}
		if slices.ContainsFunc(values[name], func(v string) bool { return !httpio.IsText(v) }) {
			return nil, noText.At(name)
		}
	}
	return values, nil
}

func (rules Rules) take(q *Query, name string, values []string) error {
	family, inside, bracketed := strings.Cut(name, "[")
	if bracketed && family == "filter" {
		return rules.takeFilter(q, inside, values)
	}
	if len(values) > 1 {
		return invalid("The parameter is repeated.")
	}
	value := values[0]
	switch {
	case bracketed && family == "page" && rules.Paged:
		return q.Page.take(name, value)
	case bracketed && family == "fields":
		return rules.takeFields(q, inside, value)
	case name == "sort" && len(rules.Sort) > 0:
		return rules.takeSort(q, value)
	case slices.Contains(rules.Flags, name):
		set, err := parseFlag(value)
		q.flags[name] = set
		return err
	case slices.Contains(rules.Texts, name):
		if value == "" {
			return invalid("The parameter is empty.")
		}
		q.texts[name] = value
		return nil
	}
	return unknownParameter()
}

func (rules Rules) takeFields(q *Query, inside, value string) error {
	kind, closed := strings.CutSuffix(inside, "]")
	if !closed || !slices.Contains(rules.Types, kind) {
		return invalidf("This operation answers with %s.", strings.Join(rules.Types, ", "))
	}
	q.Fields[kind] = strings.Split(value, ",")
	return nil
}

func (rules Rules) takeSort(q *Query, value string) error {
	q.Sort, q.Descending = strings.TrimPrefix(value, "-"), strings.HasPrefix(value, "-")
	if !slices.Contains(rules.Sort, q.Sort) {
		return invalidf("The list can be sorted by %s, with a minus sign before it from the end.",
			strings.Join(rules.Sort, " or "))
	}
	return nil
}

// parseFlag takes the words as .NET and Python write them, too.
func parseFlag(value string) (bool, error) {
	switch value {
	case "true", "True":
		return true, nil
	case "false", "False":
		return false, nil
	}
	return false, invalid("The value must be true or false.")
}

func parseInt(value string, least, most int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > most || value[0] == '+' {
		return 0, invalidf("The value must be a whole number from %d to %d, got %s.", least, most, quoted(value))
	}
	return n, nil
}

// quoted shows a value that was sent, as far as it can be shown.
func quoted(value string) string {
	const most = 40
	if len(value) > most {
		return "one that is far too long"
	}
	return strconv.QuoteToASCII(value)
}

func unknownParameter() error {
	return fault.New(fault.Invalid, "unknown_parameter", "This operation has no such parameter.")
}

func invalid(detail string) *fault.Error { return fault.New(fault.Invalid, ReasonInvalid, detail) }

func invalidf(format string, args ...any) *fault.Error { return invalid(fmt.Sprintf(format, args...)) }
