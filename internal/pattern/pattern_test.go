package pattern

import "testing"

func TestAPatternIsCompiledOnceWhenItIsFirstAskedFor(t *testing.T) {
	p, wrong := Of(`^[a-z]+$`), Of(`(`)
	if compiled := p(); !compiled.MatchString("abc") || compiled.MatchString("ABC") || p() != compiled {
		t.Error("it is not what was said")
	}
	defer func() {
		if recover() == nil {
			t.Error("a wrong one is taken")
		}
	}()
	wrong()
}
