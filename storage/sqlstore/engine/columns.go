package engine

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Instant is a time column: whole microseconds since 1970, NULL for the zero
// time. Both engines would keep a time of their own differently (PostgreSQL
// rounds, SQLite stores text with a zone).
type Instant struct{ time.Time }

// At makes the instant of a time.
func At(t time.Time) Instant { return Instant{t} }

// Value implements driver.Valuer.
func (i Instant) Value() (driver.Value, error) {
	if i.IsZero() {
		return nil, nil
	}
	return i.UnixMicro(), nil
}

// Scan implements sql.Scanner.
func (i *Instant) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		i.Time = time.Time{}
	case int64:
		i.Time = time.UnixMicro(v).UTC()
	default:
		return fmt.Errorf("can't read a time from %T", src)
	}
	return nil
}

// Optional is a text column that has NULL for the empty text.
type Optional string

// Value implements driver.Valuer.
func (o Optional) Value() (driver.Value, error) {
	if o == "" {
		return nil, nil
	}
	return string(o), nil
}

// Scan implements sql.Scanner.
func (o *Optional) Scan(src any) error {
	var text sql.NullString
	err := text.Scan(src)
	*o = Optional(text.String)
	return err
}

// List is a text column with a JSON array of strings, in their order.
type List []string

// Value implements driver.Valuer.
func (l List) Value() (driver.Value, error) {
	if len(l) == 0 {
		return "[]", nil
	}
	return encodeJSON([]string(l))
}

// Scan implements sql.Scanner. An empty list is nil.
func (l *List) Scan(src any) error {
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

// InTable returns the columns as those of a table: a.x.
func InTable(table, columns string) string {
	var all []string
	for column := range strings.SplitSeq(columns, ",") {
		all = append(all, table+"."+strings.TrimSpace(column))
	}
	return strings.Join(all, ", ")
}

// Prefixed returns a table's columns as sqlx reads them into the field of a row
// with that name: a.x AS "name.x".
func Prefixed(table, name, columns string) string {
	var all []string
	for column := range strings.SplitSeq(columns, ",") {
		column = strings.TrimSpace(column)
		all = append(all, table+"."+column+` AS "`+name+"."+column+`"`)
	}
	return strings.Join(all, ", ")
}
