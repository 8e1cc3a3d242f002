package httpio

import (
	"cmp"
	"encoding/json"
	"reflect"
	"strings"
)

// shape is the Go type that a JSON value is decoded into; the zero shape, that
// nothing is known about it.
type shape struct{ of reflect.Type }

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

func shapeOf(v any) shape { return shape{reflect.TypeOf(v)}.plain() }

// plain follows pointers. What decodes itself is left to it.
func (s shape) plain() shape {
	for s.of != nil && s.of.Kind() == reflect.Pointer {
		s.of = s.of.Elem()
	}
	if s.of == nil || reflect.PointerTo(s.of).Implements(unmarshaler) {
		return shape{}
	}
	return s
}

// element returns the shape of what an array or a map holds.
func (s shape) element() shape {
	if s.of == nil {
		return shape{}
	}
	switch s.of.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return shape{s.of.Elem()}.plain()
	}
	return shape{}
}

// members returns the shapes of an object's members by their names; nil where
// any name will do.
func (s shape) members() map[string]shape {
	if s.of == nil || s.of.Kind() != reflect.Struct {
		return nil
	}
	members := map[string]shape{}
	for _, field := range reflect.VisibleFields(s.of) {
		if name, named := jsonName(field); named {
			members[name] = shape{field.Type}.plain()
		}
	}
	return members
}

// jsonName returns the name that encoding/json knows a field by, if any.
func jsonName(field reflect.StructField) (name string, named bool) {
	tag := field.Tag.Get("json")
	name, _, _ = strings.Cut(tag, ",")
	if !field.IsExported() || tag == "-" || field.Anonymous && name == "" {
		return "", false
	}
	return cmp.Or(name, field.Name), true
}
