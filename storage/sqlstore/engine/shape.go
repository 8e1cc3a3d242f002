package engine

import (
	"context"
	"fmt"
	"strings"
)

// Kind is what the values of a column are.
type Kind string

// The kinds: int64, string, []byte and bool. SQLite keeps the last as numbers.
const (
	Number Kind = "number"
	Text   Kind = "text"
	Bytes  Kind = "bytes"
	Bool   Kind = "bool"
)

func kindOf(declared string) (Kind, error) {
	switch strings.ToLower(declared) {
	case "bigint", "integer":
		return Number, nil
	case "text":
		return Text, nil
	case "bytea", "blob":
		return Bytes, nil
	case "boolean":
		return Bool, nil
	}
	return "", fmt.Errorf("columns of type %s are not known", declared)
}

// Shape is a table of the schema.
type Shape struct {
	Table   string
	Columns []string
	Kinds   []Kind // of the columns
	Counter string // the column whose values the database counts; empty: none
}

// shapes returns the tables in the order of their names, but for those that say which
// schema it is.
func (t Tx) shapes(ctx context.Context) ([]Shape, error) {
	var columns []struct {
		TableName, ColumnName, Declared string
		Counted                         bool
	}
	if err := t.List(ctx, &columns, `{columns}`, Args{}); err != nil {
		return nil, err
	}
	var all []Shape
	for _, c := range columns {
		if strings.HasPrefix(c.TableName, "schema_") {
			continue
		}
		if len(all) == 0 || all[len(all)-1].Table != c.TableName {
			all = append(all, Shape{Table: c.TableName})
		}
		kind, err := kindOf(c.Declared)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", c.TableName, err)
		}
		s := &all[len(all)-1]
		s.Columns, s.Kinds = append(s.Columns, c.ColumnName), append(s.Kinds, kind)
		if c.Counted {
			s.Counter = c.ColumnName
		}
	}
	return all, nil
}
