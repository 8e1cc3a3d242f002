package app

import (
	"context"
	"errors"
	"runtime"
	"testing"
)

// Rule: SERVER-38
func TestAPartThatIsSilentMakesNoOtherIll(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	well := part{asked: make(chan error, 1)}
	silent := part{asked: make(chan error)}
	for range 50 { // a choice of two that are ready falls at random
		well.asked = make(chan error, 1)
		well.asked <- nil
		if err := well.answer(over); err != nil || well.asked != nil {
			t.Fatalf("a part that answered in time: %v", err)
		}
	}
	if err := silent.answer(over); err == nil || wordsOf(err) != "It does not answer." {
		t.Errorf("a part that says nothing: %v", err)
	}
}

// Rule: SERVER-38
func TestAPartThatOwesAnAnswerIsNotAskedAgain(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	asked, hangs := make(chan bool, 10), make(chan error)
	p := part{ask: func(context.Context) error { asked <- true; return <-hangs }}
	for range 3 {
		p.begin(t.Context())
		if p.answer(over) == nil {
			t.Fatal("a part that hangs is well")
		}
	}
	<-asked
	if len(asked) != 0 {
		t.Errorf("it was asked %d times more", len(asked))
	}
	hangs <- errors.New("an answer that comes too late")
	for len(p.asked) == 0 {
		runtime.Gosched()
	}
	p.begin(t.Context())
	<-asked
	hangs <- nil
	if err := p.answer(t.Context()); err != nil {
		t.Errorf("what counts is the answer of before: %v", err)
	}
}
