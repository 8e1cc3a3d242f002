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

// Rules: FED-11, LDAP-16
func TestAnAddressIsOfItsDomainInWhicheverLettersItIsWritten(t *testing.T) {
	domains := []string{"works.test", "münchen.test", "xn--bcher-kva.test", "strasse.test", "fußball.test"}
	for address, within := range map[string]bool{"a@works.test": true, "a@WORKS.test ": true, "a@ｗorks.test": true,
		"a@works。test": true, "a@xn--mnchen-3ya.test": true, "a@MÜNCHEN.test": true, "a@bücher.test": true,
		"a@XN--BCHER-KVA.test": true, "a@sub.works.test": false, "a@works.test.evil.test": false, "a@munchen.test": false,
		"works.test": false, "a@": false, "": false, "a@xn--.test": false, "a@straße.test": false, // another's domain
		"a@xn--strae-oqa.test": false, "a@fussball.test": false, "a@FUẞBALL.test": true, "a@xn--fuball-cta.test": true} {
		if said.Within(address, domains) != within {
			t.Errorf("%s: %v", address, !within)
		}
	}
	kept, err := said.Domains("domains", []string{" FUẞBALL.test"})
	if err != nil || !said.Within("a@fußball.test", kept) {
		t.Error(kept, err)
	}
}
