// Package said reads what administrators say of a field of a directory or an upstream, on a
// page or on the command line.
package said

import (
	"slices"
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

// Fold turns domains that were kept as somebody typed them into the form in which they compare.
func Fold(domains []string) {
	for i, one := range domains {
		domains[i] = strings.ToLower(strings.TrimSpace(one))
	}
}

// Within reports whether the address is in one of the domains, written in the letters of
// people or in those of DNS (xn--…).
func Within(address string, domains []string) bool {
	_, domain, found := strings.Cut(address[max(0, strings.LastIndexByte(address, '@')):], "@")
	domain = textkey.Domain(domain)
	return found && slices.ContainsFunc(domains, func(one string) bool { return textkey.Domain(one) == domain })
}

// Domains returns domains of addresses in the form in which they compare. What no address
// is of is Invalid: whoever slips would believe that it counts.
func Domains(field string, all []string) ([]string, error) {
	domains := slices.Clone(all)
	Fold(domains)
	for _, one := range domains {
		if one == "" || !textkey.IsLine(one) || strings.ContainsAny(one, "@/:;,* ") || strings.Trim(one, ".") != one {
			return nil, fault.New(fault.Invalid, "invalid_value", "Name domains as example.com.").At(field)
		}
	}
	return domains, nil
}
