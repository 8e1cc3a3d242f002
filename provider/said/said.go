// Package said reads what administrators say of a field of a directory or an upstream, on a
// page or on the command line.
package said

import (
	"strings"

	"github.com/portico-id/portico/internal/fault"
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
