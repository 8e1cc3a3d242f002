package archive

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/portico-id/portico/internal/textkey"
)

// devices are names that Windows takes for something else than a file, whatever
// comes behind a dot.
var devices = []string{
	"con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
	"lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
}

const (
	maxName = 255 // bytes of a name, nearly everywhere; of ours each letter may have four
	maxKind = 20  // likewise of its end that tells what is in the file
)

// fit returns a name that every system can unpack, and that leads nowhere else.
func fit(name string) string { return within(parted(free(name))) }

// parted cuts a name before what tells what is in the file.
func parted(name string) (stem, kind string) {
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 || len(name)-dot > maxKind {
		return name, ""
	}
	return name[:dot], name[dot:]
}

// within is a name whose stem is as long as there is room.
func within(stem, end string) string {
	if len(stem)+len(end) <= maxName {
		return stem + end
	}
	return strings.TrimRight(strings.ToValidUTF8(stem[:maxName-len(end)], ""), ". ") + end
}

// free returns a name that means nothing else anywhere.
func free(name string) string {
	name = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || strings.ContainsRune(`<>:"/\|?*`, c) {
			return '_'
		}
		return c
	}, strings.ToValidUTF8(name, "_"))
	if end := strings.TrimRight(name, ". "); end != name || name == "" {
		name = end + "_"
	}
	stem, rest, dotted := strings.Cut(name, ".")
	if !slices.Contains(devices, strings.ToLower(strings.TrimRight(stem, " "))) {
		return name
	}
	if dotted {
		rest = "." + rest
	}
	return stem + "_" + rest
}

// names gives each of those in one folder a name of its own, also where capitals
// make no difference.
type names map[string]bool

func (taken names) give(name string) string {
	stem, kind := parted(fit(name))
	given := stem + kind
	for n := 2; taken[textkey.Fold(given)]; n++ {
		given = within(stem, " ("+strconv.Itoa(n)+")"+kind)
	}
	taken[textkey.Fold(given)] = true
	return given
}
