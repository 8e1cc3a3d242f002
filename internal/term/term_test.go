package term_test

import (
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/term"
)

// Rule: PORTAL-22
func TestAnEndIsADayOrATime(t *testing.T) {
	for text, want := range map[string]string{"": "0001-01-01T00:00:00Z", "2027-06-30": "2027-06-30T22:00:00Z",
		"2027-06-30T12:00:00Z": "2027-06-30T12:00:00Z"} {
		got, err := term.Parse("wrong", "", text, time.FixedZone("", 2*60*60))
		if err != nil || got.EndsAt.UTC().Format(time.RFC3339) != want {
			t.Errorf("%s ends at %s, %v", text, got.EndsAt, err)
		}
	}
	if _, err := term.Parse("wrong", "", "tomorrow", time.UTC); fault.From(err).Source != term.FieldEndsAt {
		t.Errorf("tomorrow: %v", err)
	}
}
