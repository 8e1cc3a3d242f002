package sqlstore

import (
	"fmt"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// filter gathers the conditions of a query that is put together, and the values
// they speak of.
type filter struct {
	conditions []string
	args       args
	err        error // the first comparison that makes no sense
}

func newFilter() *filter { return &filter{args: args{}} }

// bind adds a value and returns its name in the query.
func (f *filter) bind(value any) string {
	name := fmt.Sprintf("v%d", len(f.args))
	f.args[name] = value
	return ":" + name
}

func (f *filter) add(condition string) { f.conditions = append(f.conditions, condition) }

// clause returns the WHERE clause, empty without conditions.
func (f *filter) clause() string {
	if len(f.conditions) == 0 {
		return ""
	}
	return "\nWHERE " + strings.Join(f.conditions, " AND ")
}

// in keeps rows whose column has one of the values, unless they are nil.
func (f *filter) in(column string, values []string) {
	if values != nil {
		f.add(f.among(column, values))
	}
}

func (f *filter) among(column string, values []string) string {
	if len(values) == 0 {
		return "1 = 0"
	}
	names := make([]string, len(values))
	for i, value := range values {
		names[i] = f.bind(value)
	}
	return column + " IN (" + strings.Join(names, ", ") + ")"
}

func (f *filter) text(column string, conditions []storage.TextCondition) {
	for _, c := range conditions {
		f.any(column, c.Op, len(c.Values), func(i int) any { return c.Values[i] })
	}
}

func (f *filter) times(column string, conditions []storage.TimeCondition) {
	for _, c := range conditions {
		f.any(column, c.Op, len(c.Values), func(i int) any { return at(c.Values[i]) })
	}
}

func (f *filter) numbers(column string, conditions []storage.NumberCondition) {
	for _, c := range conditions {
		f.any(column, c.Op, len(c.Values), func(i int) any { return c.Values[i] })
	}
}

// any keeps rows for which the comparison holds with one of the values.
func (f *filter) any(column string, op storage.Op, n int, value func(int) any) {
	if n == 0 {
		f.add("1 = 0")
		return
	}
	all := make([]string, n)
	for i := range all {
		all[i] = f.compare(column, op, value(i))
	}
	f.add("(" + strings.Join(all, " OR ") + ")")
}

func (f *filter) compare(column string, op storage.Op, value any) string {
	switch op {
	case storage.OpEqual:
		return column + " = " + f.bind(value)
	case storage.OpLess:
		return column + " < " + f.bind(value)
	case storage.OpAtMost:
		return column + " <= " + f.bind(value)
	case storage.OpAtLeast:
		return column + " >= " + f.bind(value)
	case storage.OpMore:
		return column + " > " + f.bind(value)
	}
	text, isText := value.(string)
	before, after := "", ""
	switch op {
	case storage.OpStarts:
		after = "%"
	case storage.OpEnds:
		before = "%"
	case storage.OpContains:
		before, after = "%", "%"
	default:
		isText = false
	}
	if !isText {
		f.err = fault.Newf(fault.Invalid, "", "The comparison %q makes no sense here.", string(op))
		return "1 = 0"
	}
	return column + " LIKE " + f.bind(before+literally(text)+after) + " ESCAPE '!'"
}

// literally escapes what LIKE gives a meaning to, with "!".
func literally(text string) string {
	return strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(text)
}
