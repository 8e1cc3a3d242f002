package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
)

// Faults is everything that is wrong with a configuration.
type Faults struct {
	List []string // one sentence each: the setting, what was given (never a secret), what is expected
}

// Error returns the faults, one a line.
func (f *Faults) Error() string {
	return "the configuration has faults:\n  " + strings.Join(f.List, "\n  ")
}

func (f *Faults) add(label, text string) {
	f.List = append(f.List, label+": "+text)
}

// given quotes what was given. A URL may hold a password though the setting is no secret.
func (f *Faults) given(label, value, expected string) {
	if strings.Contains(value, "://") && strings.Contains(value, "@") {
		f.add(label, expected)
		return
	}
	f.add(label, fmt.Sprintf("%q was given: %s", value, expected))
}

// Blame names the setting that an error comes from. A fault names it in place of the field of a
// form, for of a fault people are told no more than what it says itself.
func Blame(setting string, err error) error {
	if f := fault.From(err); f != nil && f.Detail != "" {
		return f.At(setting)
	}
	return fmt.Errorf("%s: %w", setting, err)
}

// unknown refuses a name that is no setting and suggests the nearest one. The
// label starts with the name.
func (f *Faults) unknown(label string, known map[string]Setting) {
	name, _, _ := strings.Cut(label, " ")
	names := make([]string, 0, len(known))
	for candidate := range known {
		names = append(names, candidate)
	}
	f.add(label, "no such setting; did you mean "+nearest(name, names)+"?")
}

// nearest returns the candidate with the fewest edits to name, the first in
// alphabetical order among equals.
func nearest(name string, candidates []string) string {
	slices.Sort(candidates)
	return slices.MinFunc(candidates, func(a, b string) int {
		return distance(name, a) - distance(name, b)
	})
}

// distance is the number of letters to add, drop or change (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
