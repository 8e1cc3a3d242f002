// Package textkey folds the names people choose (e-mail addresses, user names,
// titles) into the form that decides whether two of them are the same.
//
// The folded form is for comparing and for unique indexes only. What people
// wrote is kept and shown as they wrote it. Start at Fold.
package textkey

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold returns the comparison form of a name: without surrounding white space,
// without regard to case (Unicode full case folding) and in one Unicode form
// (NFC). Folding twice changes nothing more. Letters that only look alike stay
// different.
//
// It is the canonical caseless matching of the Unicode Standard, section 3.13
// (D145): the text is decomposed before folding, since folding is not closed
// under normalisation. Lower case comes first because the library swaps the two
// cases of Cherokee instead of folding them.
func Fold(name string) string {
	name = strings.TrimSpace(name)
	if isASCII(name) {
		return strings.ToLower(name)
	}
	return norm.NFC.String(cases.Fold().String(strings.Map(unicode.ToLower, norm.NFD.String(name))))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
