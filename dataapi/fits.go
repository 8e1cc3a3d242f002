package dataapi

import (
	"strings"

	"github.com/portico-id/portico/storage"
)

// fits reports whether a text is what all conditions want, by bytes.
func fits(all []storage.TextCondition, text string) bool {
	for _, c := range all {
		if !fitsOne(c, text) {
			return false
		}
	}
	return true
}

func fitsOne(c storage.TextCondition, text string) bool {
	for _, value := range c.Values {
		if compares(c.Op, text, value) {
			return true
		}
	}
	return false
}

// compares reports whether the comparison of two texts holds.
func compares(op storage.Op, text, value string) bool {
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
	return ordered(op, strings.Compare(text, value))
}

// ordered reports whether the comparison holds of two things of which the first
// is less (-1), the same (0) or more (1).
func ordered(op storage.Op, order int) bool {
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
