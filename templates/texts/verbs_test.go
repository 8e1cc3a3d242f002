package texts

import "testing"

// Rule: LANG-4
func TestWordsThatLookLikeAFormatAreSaidAsTheyAre(t *testing.T) {
	english := New().English()
	const name = "100%a %b%c%d%e%f%g%h%i%d0%b0%d0%b1"
	if got := english.Say(Say("parts.before-title", "Name", name)); got == "" {
		t.Error("nothing is said")
	}
	if got := english.Say(Value(name)); got != name {
		t.Errorf("got %q", got)
	}
	if got := english.Say(Fault(name, "", nil)); got != name {
		t.Errorf("got %q", got)
	}
	values := []any{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	if got := english.Say(Fault(name, "%d%d%d%d%d%d%d%d%d%d", values)); got != name {
		t.Errorf("got %q", got)
	}
}
