package contrast_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/contrast"
)

// Rule: BRAND-1
func TestContrastIsThatOfWCAG(t *testing.T) {
	for pair, want := range map[[2]string]float64{{"#000000", "#ffffff"}: 21, {"#777777", "#ffffff"}: 4.48,
		{"#767676", "#ffffff"}: 4.54, {"#ffffff", "#ffffff"}: 1} {
		if got := contrast.Ratio(pair[0], pair[1]); math.Abs(got-want) > 0.005 {
			t.Errorf("%v: %f, want %f", pair, got, want)
		}
	}
}

// Rule: BRAND-1
func TestAColourMustBeReadOnEveryGroundOfItsTheme(t *testing.T) {
	for color, want := range map[string][2]bool{
		"#2a4d8f": {true, false}, "#93b2f5": {false, true}, "#ffff00": {false, true}, "#767676": {false, false},
		"#000000": {true, false},
		"":        {false, false}, "red": {false, false}, "#12345": {false, false}, "#12345g": {false, false},
		"#+12345":      {false, false},
		"#fff;} body{": {false, false},
	} {
		light, isOne := contrast.Light().Worst(color)
		dark, _ := contrast.Dark().Worst(color)
		if (light >= contrast.AtLeast) != want[0] || (dark >= contrast.AtLeast) != want[1] || isOne != (light > 0) {
			t.Errorf("%s: light %f, dark %f", color, light, dark)
		}
	}
}

// The grounds are those of the stylesheet.
// Rule: BRAND-1
func TestTheGroundsAreThoseOfThePages(t *testing.T) {
	sheet, err := os.ReadFile("../../templates/static/portico.css")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"--ground: light-dark(#f3f4f7, #12151b)", "--card: light-dark(#ffffff, #1b1f27)",
		"--sunken: light-dark(#f3f5f9, #232833)",
		"--on-accent: light-dark(#ffffff, #0d1730)",
	} {
		if !strings.Contains(string(sheet), line) {
			t.Errorf("the stylesheet lacks %s", line)
		}
	}
}
