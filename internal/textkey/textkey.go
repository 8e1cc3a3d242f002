// Package textkey folds the names people choose (e-mail addresses, user names,
// titles) into the form that decides whether two of them are the same.
//
// The folded form is for comparing and for unique indexes only. What people
// wrote is kept and shown as they wrote it. Start at Fold.
package textkey

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
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

// Domain returns the comparison form of a domain: in the letters of DNS (xn--…), to which one
// with ß is another than one with ss, and may be somebody else's.
func Domain(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if ascii, err := idna.Lookup.ToASCII(name); err == nil {
		return ascii
	}
	return name
}

// SameMailbox reports whether two addresses are one to mail, which tells ß from ss, as Fold
// does not.
func SameMailbox(a, b string) bool {
	nameA, domainA := addressParts(a)
	nameB, domainB := addressParts(b)
	return strings.EqualFold(norm.NFC.String(nameA), norm.NFC.String(nameB)) && Domain(domainA) == Domain(domainB)
}

func addressParts(address string) (name, domain string) {
	address = strings.TrimSpace(address)
	at := strings.LastIndexByte(address, '@')
	return address[:max(0, at)], address[at+1:]
}

// Search returns the form in which names are looked for and put into order: as
// Fold has it, without the accents of Latin, Greek and Cyrillic letters, so that
// muller finds Müller. What it says is never shown, and too coarse to tell two
// names apart.
func Search(text string) string {
	text = Fold(text)
	if isASCII(text) {
		return text
	}
	return norm.NFC.String(strings.Map(plain, norm.NFD.String(text)))
}

// plain drops an accent, and the stroke of a letter that is one with it.
func plain(r rune) rune {
	if unicode.Is(accents, r) {
		return -1
	}
	if letter, stroked := strokes[r]; stroked {
		return letter
	}
	return r
}

// accents are the marks of those scripts; those of others are letters.
var accents = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x0300, Hi: 0x036f, Stride: 1}}}

// strokes are letters whose accents Unicode does not take off.
var strokes = map[rune]rune{'ø': 'o', 'ł': 'l', 'đ': 'd', 'ħ': 'h', 'ı': 'i', 'ŧ': 't'}

// Code returns a code of letters and digits that somebody typed: in capitals, without what stands
// between those, such as dashes, blanks and the invisible marks of a text that runs from right to
// left, and with the digits of their script, or the wide letters of their keyboard, as ASCII.
func Code(typed string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsDigit(r):
			return digit(r)
		case unicode.IsLetter(r):
			return unicode.ToUpper(r)
		}
		return -1
	}, norm.NFKC.String(typed))
}

// digit goes by how Unicode has digits: in rows that begin with a nought, ten of each.
func digit(r rune) rune {
	nought := r
	for unicode.IsDigit(nought - 1) {
		nought--
	}
	return '0' + (r-nought)%10
}

// Blank reports whether nothing of the text can be seen.
func Blank(text string) bool { return !strings.ContainsFunc(text, canBeSeen) }

// canBeSeen is false for letters and signs, too, that fonts draw as nothing: the
// fillers of Hangul, selectors of variants, the Braille pattern without a dot and
// the null notehead.
func canBeSeen(r rune) bool {
	drawnAsNothing := unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !drawnAsNothing && r != '\u2800' && r != '\U0001d159'
}

// IsLine reports whether people can read the text as one line.
func IsLine(s string) bool {
	return utf8.ValidString(s) && strings.TrimSpace(s) == s && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsPrint(r) && r != '\u200d' // joins the parts of an emoji
	})
}
