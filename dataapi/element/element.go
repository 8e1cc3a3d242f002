// Package element says what keys of elements, columns of properties and values
// in a twin look like.
//
// It stores and finds nothing. Start at CheckKey and Value.
package element

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/pattern"
	"github.com/portico-id/portico/storage"
)

// ReasonInvalid is the reason of all faults of this package, which are Invalid.
const ReasonInvalid = "bad_input"

// Bounds.
const (
	MaxKey   = 200    // characters
	MaxValue = 32_768 // bytes of JSON
)

// Families are those of properties (decision X4).
func Families() []string { return []string{"n", "z", "l", "x", "r", "m", "0"} }

// Types are those of properties.
func Types() []storage.PropertyType {
	return []storage.PropertyType{storage.PropertyText, storage.PropertyNumber, storage.PropertyBoolean,
		storage.PropertyDocument}
}

var columnForm = pattern.Of(`^[A-Za-z0-9+/_-]{1,64}$`)

// CheckKey refuses what can't be the key of an element.
func CheckKey(key string) error {
	odd := strings.ContainsFunc(key, unicode.IsControl) || !utf8.ValidString(key)
	if key == "" || odd || utf8.RuneCountInString(key) > MaxKey {
		return invalidf("The key of an element has 1 to %d characters, none of them a control character.", MaxKey)
	}
	return nil
}

// CheckColumn refuses what can't be a property's family and column.
func CheckColumn(family, column string) error {
	if !slices.Contains(Families(), family) {
		return invalidf("The family is one of %s.", strings.Join(Families(), ", "))
	}
	if !columnForm().MatchString(column) {
		return invalidf("The column has 1 to 64 letters, digits and + / _ -.")
	}
	return nil
}

// Value returns a JSON value in the one form in which it is stored. Only texts,
// numbers and booleans are values.
func Value(raw json.RawMessage) (string, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	var v any
	if err := decoder.Decode(&v); err != nil {
		return "", invalidf("This is no value.")
	}
	if number, ok := v.(float64); ok && number == math.Trunc(number) && math.Abs(number) < 1<<53 {
		return strconv.FormatInt(int64(number), 10), nil
	}
	switch v.(type) {
	case string, float64, bool:
		return encode(v)
	}
	return "", invalidf("A value is a text, a number or a boolean.")
}

// Text returns a text as it is stored.
func Text(text string) (string, error) {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "", invalidf("A text is UTF-8 without the character U+0000.")
	}
	return encode(text)
}

// Parse reads the value of a property of the type, as a person writes it.
func Parse(text string, t storage.PropertyType) (string, error) {
	switch t {
	case storage.PropertyNumber, storage.PropertyBoolean:
		value, err := Value(json.RawMessage(text))
		if err != nil || strings.HasPrefix(value, `"`) ||
			(value == "true" || value == "false") != (t == storage.PropertyBoolean) {
			return "", invalidf("%q is no %s.", text, t)
		}
		return value, nil
	}
	return Text(text)
}

func encode(v any) (string, error) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return "", invalidf("This is no value.")
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if len(text) > MaxValue {
		return "", invalidf("A value has at most %d bytes.", MaxValue)
	}
	return text, nil
}

func invalidf(format string, args ...any) error {
	return fault.Newf(fault.Invalid, ReasonInvalid, format, args...)
}
