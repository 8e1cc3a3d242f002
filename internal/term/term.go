// Package term is what whoever makes a secret or a key says of it: what it is for, and
// when it ends. Start at Term.
package term

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
)

// Fields of a term, and sources of its faults.
const (
	FieldLabel  = "label"
	FieldEndsAt = "ends_at"
)

// MaxLabel is how long a label is at most, in characters.
const MaxLabel = 100

// Term is for how long something is made, and what for.
type Term struct {
	Label  string    // may be empty
	EndsAt time.Time // when it stops working; zero: never
}

// Check is Invalid with the reason for a label that is no line, and for an end that
// is not in the future.
func (t Term) Check(reason string, now time.Time) error {
	var faults fault.List
	if !textkey.IsLine(t.Label) || utf8.RuneCountInString(t.Label) > MaxLabel {
		faults.Add(fault.Newf(fault.Invalid, reason,
			"The label must be a text of at most %d characters in one line.", MaxLabel).At(FieldLabel))
	}
	if !t.EndsAt.IsZero() && !t.EndsAt.After(now) {
		faults.Add(fault.New(fault.Invalid, reason, "The end must be in the future.").At(FieldEndsAt))
	}
	return faults.Err()
}

// Parse reads a label, and an end that is a time or a day, which counts to its end in
// the zone. An empty text is no end. Invalid with the reason at FieldEndsAt.
func Parse(reason, label, end string, zone *time.Location) (Term, error) {
	at, err := parseEnd(reason, strings.TrimSpace(end), zone)
	return Term{strings.TrimSpace(label), at}, err
}

func parseEnd(reason, text string, zone *time.Location) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, zone); err == nil {
		return day.AddDate(0, 0, 1), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, fault.New(fault.Invalid, reason, "The end must be a day, as in 2027-06-30.").At(FieldEndsAt)
	}
	return at, nil
}
