package jsonapi

import (
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
)

// Op is a comparison, as it is written behind the brackets of a filter.
type Op string

// The comparisons. Without one a filter means OpEqual.
const (
	OpLess     Op = "lt"
	OpAtMost   Op = "le"
	OpEqual    Op = "eq"
	OpAtLeast  Op = "ge"
	OpMore     Op = "gt"
	OpStarts   Op = "starts"
	OpEnds     Op = "ends"
	OpContains Op = "contains"

	// OpIContains is OpContains whatever the case of letters; for searches.
	OpIContains Op = "icontains"
)

// Exact is what ids and words of a list compare by.
func Exact() []Op { return []Op{OpEqual} }

// Ordered is what numbers and times compare by.
func Ordered() []Op { return []Op{OpEqual, OpLess, OpAtMost, OpAtLeast, OpMore} }

// Textual is what text compares by: every comparison there is.
func Textual() []Op { return append(Ordered(), OpStarts, OpEnds, OpContains) }

// Searchable is what searches compare text by.
func Searchable() []Op { return append(Textual(), OpIContains) }

// Filter is a filter that an operation has.
type Filter struct {
	Name string // as in filter[…], without attributes. or meta.; one that ends in ".*" stands for all below it
	Ops  []Op
}

// Condition holds when the comparison holds for at least one of the values.
type Condition struct {
	Name      string // of the filter, such as extension.type, without attributes. or meta.
	Parameter string // as it was sent, for errors
	Op        Op
	Values    []string // never empty, and none of them is
}

// ParseFilter reads a filter: what follows "filter[" in the parameter's name,
// and the parameter's values. The grammar is
//
//	filter = "filter[" path "]" [ "-" op ]
//	path   = name *( "." name )
//	values = value *( "," value )
//	value  = 1*( "\," / "\\" / any character but "," and "\" )
//
// where the parameter may be repeated. A leading "attributes." or "meta." means
// nothing. Faults are Invalid.
func ParseFilter(inside string, values []string) (Condition, error) {
	path, suffix, closed := strings.Cut(inside, "]")
	if !closed {
		return Condition{}, unknownParameter()
	}
	c := Condition{Parameter: "filter[" + inside, Op: OpEqual, Name: path}
	for _, prefix := range []string{"attributes.", "meta."} {
		if rest, found := strings.CutPrefix(path, prefix); found {
			c.Name = rest
			break
		}
	}
	way := strings.Split(c.Name, ".")
	if slices.Contains(way, "") || len(way) > maxWay || strings.ContainsAny(c.Name, "[]") {
		return Condition{}, invalid("The name in the brackets is malformed.")
	}
	if suffix != "" {
		op, dashed := strings.CutPrefix(suffix, "-")
		c.Op = Op(op)
		if !dashed || !slices.Contains(Searchable(), c.Op) {
			return Condition{}, unknownOp(Textual())
		}
	}
	for _, value := range values {
		some, ok := splitValues(value)
		if !ok {
			return Condition{}, invalid(`A backslash stands before a comma or a backslash: "\," is a comma in a value, "\\" a backslash.`)
		}
		c.Values = append(c.Values, some...)
	}
	if slices.Contains(c.Values, "") {
		return Condition{}, invalid("The filter has an empty value.")
	}
	if len(c.Values) > MaxLimit {
		return Condition{}, invalidf("The filter has more than %d values.", MaxLimit)
	}
	return c, nil
}

// splitValues splits at commas, but for those behind a backslash. It is not ok
// for a backslash to stand before anything but a comma or a backslash.
func splitValues(text string) (values []string, ok bool) {
	var value strings.Builder
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ',':
			values = append(values, value.String())
			value.Reset()
			continue
		case '\\':
			i++
			if i == len(text) || text[i] != ',' && text[i] != '\\' {
				return nil, false
			}
		}
		value.WriteByte(text[i])
	}
	return append(values, value.String()), true
}

func (rules Rules) takeFilter(q *Query, inside string, values []string) error {
	c, err := ParseFilter(inside, values)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(rules.Filters, func(f Filter) bool { return f.matches(c.Name) })
	if i < 0 {
		return fault.New(fault.Invalid, "unknown_filter", "This operation has no such filter."+rules.filterNames())
	}
	if !slices.Contains(rules.Filters[i].Ops, c.Op) {
		return unknownOp(rules.Filters[i].Ops)
	}
	q.Conditions = append(q.Conditions, c)
	total := 0
	for _, some := range q.Conditions {
		total += len(some.Values)
	}
	if total > maxValues { // the store's time grows with their square
		return invalidf("The filters have more than %d values together.", maxValues)
	}
	return nil
}

func (f Filter) matches(name string) bool {
	below, family := strings.CutSuffix(f.Name, "*")
	if family {
		return len(name) > len(below) && strings.HasPrefix(name, below)
	}
	return f.Name == name
}

func (rules Rules) filterNames() string {
	if len(rules.Filters) == 0 {
		return ""
	}
	names := make([]string, len(rules.Filters))
	for i, f := range rules.Filters {
		names[i] = f.Name
	}
	return " It has " + strings.Join(names, ", ") + "."
}

func unknownOp(ops []Op) error {
	words := make([]string, len(ops))
	for i, op := range ops {
		words[i] = "-" + string(op)
	}
	return fault.New(fault.Invalid, "unknown_comparison",
		"Behind the brackets this filter takes nothing or "+strings.Join(words, ", ")+".")
}
