package doctor

import "testing"

// Rule: DOCTOR-2
func TestWhoSaysNothingTakesNobodysTime(t *testing.T) {
	asked := make(chan struct{})
	found := each([]string{"first", "second"}, func(name string) []Finding {
		if name == "first" {
			<-asked
			return ill(name, "")
		}
		close(asked)
		return nil
	})
	if len(found) != 1 || found[0].Says != "first" {
		t.Errorf("%+v", found)
	}
}
