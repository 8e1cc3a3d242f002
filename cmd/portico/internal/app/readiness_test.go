package app

import (
	"context"
	"testing"
)

// Rule: SERVER-38
func TestAPartThatIsSilentMakesNoOtherIll(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	answered, silent := make(chan error, 1), make(chan error)
	for range 50 { // a choice of two that are ready falls at random
		answered <- nil
		if err := answerOf(over, answered); err != nil {
			t.Fatalf("a part that answered in time: %v", err)
		}
	}
	if err := answerOf(over, silent); err == nil || wordsOf(err) != "It does not answer." {
		t.Errorf("a part that says nothing: %v", err)
	}
}
