package scim

import (
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// columns are what fields of a filter compare, in the words of a table s.
type columns map[storage.SCIMField]string

// folded are the fields that compare without regard to case.
func folded(field storage.SCIMField) bool {
	return field == storage.SCIMName || field == storage.SCIMEmail
}

// condition puts a filter into the words of a query.
func (c columns) condition(f *engine.Filter, filter storage.SCIMFilter) string {
	switch {
	case filter.All != nil:
		return c.joined(f, filter.All, " AND ")
	case filter.Any != nil:
		return c.joined(f, filter.Any, " OR ")
	case filter.Not != nil:
		return "NOT " + c.condition(f, *filter.Not)
	case filter.Field != "":
		return c.compare(f, filter)
	}
	return "(1 = 1)"
}

func (c columns) joined(f *engine.Filter, parts []storage.SCIMFilter, word string) string {
	all := make([]string, len(parts))
	for i, part := range parts {
		all[i] = c.condition(f, part)
	}
	return "(" + strings.Join(all, word) + ")"
}

func (c columns) compare(f *engine.Filter, filter storage.SCIMFilter) string {
	column, value := c[filter.Field], filter.Value
	switch {
	case column == "":
		f.Err = fault.Newf(fault.Invalid, "", "The field %q can't be compared here.", string(filter.Field))
		return "(1 = 0)"
	case filter.Field == storage.SCIMMemberID:
		return strings.Replace(column, "?", f.Bind(value), 1)
	case filter.Field == storage.SCIMActive:
		if value == false {
			return "(NOT " + column + ")"
		}
		return column
	}
	text, isText := value.(string)
	if !isText {
		value, _ = value.(time.Time)
		return "(" + f.Compare(column, filter.Op, value) + ")"
	}
	if folded(filter.Field) {
		text = textkey.Fold(text)
	}
	return "(" + f.CompareText(column, filter.Op, text) + ")"
}
