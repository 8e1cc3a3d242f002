// Package said reads what administrators say of a field of a directory or an upstream, on a
// page or on the command line.
package said

import (
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
)

// Flag reads what is true or false; an empty text is false, and a slip is neither.
func Flag(field, text string) (bool, error) {
	if text != "true" && text != "false" && text != "" {
		return false, fault.New(fault.Invalid, "invalid_value", "Say true or false.").At(field)
	}
	return text == "true", nil
}

// List reads what stands between commas.
func List(text string) []string {
	all := []string{}
	for one := range strings.SplitSeq(text, ",") {
		if one = strings.TrimSpace(one); one != "" {
			all = append(all, one)
		}
	}
	return all
}

// Domains returns domains of addresses in the form in which they compare. What no address
// is of is Invalid: whoever slips would believe that it counts.
func Domains(field string, all []string) ([]string, error) {
	domains := make([]string, len(all))
	for i, one := range all {
		domains[i] = textkey.Fold(strings.TrimSpace(one))
		if domains[i] == "" || !textkey.IsLine(domains[i]) || strings.ContainsAny(domains[i], "@/:;,* ") ||
			strings.Trim(domains[i], ".") != domains[i] {
			return nil, fault.New(fault.Invalid, "invalid_value", "Name domains as example.com.").At(field)
		}
	}
	return domains, nil
}
