package engine

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// toColumn is a value as its column has it. A time is whole microseconds since 1970,
// NULL for the zero time: both engines would keep a time of their own differently
// (PostgreSQL rounds, SQLite stores text with a zone). A list is a JSON array.
func toColumn(value any) any {
	switch value := value.(type) {
	case time.Time:
		if value.IsZero() {
			return nil
		}
		return value.UnixMicro()
	case []string:
		if len(value) == 0 {
			return "[]"
		}
		text, _ := json.Marshal(value) // texts can always be encoded
		return string(text)
	}
	return value
}

// fromColumn is where a column is scanned into for the sake of a value.
func fromColumn(value any) any {
	switch value := value.(type) {
	case *time.Time:
		return (*instant)(value)
	case *[]string:
		return (*list)(value)
	}
	return value
}

// instant scans a time.
type instant time.Time

// Scan implements sql.Scanner.
func (i *instant) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*i = instant{}
	case int64:
		*i = instant(time.UnixMicro(v).UTC())
	default:
		return fmt.Errorf("can't read a time from %T", src)
	}
	return nil
}

// list scans a list of texts; an empty one is nil.
type list []string

// Scan implements sql.Scanner.
func (l *list) Scan(src any) error {
	*l = nil
	if s, ok := src.(string); ok && s == "[]" {
		return nil
	}
	return decodeJSON(src, (*[]string)(l))
}

// JSON is a text column with JSON.
type JSON[T any] struct{ V T }

// Value implements driver.Valuer.
func (j JSON[T]) Value() (driver.Value, error) { return encodeJSON(j.V) }

// Scan implements sql.Scanner.
func (j *JSON[T]) Scan(src any) error {
	*j = JSON[T]{}
	return decodeJSON(src, &j.V)
}

// encodeJSON returns the value for a text column that holds JSON.
func encodeJSON(v any) (driver.Value, error) {
	text, err := json.Marshal(v)
	return string(text), err
}

// decodeJSON reads such a column.
func decodeJSON(src, dest any) error {
	switch v := src.(type) {
	case string:
		return json.Unmarshal([]byte(v), dest)
	case []byte:
		return json.Unmarshal(v, dest)
	default:
		return fmt.Errorf("can't read JSON from %T", src)
	}
}

// Lists of columns name a table's columns and, behind "=", the field that has one
// where it has another name: a, b=field_of_b.

// each returns a list of columns with something made of each of them.
func each(columns string, form func(column, field string) string) string {
	var all []string
	for column := range strings.SplitSeq(columns, ",") {
		column, field, other := strings.Cut(strings.TrimSpace(column), "=")
		if !other {
			field = column
		}
		all = append(all, form(column, field))
	}
	return strings.Join(all, ", ")
}

// Names are the columns by themselves, as those of a table: a.x.
func Names(table, columns string) string {
	return each(columns, func(c, _ string) string { return table + "." + c })
}

// Insert returns the statement that adds a row with the columns.
func Insert(table, columns string) string {
	return "\nINSERT INTO " + table + " (" + each(columns, func(c, _ string) string { return c }) + ")" +
		"\nVALUES (" + each(columns, func(_, f string) string { return ":" + f }) + ")"
}

// Sweeping returns the statement that deletes :limit rows of a table for which the
// condition holds; the key tells them apart. Of a row that somebody else is changing
// PostgreSQL asks again only what stands outside of the list.
func Sweeping(table, key, condition string) string {
	return "\nDELETE FROM " + table + " WHERE " + key + " IN (\n\tSELECT " + strings.Trim(key, "()") + " FROM " + table +
		" WHERE " + condition + " LIMIT :limit) AND (" + condition + ")"
}

// Assign returns what sets the columns of a row: x = :x.
func Assign(columns string) string {
	return each(columns, func(c, f string) string { return c + " = :" + f })
}

// Moved tells whoever read a row before that it was changed since, even at the same time;
// Unmoved is a row that nobody has changed since it was read. Parameters: updated_at as it
// was read, and changed_at.
const (
	Moved   = `updated_at = CASE WHEN :changed_at > updated_at THEN :changed_at ELSE updated_at + 1 END`
	Unmoved = `updated_at = :updated_at`
)

// InTable returns the columns as those of a table: a.x.
func InTable(table, columns string) string {
	return each(columns, func(c, f string) string {
		if c != f {
			return table + "." + c + ` AS "` + f + `"`
		}
		return table + "." + c
	})
}

// Prefixed returns a table's columns as they are read into the field of a row with
// that tag: a.x AS "name.x".
func Prefixed(table, name, columns string) string {
	return each(columns, func(c, f string) string { return table + "." + c + ` AS "` + name + "." + f + `"` })
}

// Args are the named parameters of a query; a row, or a record, serves as well.
type Args map[string]any
