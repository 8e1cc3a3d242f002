package pattern

import "testing"

func TestAPatternIsCompiledOnceWhenItIsFirstAskedFor(t *testing.T) {
	p, wrong := Of(`^[a-z]+$`), Of(`(`)
	if !p().MatchString("abc") || p().MatchString("ABC") || p() != p() {
		t.Error("it is not what was said")
	}
	defer func() {
		if recover() == nil {
			t.Error("a wrong one is taken")
		}
	}()
	wrong()
}
