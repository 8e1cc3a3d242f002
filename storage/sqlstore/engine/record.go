package engine

import (
	"database/sql"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
)

// layout says where a struct has the value of a column. A column is named as the
// field, in small letters (CreatedAt is created_at), or as its tag db says. What is
// embedded counts as the struct's own where it has none of the name; a field that is
// a struct gives its columns its name (Extension.Type is extension_type), or its tag
// and a point.
type layout map[string][]int

func (l layout) add(t reflect.Type, prefix string, at []int) {
	for i := range t.NumField() {
		field := t.Field(i)
		name := prefix + columnOf(field)
		if _, nearer := l[name]; !nearer && !isRow(field.Type) && field.IsExported() {
			l[name] = slices.Concat(at, field.Index)
		}
	}
	for i := range t.NumField() {
		if field := t.Field(i); isRow(field.Type) {
			l.add(field.Type, prefix+prefixOf(field), slices.Concat(at, field.Index))
		}
	}
}

// prefixOf is what the columns of a struct in a struct begin with.
func prefixOf(field reflect.StructField) string {
	switch tag := field.Tag.Get("db"); {
	case tag != "":
		return tag + "."
	case field.Anonymous:
		return ""
	}
	return columnOf(field) + "_"
}

// isRow reports whether a value has columns of its own.
func isRow(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t != reflect.TypeFor[time.Time]() &&
		!reflect.PointerTo(t).Implements(reflect.TypeFor[sql.Scanner]())
}

func columnOf(field reflect.StructField) string {
	if tag := field.Tag.Get("db"); tag != "" {
		return tag
	}
	name := strings.NewReplacer("URIs", "Uris", "IDs", "Ids").Replace(field.Name)
	var column strings.Builder
	for i, r := range name {
		begins := i > 0 && (!unicode.IsUpper(rune(name[i-1])) || i+1 < len(name) && unicode.IsLower(rune(name[i+1])))
		if unicode.IsUpper(r) && begins {
			column.WriteByte('_')
		}
		column.WriteRune(r)
	}
	return strings.ToLower(column.String())
}

// layout returns the layout of a struct.
func (h *handle) layout(t reflect.Type) layout {
	if known, ok := h.layouts.Load(t); ok {
		return known.(layout)
	}
	l := layout{}
	l.add(t, "", nil)
	h.layouts.Store(t, l)
	return l
}

// values are those that an argument, Args or a struct, has for the names of a query.
func (h *handle) values(names []string, arg any) ([]any, error) {
	of := h.valueOf(arg)
	values := make([]any, len(names))
	for i, name := range names {
		value, ok := of(name)
		if !ok {
			return nil, fmt.Errorf("there is no %s in %T", name, arg)
		}
		values[i] = toColumn(value)
	}
	return values, nil
}

func (h *handle) valueOf(arg any) func(name string) (any, bool) {
	if args, ok := arg.(Args); ok {
		return func(name string) (any, bool) { value, ok := args[name]; return value, ok }
	}
	row := reflect.Indirect(reflect.ValueOf(arg))
	l := h.layout(row.Type())
	return func(name string) (any, bool) {
		at, ok := l[name]
		if !ok {
			return nil, false
		}
		return row.FieldByIndex(at).Interface(), true
	}
}

// places are where the columns of a query belong in a value: a struct, or a single column.
func (h *handle) places(rows *sql.Rows, in reflect.Value) ([]any, error) {
	columns, err := rows.Columns()
	if err != nil || !isRow(in.Type()) {
		return []any{fromColumn(in.Addr().Interface())}, err
	}
	l := h.layout(in.Type())
	places := make([]any, len(columns))
	for i, column := range columns {
		at, ok := l[column]
		if !ok {
			return nil, fmt.Errorf("there is no place for the column %s in %s", column, in.Type())
		}
		places[i] = fromColumn(in.FieldByIndex(at).Addr().Interface())
	}
	return places, nil
}

// readAll adds the rows of a query to a slice, each a copy of the one that all are read into.
func (h *handle) readAll(rows *sql.Rows, err error, dest any) error {
	if err != nil || rows == nil {
		return err
	}
	defer rows.Close()
	all := reflect.ValueOf(dest).Elem()
	t := all.Type().Elem()
	pointers := t.Kind() == reflect.Pointer
	if pointers {
		t = t.Elem()
	}
	row := reflect.New(t).Elem()
	places, err := h.places(rows, row)
	if err != nil {
		return err
	}
	for n := all.Len(); rows.Next(); n++ {
		if err := rows.Scan(places...); err != nil {
			return err
		}
		all.Grow(1)
		all.SetLen(n + 1)
		into := all.Index(n)
		if pointers {
			into.Set(reflect.New(t))
			into = into.Elem()
		}
		into.Set(row)
	}
	return rows.Err()
}

// readOne reads the first row of a query, or returns sql.ErrNoRows.
func (h *handle) readOne(rows *sql.Rows, err error, dest any) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	into := reflect.ValueOf(dest).Elem()
	places, err := h.places(rows, into)
	if err != nil {
		return err
	}
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return err
		}
		return sql.ErrNoRows
	}
	if err := rows.Scan(places...); err != nil {
		return err
	}
	return rows.Close()
}
