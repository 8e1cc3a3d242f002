package serviceaccounts

import (
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Rule: ACCOUNT-2
func TestNamesOfAccounts(t *testing.T) {
	for _, c := range []struct {
		name, given string
		longest     int
		wrong       string // part of the detail; empty: the name is good
	}{
		{"must not be empty", "", maxOwnName, "is empty"},
		{"have at least 5 characters", "four", maxOwnName, "5 to 64"},
		{"may have 5", "five5", maxOwnName, ""},
		{"may have 64 for oneself", strings.Repeat("a", 64), maxOwnName, ""},
		{"may not have 65 for oneself", strings.Repeat("a", 65), maxOwnName, "5 to 64"},
		{"may have 100 on behalf", strings.Repeat("a", 100), maxName, ""},
		{"may not have 101 on behalf", strings.Repeat("a", 101), maxName, "5 to 100"},
		{"may hold letters of both cases, digits and dashes", "Robot-42", maxOwnName, ""},
		{"may begin and end with dashes", "--a--", maxOwnName, ""},
		{"hold no underscore", "my_robot", maxOwnName, "invalid characters"},
		{"hold no dot", "my.robot", maxOwnName, "invalid characters"},
		{"hold no at sign", "robot@home", maxOwnName, "invalid characters"},
		{"hold no line break", "robot\n", maxOwnName, "invalid characters"},
		{"hold no letter that only looks like ASCII", "rоbot", maxOwnName, "invalid characters"}, // Cyrillic о
		{"count characters, not bytes", "éé", maxOwnName, "not 2"},
		{"need an alphanumeric character", "-----", maxOwnName, "lacks an alphanumeric"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := checkName(c.given, c.longest)
			if c.wrong == "" && err != nil || c.wrong != "" &&
				(!fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.wrong)) {
				t.Errorf("%q: %v, want %q", c.given, err, c.wrong)
			}
		})
	}
}

// Rule: ACCOUNT-5
func TestTransitionsOfAccounts(t *testing.T) {
	const enabled, disabled, deactivated = storage.ServiceAccountEnabled, storage.ServiceAccountDisabled,
		storage.ServiceAccountDeactivated
	for _, c := range []struct {
		status, want, next storage.ServiceAccountStatus
		wrong              string
	}{
		{enabled, disabled, disabled, ""},
		{disabled, enabled, enabled, ""},
		{deactivated, enabled, enabled, ""},
		{deactivated, disabled, disabled, ""},
		{enabled, enabled, enabled, "already in an enabled state"},
		{disabled, disabled, disabled, "already in a disabled state"},
		{enabled, deactivated, enabled, "ENABLED or DISABLED"},
		{deactivated, deactivated, deactivated, "ENABLED or DISABLED"},
		{disabled, deactivated, disabled, "ENABLED or DISABLED"},
		{enabled, "", enabled, "ENABLED or DISABLED"},
		{enabled, "enabled", enabled, "ENABLED or DISABLED"},
	} {
		t.Run(string(c.status)+" wants "+string(c.want), func(t *testing.T) {
			next, err := transition(c.status, c.want)
			if next != c.next || !says(err, c.wrong) {
				t.Errorf("%s, %v; want %s, %q", next, err, c.next, c.wrong)
			}
		})
	}
}

// Rule: ACCOUNT-5
func TestTransitionsOfKeys(t *testing.T) {
	const enabled, disabled = storage.KeyEnabled, storage.KeyDisabled
	for _, c := range []struct {
		status, want, next storage.KeyStatus
		wrong              string
	}{
		{enabled, disabled, disabled, ""},
		{disabled, enabled, enabled, ""},
		{enabled, enabled, enabled, "already enabled"},
		{disabled, disabled, disabled, "already disabled"},
		{enabled, "DEACTIVATED", enabled, "ENABLED or DISABLED"},
		{disabled, "", disabled, "ENABLED or DISABLED"},
	} {
		t.Run(string(c.status)+" wants "+string(c.want), func(t *testing.T) {
			next, err := keyTransition(c.status, c.want)
			if next != c.next || !says(err, c.wrong) {
				t.Errorf("%s, %v; want %s, %q", next, err, c.next, c.wrong)
			}
		})
	}
}

// says reports whether err is Invalid with the words, or nil for no words.
func says(err error, words string) bool {
	if words == "" {
		return err == nil
	}
	return fault.Is(err, fault.Invalid) && strings.Contains(err.Error(), words)
}
