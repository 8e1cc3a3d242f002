package naming

import (
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// The fields of a rule as people write them, one a line: the name, a colon, and what may
// stand there: words with commas, a # for each digit, or *30 for up to 30 characters.
//
//	Type: DR, M3
//	Number: ####
//	Title: *30
const (
	digit = "#"
	upTo  = "*"
)

// Write writes the fields of a rule.
func Write(fields []storage.NamingField) string {
	lines := make([]string, len(fields))
	for i, f := range fields {
		lines[i] = f.Name
		switch {
		case len(f.Values) > 0:
			lines[i] += ": " + strings.Join(f.Values, ", ")
		case f.Digits > 0:
			lines[i] += ": " + strings.Repeat(digit, f.Digits)
		case f.Max > 0:
			lines[i] += ": " + upTo + strconv.Itoa(f.Max)
		}
	}
	return strings.Join(lines, "\n")
}

// Read reads what Write writes. Lines without anything are none.
func Read(text string) ([]storage.NamingField, error) {
	var fields []storage.NamingField
	for line := range strings.Lines(text) {
		name, may, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name == "" && may == "" {
			continue
		}
		field := storage.NamingField{Name: strings.TrimSpace(name)}
		may = strings.TrimSpace(may)
		number, isLimit := strings.CutPrefix(may, upTo)
		switch {
		case may == "":
		case strings.Trim(may, digit) == "":
			field.Digits = len(may)
		case isLimit:
			most, err := strconv.Atoi(number)
			if err != nil || most < 1 {
				return nil, fault.Newf(fault.Invalid, "invalid_field", "Behind * stands how many characters the field %s has at most.",
					field.Name).At("fields")
			}
			field.Max = most
		default:
			for value := range strings.SplitSeq(may, ",") {
				if value = strings.TrimSpace(value); value != "" {
					field.Values = append(field.Values, value)
				}
			}
		}
		fields = append(fields, field)
	}
	return fields, nil
}
