package sqlstore

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"
)

// instant is a time column: whole microseconds since 1970, NULL for the zero
// time. Both engines would keep a time of their own differently (PostgreSQL
// rounds, SQLite stores text with a zone).
type instant struct{ time.Time }

// at makes the instant of a time.
func at(t time.Time) instant { return instant{t} }

// Value implements driver.Valuer.
func (i instant) Value() (driver.Value, error) {
	if i.IsZero() {
		return nil, nil
	}
	return i.UnixMicro(), nil
}

// Scan implements sql.Scanner.
func (i *instant) Scan(src any) error {
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

// list is a text column with a JSON array of strings, in their order.
type list []string

// Value implements driver.Valuer.
func (l list) Value() (driver.Value, error) {
	if len(l) == 0 {
		return "[]", nil
	}
	return encodeJSON([]string(l))
}

// Scan implements sql.Scanner. An empty list is nil.
func (l *list) Scan(src any) error {
	*l = nil
	if s, ok := src.(string); ok && s == "[]" {
		return nil
	}
	return decodeJSON(src, (*[]string)(l))
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
