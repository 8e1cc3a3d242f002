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

// fit returns a name that every system can unpack, and that leads nowhere else.
func fit(name string) string {
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
	name = fit(name)
	given := name
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 {
		dot = len(name)
	}
	for n := 2; taken[textkey.Fold(given)]; n++ {
		given = name[:dot] + " (" + strconv.Itoa(n) + ")" + name[dot:]
	}
	taken[textkey.Fold(given)] = true
	return given
}
