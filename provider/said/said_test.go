package said_test

import (
	"slices"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/said"
)

func TestASlipIsNeitherTrueNorFalse(t *testing.T) {
	for text, want := range map[string]bool{"true": true, "false": false, "": false} {
		if on, err := said.Flag("exclusive", text); on != want || err != nil {
			t.Errorf("%q is %v: %v", text, on, err)
		}
	}
	for _, text := range []string{"True", "yes", " true", "1"} {
		if on, err := said.Flag("exclusive", text); on || fault.From(err) == nil || fault.From(err).Source != "exclusive" {
			t.Errorf("%q is %v: %v", text, on, err)
		}
	}
}

func TestAListHasWhatIsNotEmpty(t *testing.T) {
	if got := said.List(" a,, b c ,"); !slices.Equal(got, []string{"a", "b c"}) || said.List("") == nil {
		t.Error(got)
	}
}
