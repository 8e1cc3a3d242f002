package textkey_test

import (
	"testing"
	"unicode"

	"github.com/portico-id/portico/internal/textkey"
	"pgregory.net/rapid"
)

func TestFoldMakesSpellingsOfOneNameEqual(t *testing.T) {
	for name, pair := range map[string][2]string{
		"ASCII case":                        {"Ann@Example.Test", "ann@example.test"},
		"surrounding white space":           {" \tann\u00a0", "ann"},
		"composed and decomposed":           {"Jos\u00e9", "jose\u0301"},
		"sharp s, small and capital":        {"STRASSE", "straße"},
		"final and inner sigma":             {"ΟΔΟΣ", "οδος"},
		"decomposed capital":                {"A\u030angstro\u0308m", "ångström"},
		"iota subscript in either position": {"\u03b1\u0345\u0301", "\u03b1\u0301\u0345"},
	} {
		t.Run(name, func(t *testing.T) {
			if a, b := textkey.Fold(pair[0]), textkey.Fold(pair[1]); a != b {
				t.Errorf("Fold(%q) = %q, Fold(%q) = %q", pair[0], a, pair[1], b)
			}
		})
	}
}

func TestFoldKeepsDifferentNamesApart(t *testing.T) {
	for name, pair := range map[string][2]string{
		"accent":             {"jose", "josé"},
		"inner white space":  {"ann lee", "annlee"},
		"look-alike scripts": {"pay", "рау"}, // the second is Cyrillic
		"two emoji":          {"👩", "👩\u200d🚀"},
		"full-width at sign": {"a@b", "a\uff20b"},
	} {
		t.Run(name, func(t *testing.T) {
			if a, b := textkey.Fold(pair[0]), textkey.Fold(pair[1]); a == b {
				t.Errorf("%q and %q both fold to %q", pair[0], pair[1], a)
			}
		})
	}
}

func TestEveryLetterFoldsLikeItsOtherCases(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			continue
		}
		// A letter before and after, since white space at the ends is cut.
		folded := textkey.Fold("x" + string(r) + "x")
		if again := textkey.Fold(folded); again != folded {
			t.Errorf("%U folds to %q, and that to %q", r, folded, again)
		}
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			if got := textkey.Fold("x" + string(other) + "x"); got != folded {
				t.Errorf("%U folds to %q, %U to %q", r, folded, other, got)
			}
		}
	}
}

func TestFoldingTwiceChangesNothingMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		once := textkey.Fold(rapid.String().Draw(t, "name"))
		if twice := textkey.Fold(once); twice != once {
			t.Errorf("folded once %q, twice %q", once, twice)
		}
	})
}

// Rule: ADMIN-28
func TestSearchFindsNamesWithoutTheirAccents(t *testing.T) {
	for written, typed := range map[string]string{
		"Müller": "muller", "Mu\u0308ller": "MÜLLER", "Łukasz Øre": "lukasz ore", "Straße": "strasse", "Ёлка": "елка",
		"Άννα": "αννα", " Ann ": "ann",
	} {
		if got, want := textkey.Search(written), textkey.Search(typed); got != want {
			t.Errorf("%q is looked for as %q, %q as %q", written, got, typed, want)
		}
	}
	if textkey.Search("कि") == textkey.Search("क") {
		t.Error("a vowel of another script is taken for an accent")
	}
}

// Rules: FED-9, SCIM-11
func TestAMailboxIsOneHoweverItsAddressIsWritten(t *testing.T) {
	for other, same := range map[string]bool{"Strauß@Works.test": true, " strauß@ｗorks.test": true,
		"strauss@works.test": false, "strauß@works": false, "strauß": false, "": false} {
		if textkey.SameMailbox("strauß@works.test", other) != same {
			t.Errorf("%q: %v", other, !same)
		}
	}
	if !textkey.SameMailbox("a@münchen.test", "A@xn--mnchen-3ya.test") ||
		textkey.SameMailbox("a@straße.test", "a@strasse.test") {
		t.Error("domains are those of DNS")
	}
}

// Rules: DEVICE-4, FACTOR-3
func TestACodeIsReadAsItIsMeant(t *testing.T) {
	for typed, want := range map[string]string{
		"abcd-EFGH": "ABCDEFGH", " 123 456\u00a0": "123456", "١٢٣ ٤٥٦": "123456", "۰۹": "09", "०९": "09", "𝟎𝟗𝟘": "090",
		"ＡＢ－０９": "AB09", "\u2068AB\u2014CD\u2069\u200f": "ABCD", "12.34": "1234", "": "", "é\xff": "É",
	} {
		if got := textkey.Code(typed); got != want {
			t.Errorf("%q is read as %q, want %q", typed, got, want)
		}
	}
}

// Rule: PAGE-14
func TestWhatCannotBeSeenIsBlank(t *testing.T) {
	for _, blank := range []string{"", "  ", "\u00a0\u3000", "\u200b\u200d", "\u2800",
		"\u3164\u115f\uffa0", "\ufe0f\U000e0100",
		"\U0001d159", "\u00ad\u202e", "\x00"} {
		if !textkey.Blank(blank) {
			t.Errorf("%+q is taken for a name", blank)
		}
	}
	for _, seen := range []string{"a", "\u2801", "\u200bx", "한", "é", "☕", "👩\u200d🚀"} {
		if textkey.Blank(seen) {
			t.Errorf("%q is taken for nothing", seen)
		}
	}
}
