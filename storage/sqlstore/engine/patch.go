package engine

import "reflect"

// Patch gives a row what a patch has, pointers to values of fields of the row, and
// returns the columns that are other by that.
func (t Tx) Patch(row, patch any) []string {
	into, from := reflect.ValueOf(row).Elem(), reflect.ValueOf(patch)
	l := t.handle.layout(into.Type())
	var changed []string
	for i := range from.NumField() {
		value, column := from.Field(i), columnOf(from.Type().Field(i))
		if value.IsNil() {
			continue
		}
		if field := into.FieldByIndex(l[column]); !field.Equal(value.Elem()) {
			field.Set(value.Elem())
			changed = append(changed, column)
		}
	}
	return changed
}
