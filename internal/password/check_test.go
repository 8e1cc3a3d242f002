package password

import (
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
)

// Rule: PASS-1
func TestNewPasswordsFollowTheRules(t *testing.T) {
	about := []string{"first.person@example.test", "firstperson", "id.example.test", "", "bo", "12345"}
	for name, c := range map[string]struct {
		password string
		refusal  string // part of the detail; empty: accepted
	}{
		"8 characters":                       {"vxkqtrzw", ""},
		"7 characters":                       {"vxkqtrz", "shorter than 8"},
		"empty":                              {"", "shorter than 8"},
		"8 characters of four bytes":         {"🜁🜂🜃🜄🜅🜆🜇🜈", ""},
		"4 characters of four bytes":         {"🜁🜂🜃🜄", "shorter than 8"},
		"8 only before normalisation":        {"e\u0301e\u0301e\u0301e\u0301", "shorter than 8"},
		"1024 characters":                    {strings.Repeat("vxkqtrzw", 128), ""},
		"1025 characters":                    {strings.Repeat("vxkqtrzw", 128) + "x", "longer than 1024"},
		"1024 characters of four bytes":      {strings.Repeat("🜁", 1024), ""},
		"a megabyte":                         {strings.Repeat("x", 1<<20), "longer than 1024"},
		"spaces":                             {"a b c d e f", ""},
		"a common one":                       {"password1", "everybody tries"},
		"a common one in capitals":           {"PassWord1", "everybody tries"},
		"a common one with something to it":  {"password1 vxkq", ""},
		"keyboard walk":                      {"qwertyuiop", "everybody tries"},
		"digits":                             {"1234567890", "everybody tries"},
		"the e-mail address":                 {"First.Person@example.test", "little more than"},
		"the e-mail address before the @":    {"first.person", "little more than"},
		"the user name":                      {"FirstPerson", "little more than"},
		"the user name with something to it": {"firstperson vxkq", ""},
		"the user name with digits":          {"firstperson2026!", "little more than"},
		"the product's name with a digit":    {"Portico1", "little more than"},
		"the product's name twice":           {"portico-PORTICO", "little more than"},
		"the product's name with more to it": {"portico vxkq", ""},
		"the host":                           {"id.example.test", "little more than"},
		"the host with digits":               {"ID.Example.Test 1", "little more than"},
		"part of the host with more to it":   {"example vxkq", ""},
		"the letters of a short name":        {"bobobobo", ""},
		"digits that are no name":            {"83920175648291", ""},
		"nothing but blanks":                 {"          ", "nothing but blanks"},
		"blanks of every kind":               {"\u00a0\u2003\u3000\u2009\u00a0\u2003\u3000\u2009", "nothing but blanks"},
		"what can't be seen":                 {strings.Repeat("\u200b", 9), "nothing but blanks"},
		"Braille without a dot":              {strings.Repeat("\u2800", 9), "nothing but blanks"},
		"fillers of Hangul":                  {"\u3164\u115f\u1160\uffa0\u3164\u115f\u1160\uffa0", "nothing but blanks"},
		"selectors and joiners": {"\ufe0f\U000e0100\u034f\u180b\u17b4\u17b5\u2060\U0001d159",
			"nothing but blanks"},
		"signs of Braille":        {"\u2813\u2811\u2807\u2807\u2815\u2813\u2811\u2807", ""},
		"Hangul":                  {"\ud55c\uad6d\uc5b4\ube44\ubc00\ubc88\ud638\ub2e4", ""},
		"blanks around something": {"    x    ", ""},
		"a line break":            {"vxkqtrzw\n", "can't be typed"},
		"a NUL":                   {"vxkqtrzw\x00", "can't be typed"},
		"broken UTF-8":            {"vxkqtrzw\xff", "can't be typed"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Check(c.password, about...)
			if c.refusal == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if !fault.Is(err, fault.Invalid) || !fault.HasReason(err, ReasonWeak) ||
				!strings.Contains(fault.From(err).Detail, c.refusal) {
				t.Errorf("Check = %v, want a refusal with %q", err, c.refusal)
			}
			if err != nil && len(c.password) > 7 && strings.Contains(err.Error(), c.password) {
				t.Error("the refusal repeats the password")
			}
		})
	}
}

func TestListOfCommonPasswordsIsInOrder(t *testing.T) {
	lines := strings.Split(strings.Trim(common, "\n"), "\n")
	if len(lines) < 1000 {
		t.Errorf("only %d passwords are listed", len(lines))
	}
	if common[0] != '\n' || common[len(common)-1] != '\n' {
		t.Error("the list does not begin and end with a line break")
	}
	if !slices.IsSorted(lines) || len(slices.Compact(slices.Clone(lines))) != len(lines) {
		t.Error("the list is not sorted, or has duplicates")
	}
	for _, line := range lines {
		if line != strings.ToLower(line) || len(line) < MinLength || line != strings.TrimSpace(line) {
			t.Errorf("%q can never be found: not lower case, too short, or with spaces around it", line)
		}
	}
}
