package jsonapi

import (
	"strings"
	"time"
)

// TimeFormat is how times are written: UTC with seven digits.
const TimeFormat = "2006-01-02T15:04:05.0000000Z"

// FormatTime returns the time in TimeFormat.
func FormatTime(t time.Time) string { return t.UTC().Format(TimeFormat) }

// momentForms are what a time in a filter may look like, from the year alone to
// fractions of a second. Go's parser takes a fraction behind any seconds.
var momentForms = []string{"2006", "2006-01", "2006-01-02", "2006-01-02T15", "2006-01-02T15:04", "2006-01-02T15:04:05"}

const maxFraction = 7 // digits

// ParseTime reads a time that a client wrote: from a year to seven digits of
// fraction, with Z or an offset or, for UTC, without. A part that is left out
// is at its beginning.
func ParseTime(value string) (time.Time, bool) {
	// An unescaped "+" of an offset comes out of a query as a blank.
	value = strings.Replace(value, " ", "+", 1)
	if _, fraction, found := strings.Cut(value, "."); found {
		digits := len(fraction) - len(strings.TrimLeft(fraction, "0123456789"))
		if digits < 1 || digits > maxFraction {
			return time.Time{}, false
		}
	}
	for _, form := range momentForms {
		for _, zone := range zonesOf(form) {
			if t, err := time.Parse(form+zone, value); err == nil {
				return t.UTC(), true
			}
		}
	}
	return time.Time{}, false
}

// zonesOf returns what may follow the form. Behind a date alone an offset could
// be a month or a day.
func zonesOf(form string) []string {
	if strings.Contains(form, "T") {
		return []string{"", "Z07:00", "Z0700", "Z07"}
	}
	return []string{"", "Z"}
}
