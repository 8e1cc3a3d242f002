package sqlstore

import (
	"slices"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// data keeps rows for which each condition holds; the column has JSON or the
// empty text.
func (f *filter) data(column string, conditions []storage.DataCondition) {
	for _, c := range conditions {
		path := `$."` + strings.Join(c.Path, `"."`) + `"`
		if strings.ContainsAny(strings.Join(c.Path, ""), `"\`) || slices.Contains(c.Path, "") || len(c.Values) == 0 {
			f.err = fault.Newf(fault.Invalid, "", "%s is no path to data, or there is nothing to compare it with.", path)
			continue
		}
		all := make([]string, len(c.Values))
		for i, value := range c.Values {
			all[i] = f.compareEntry(c.Op, value)
		}
		f.add("EXISTS (SELECT 1 FROM {entries of}" + column + "{at}" + f.bind(path) + "{entries end} WHERE " +
			strings.Join(all, " OR ") + ")")
	}
}

// compareEntry compares an entry as a number if both are, else as text.
func (f *filter) compareEntry(op storage.Op, value string) string {
	asText := f.compare("{entry as text}", op, value)
	number, err := strconv.ParseFloat(value, 64)
	if err != nil || !slices.Contains([]storage.Op{storage.OpEqual, storage.OpLess, storage.OpAtMost, storage.OpAtLeast, storage.OpMore}, op) {
		return asText
	}
	return "coalesce(" + f.compare("{entry as number}", op, number) + ", " + asText + ")"
}

// How the engines look at JSON: what lies at a path is a table e, of one row or,
// for an array, of one for each entry. Members of objects are none of them.
func sqliteEntries() []string {
	return []string{
		"{entries of}", "json_each(nullif(", "{at}", ", ''), ", "{entries end}", ") e",
		"{entry as text}", "(CASE WHEN typeof(e.key) = 'text' THEN NULL WHEN e.type IN ('true', 'false') THEN e.type ELSE cast(e.atom AS text) END)",
		"{entry as number}", "(CASE WHEN typeof(e.key) <> 'text' AND e.type IN ('integer', 'real') THEN e.atom END)",
	}
}

func postgresEntries() []string {
	return []string{
		"{entries of}", "(SELECT jsonb_path_query_first(cast(nullif(", "{at}", ", '') AS jsonb), cast('strict ' || cast(",
		"{entries end}", " AS text) AS jsonpath), '{}', true) AS found) one, LATERAL jsonb_array_elements(" +
			"CASE jsonb_typeof(found) WHEN 'array' THEN found ELSE jsonb_build_array(found) END) AS e (value)",
		"{entry as text}", `((CASE WHEN jsonb_typeof(e.value) NOT IN ('object', 'array') THEN e.value #>> '{}' END) COLLATE "C")`,
		"{entry as number}", "(CASE jsonb_typeof(e.value) WHEN 'number' THEN cast(e.value #>> '{}' AS double precision) END)",
	}
}
