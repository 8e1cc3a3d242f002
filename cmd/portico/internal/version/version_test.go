package version

import (
	"regexp"
	"runtime/debug"
	"testing"
)

// Rule: RELEASE-1
func TestTheNumberHasThreeParts(t *testing.T) {
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(Number) {
		t.Errorf("the version is %q", Number)
	}
}

// Rule: RELEASE-1
func TestTheCommitIsToldWithWhetherTheTreeHadChanges(t *testing.T) {
	at := debug.BuildSetting{Key: "vcs.revision", Value: "abc"}
	for want, settings := range map[string][]debug.BuildSetting{
		"unknown":     nil,
		"abc":         {at, {Key: "vcs.modified", Value: "false"}},
		"abc+changes": {{Key: "vcs.modified", Value: "true"}, at},
	} {
		if got := commitOf(settings); got != want {
			t.Errorf("commitOf = %q, want %q", got, want)
		}
	}
}
