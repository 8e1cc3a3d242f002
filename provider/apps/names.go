package apps

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/portico-id/portico/internal/fault"
)

// ReasonPoses is the reason of the fault of a name that is the server's.
const ReasonPoses = "poses_as_server"

// lookalikes are letters that people take for the ones of a to z, beside those
// that are only dressed up, which norm.NFKD undresses: after Unicode's list of
// confusables (UTS 39), the ones that look like a Latin letter in usual fonts.
var lookalikes = func() map[rune]rune {
	all := map[rune]rune{}
	for latin, others := range map[rune]string{
		'a': "аɑαɐ4@", 'b': "ЬьвβƄ8", 'c': "сϲᴄ¢ⅽ", 'd': "ԁɗđ", 'e': "еєҽ℮ɛεё3", 'f': "ƒғϝ", 'g': "ɡցġǥ69", 'h': "һհħн",
		'i': "іιɩӏⅰıɪ|!1lїị", 'j': "јϳ", 'k': "кκĸқ", 'm': "мⅿ", 'n': "пηոɴи", 'o': "оοσօ0øɵ○๐", 'p': "рρϸþ", 'q': "ԛգ",
		'r': "гɼяᴦ", 's': "ѕʂ5$", 't': "тτŧ7+", 'u': "υսцʋᴜ", 'v': "ѵνⅴ", 'w': "ѡԝшω", 'x': "хχⅹ×", 'y': "уүγʏ", 'z': "ʐᴢ2з",
	} {
		for _, other := range others {
			all[other] = latin
		}
	}
	return all
}()

// plain is how a text looks to somebody who reads in passing: in lower case and
// without marks, with one letter for all that look like it. Words are what is
// between spaces, signs and humps.
func plain(text string) (words []string) {
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	before := ' '
	for _, r := range norm.NFKD.String(text) {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			end()
		}
		before = r
		r = unicode.ToLower(r)
		latin, looks := lookalikes[r]
		switch {
		case looks:
			word.WriteRune(latin)
		case unicode.Is(unicode.Mn, r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
		case unicode.IsLetter(r), unicode.IsDigit(r):
			word.WriteRune(r)
		default:
			end()
		}
	}
	end()
	return words
}

// longEnough is how many letters a name of the server has to have to be found at
// the beginning or the end of a word.
const longEnough = 5

// poses reports whether the text has the name in it, as a word, as several, or as
// the beginning or end of one.
func poses(text, name string) bool {
	wanted := strings.Join(plain(name), "")
	words := plain(text)
	for i := range words {
		run := ""
		for _, word := range words[i:] {
			run += word
			fits := run == wanted || len(wanted) >= longEnough &&
				(strings.HasPrefix(run, wanted) || strings.HasSuffix(run, wanted))
			if wanted != "" && fits {
				return true
			}
		}
	}
	return false
}

// checkName refuses a name by which an app would pass for the server itself.
// Administrators may give it one.
func (a *Apps) checkName(name string) error {
	for _, own := range a.names() {
		if poses(name, own) {
			return fault.New(fault.Forbidden, ReasonPoses,
				"People would take an app of this name for the server itself. Only an administrator can call it so.").At(FieldName)
		}
	}
	return nil
}
