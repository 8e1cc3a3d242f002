package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Data keeps rows for which each condition holds; the column has JSON or the
// empty text.
func (f *Filter) Data(column string, conditions []storage.DataCondition) {
	for _, c := range conditions {
		path := `$."` + strings.Join(c.Path, `"."`) + `"`
		if strings.ContainsAny(strings.Join(c.Path, ""), `"\`) || slices.Contains(c.Path, "") || len(c.Values) == 0 {
			f.Err = fault.Newf(fault.Invalid, "", "%s is no path to data, or there is nothing to compare it with.", path)
			continue
		}
		all := make([]string, len(c.Values))
		for i, value := range c.Values {
			all[i] = f.compareEntry(c.Op, value)
		}
		f.Add("EXISTS (SELECT 1 FROM {entries of}" + column + "{at}" + f.Bind(path) + "{entries end} WHERE " +
			strings.Join(all, " OR ") + ")")
	}
}

// compareEntry compares an entry as a number if both are, else as text.
func (f *Filter) compareEntry(op storage.Op, value string) string {
	asText := f.Compare("{entry as text}", op, value)
	number, err := strconv.ParseFloat(value, 64)
	if err != nil || !slices.Contains([]storage.Op{storage.OpEqual, storage.OpLess, storage.OpAtMost,
		storage.OpAtLeast, storage.OpMore}, op) {
		return asText
	}
	return "coalesce(" + f.Compare("{entry as number}", op, number) + ", " + asText + ")"
}
