// Package naming is how the files of a project are called: pure rules of names in
// fields, which a project may have.
//
// Where rules are kept is the store's business. Start at Check.
package naming

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// ReasonName is the reason of the Invalid fault of a name that breaks the rule.
const ReasonName = "naming_rule"

const (
	maxFields = 20
	maxValues = 1000
	maxText   = 100 // characters of a field's name, or of a value
	maxDigits = 20
)

// Check refuses a name that breaks the rule, and says in which field. What stands
// behind the last dot is no field.
func Check(rule storage.Naming, name string) error {
	if len(rule.Fields) == 0 {
		return nil
	}
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		name = name[:dot]
	}
	parts := strings.Split(name, rule.Separator)
	for i, field := range rule.Fields {
		if i >= len(parts) {
			return wrong("The name ends before the field %s: it is %s.", field.Name, Form(rule))
		}
		if err := check(field, parts[i]); err != nil {
			return err
		}
	}
	if len(parts) > len(rule.Fields) {
		return wrong("Behind the field %s there is more: the name is %s.", rule.Fields[len(rule.Fields)-1].Name, Form(rule))
	}
	return nil
}

func check(f storage.NamingField, text string) error {
	digits := strings.Trim(text, "0123456789") == ""
	switch {
	case text == "":
		return wrong("The field %s of the name is empty.", f.Name)
	case len(f.Values) > 0 && !slices.Contains(f.Values, text):
		return wrong("The field %s of the name is %s, and must be one of %s.", f.Name, text, some(f.Values))
	case f.Digits > 0 && (!digits || len(text) != f.Digits):
		return wrong("The field %s of the name is %s, and must be %d digits.", f.Name, text, f.Digits)
	case f.Max > 0 && utf8.RuneCountInString(text) > f.Max:
		return wrong("The field %s of the name has more than %d characters.", f.Name, f.Max)
	}
	return nil
}

// some are as many values as a sentence takes.
func some(values []string) string {
	const most = 20
	if len(values) <= most {
		return strings.Join(values, ", ")
	}
	return strings.Join(values[:most], ", ") + ", …"
}

func wrong(format string, args ...any) error {
	return fault.Newf(fault.Invalid, ReasonName, format, args...)
}

// Form is what a name looks like, such as Project-Number.
func Form(rule storage.Naming) string {
	names := make([]string, len(rule.Fields))
	for i, f := range rule.Fields {
		names[i] = f.Name
	}
	return strings.Join(names, rule.Separator)
}

// Sound refuses a rule that can't be one.
func Sound(rule storage.Naming) error {
	if len(rule.Fields) == 0 {
		return nil
	}
	if utf8.RuneCountInString(rule.Separator) != 1 || strings.ContainsAny(rule.Separator, `.<>:"/\|?*`) {
		return unsound("separator", "The separator is one character that a name can have, and no dot.")
	}
	if len(rule.Fields) > maxFields {
		return unsound("fields", "A name has at most %d fields.", maxFields)
	}
	seen := map[string]bool{}
	for i, f := range rule.Fields {
		at := fmt.Sprintf("fields/%d", i)
		if !fits(f.Name, "") || seen[f.Name] {
			return unsound(at+"/name", "Each field has a name of its own, of 1 to 100 characters.")
		}
		seen[f.Name] = true
		if f.Digits < 0 || f.Digits > maxDigits || f.Max < 0 || f.Max > 255 {
			return unsound(at, "A field has up to 20 digits, or up to 255 characters.")
		}
		if len(f.Values) > maxValues || slices.ContainsFunc(f.Values,
			func(v string) bool { return !fits(v, rule.Separator) }) {
			return unsound(at+"/values", "A field has up to 1000 values of 1 to 100 characters, none with the separator.")
		}
	}
	return nil
}

func fits(text, separator string) bool {
	return text != "" && utf8.RuneCountInString(text) <= maxText &&
		(separator == "" || !strings.Contains(text, separator)) &&
		!strings.ContainsFunc(text, func(c rune) bool { return c < ' ' })
}

func unsound(field, format string, args ...any) error {
	return fault.Newf(fault.Invalid, "invalid_field", format, args...).At(field)
}
