package filter

import (
	"slices"
	"strings"

	"github.com/portico-id/portico/storage"
)

// Fits reports whether a text is what all conditions want, by bytes.
func Fits(all []storage.TextCondition, text string) bool {
	for _, c := range all {
		if !fitsOne(c, text) {
			return false
		}
	}
	return true
}

func fitsOne(c storage.TextCondition, text string) bool {
	return slices.ContainsFunc(c.Values, func(value string) bool { return Compares(c.Op, text, value) })
}

// Compares reports whether the comparison of two texts holds.
func Compares(op storage.Op, text, value string) bool {
	switch op {
	case storage.OpEqual:
		return text == value
	case storage.OpStarts:
		return strings.HasPrefix(text, value)
	case storage.OpEnds:
		return strings.HasSuffix(text, value)
	case storage.OpContains:
		return strings.Contains(text, value)
	}
	return Ordered(op, strings.Compare(text, value))
}

// Ordered reports whether the comparison holds of two things of which the first
// is less (-1), the same (0) or more (1).
func Ordered(op storage.Op, order int) bool {
	switch op {
	case storage.OpEqual:
		return order == 0
	case storage.OpLess:
		return order < 0
	case storage.OpAtMost:
		return order <= 0
	case storage.OpAtLeast:
		return order >= 0
	case storage.OpMore:
		return order > 0
	}
	return false
}
