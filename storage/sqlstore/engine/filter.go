package engine

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Filter gathers the conditions of a query that is put together, and the values
// they speak of.
type Filter struct {
	conditions []string
	Args       Args
	Err        error // the first comparison that makes no sense
}

// NewFilter returns a filter that keeps all.
func NewFilter() *Filter { return &Filter{Args: Args{}} }

// Another shares the values, but has conditions of its own.
func (f *Filter) Another() *Filter { return &Filter{Args: f.Args} }

// Bind adds a value and returns its name in the query.
func (f *Filter) Bind(value any) string {
	name := fmt.Sprintf("v%d", len(f.Args))
	f.Args[name] = value
	return ":" + name
}

// Add keeps rows for which the condition holds.
func (f *Filter) Add(condition string) { f.conditions = append(f.conditions, condition) }

// Clause returns the WHERE clause, empty without conditions.
func (f *Filter) Clause() string {
	if len(f.conditions) == 0 {
		return ""
	}
	return "\nWHERE " + strings.Join(f.conditions, " AND ")
}

// In keeps rows whose column has one of the values, unless they are nil.
func (f *Filter) In(column string, values []string) {
	if values != nil {
		f.Add(f.Among(column, values))
	}
}

// Among returns the condition that the column has one of the values.
func (f *Filter) Among(column string, values []string) string {
	if len(values) == 0 {
		return "1 = 0"
	}
	names := make([]string, len(values))
	for i, value := range values {
		names[i] = f.Bind(value)
	}
	return column + " IN (" + strings.Join(names, ", ") + ")"
}

// Text keeps rows whose column compares so.
func (f *Filter) Text(column string, conditions []storage.TextCondition) {
	for _, c := range conditions {
		f.any(column, c.Op, len(c.Values), func(i int) any { return c.Values[i] })
	}
}

// Times is Text for times.
func (f *Filter) Times(column string, conditions []storage.TimeCondition) {
	for _, c := range conditions {
		f.any(column, c.Op, len(c.Values), func(i int) any { return c.Values[i] })
	}
}

// Numbers is Text for numbers.
func (f *Filter) Numbers(column string, conditions []storage.NumberCondition) {
	for _, c := range conditions {
		f.any(column, c.Op, len(c.Values), func(i int) any { return c.Values[i] })
	}
}

// any keeps rows for which the comparison holds with one of the values.
func (f *Filter) any(column string, op storage.Op, n int, value func(int) any) {
	if n == 0 {
		f.Add("1 = 0")
		return
	}
	all := make([]string, n)
	for i := range all {
		all[i] = f.Compare(column, op, value(i))
	}
	f.Add("(" + strings.Join(all, " OR ") + ")")
}

// Compare returns the condition that the column compares so with the value.
func (f *Filter) Compare(column string, op storage.Op, value any) string {
	switch op {
	case storage.OpEqual:
		return column + " = " + f.Bind(value)
	case storage.OpLess:
		return column + " < " + f.Bind(value)
	case storage.OpAtMost:
		return column + " <= " + f.Bind(value)
	case storage.OpAtLeast:
		return column + " >= " + f.Bind(value)
	case storage.OpMore:
		return column + " > " + f.Bind(value)
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
		f.Err = fault.Newf(fault.Invalid, "", "The comparison %q makes no sense here.", string(op))
		return "1 = 0"
	}
	return column + " LIKE " + f.Bind(before+literally(text)+after) + " ESCAPE '!'"
}

// CompareText is compare for texts. What begins with a text is a range, which
// an index finds on either engine.
func (f *Filter) CompareText(column string, op storage.Op, value string) string {
	switch op {
	case storage.OpStarts:
		if end, ok := prefixEnd(value); ok {
			return "(" + column + " >= " + f.Bind(value) + " AND " + column + " < " + f.Bind(end) + ")"
		}
	case storage.OpIContains:
		return f.Compare("lower("+column+")", storage.OpContains, strings.ToLower(value))
	}
	return f.Compare(column, op, value)
}

// prefixEnd returns the first text behind all that begin with the prefix, false
// when there is none.
func prefixEnd(prefix string) (string, bool) {
	for prefix != "" {
		last, size := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-size]
		switch {
		case last == utf8.RuneError || last == utf8.MaxRune:
			continue
		case last == 0xD7FF: // what follows stands for halves of characters
			return prefix + "\uE000", true
		}
		return prefix + string(last+1), true
	}
	return "", false
}

// literally escapes what LIKE gives a meaning to, with "!".
func literally(text string) string {
	return strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(text)
}

// Containing returns the LIKE pattern, with "!" as its escape character, of
// texts that contain the key.
func Containing(key string) string {
	return "%" + literally(key) + "%"
}
