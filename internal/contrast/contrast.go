// Package contrast says whether a colour can be read on our pages, as WCAG 2.2
// (1.4.3, level AA) works it out.
//
// It knows the grounds of the two themes of templates/static/portico.css, and no
// page. Start at Light.
package contrast

import (
	"math"
	"strconv"
)

// Theme is what a colour must be read on, and what is read on it.
type Theme struct {
	grounds []string // of text in the colour
	onIt    string   // text on a button of the colour
}

// Light and Dark are the themes of pages.
func Light() Theme { return Theme{[]string{"#ffffff", "#f3f4f7", "#f3f5f9"}, "#ffffff"} }

// Dark is said at Light.
func Dark() Theme { return Theme{[]string{"#1b1f27", "#12151b", "#232833"}, "#0d1730"} }

// AtLeast is the contrast of text of any size.
const AtLeast = 4.5

// Worst returns the least contrast that the colour, such as #2a4d8f, has with what it
// is read on or what is read on it, cut to a tenth; false when it is none.
func (t Theme) Worst(color string) (float64, bool) {
	if _, ok := luminance(color); !ok {
		return 0, false
	}
	worst := math.Inf(1)
	for _, ground := range append(t.grounds, t.onIt) {
		worst = min(worst, Ratio(color, ground))
	}
	return math.Floor(worst*10) / 10, true
}

// Ratio is the contrast between two colours, from 1 to 21.
func Ratio(one, other string) float64 {
	a, _ := luminance(one)
	b, _ := luminance(other)
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

// luminance is how bright a colour is, from 0 to 1; false when it is none.
func luminance(color string) (float64, bool) {
	if len(color) != 7 || color[0] != '#' {
		return 0, false
	}
	rgb, err := strconv.ParseUint(color[1:], 16, 32)
	if err != nil {
		return 0, false
	}
	return 0.2126*linear(rgb>>16) + 0.7152*linear(rgb>>8) + 0.0722*linear(rgb), true
}

func linear(channel uint64) float64 {
	c := float64(channel&0xff) / 255
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}
