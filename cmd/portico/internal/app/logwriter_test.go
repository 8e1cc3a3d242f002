package app

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// held is a reader of a log who reads nothing until it is told to.
type held struct {
	let  chan struct{}
	text bytes.Buffer
}

func (h *held) Write(p []byte) (int, error) {
	<-h.let
	return h.text.Write(p)
}

// Rule: SERVER-36
func TestALogThatNobodyReadsHoldsNothingUpAndCountsWhatIsMissing(t *testing.T) {
	reader := &held{let: make(chan struct{})}
	w := newLogWriter(reader, time.Now().UTC)
	const more = 100
	for i := range logRoom + more {
		fmt.Fprintf(w, "line %d\n", i)
	}
	close(reader.let)
	w.close()
	text := reader.text.String()
	if got := strings.Count(text, "line "); got < logRoom || got > logRoom+1 {
		t.Errorf("%d lines came", got)
	}
	if !strings.Contains(text, `"how_many":`+fmt.Sprint(more)) &&
		!strings.Contains(text, `"how_many":`+fmt.Sprint(more-1)) {
		t.Errorf("it does not say how many are missing: %s", text[:200])
	}
}

// Rule: SERVER-36
func TestALogThatIsReadHasEveryLineInOrder(t *testing.T) {
	reader := &held{let: make(chan struct{})}
	close(reader.let)
	w := newLogWriter(reader, time.Now().UTC)
	want := ""
	for i := range logRoom / 2 {
		line := fmt.Sprintf("line %d\n", i)
		want += line
		fmt.Fprint(w, line)
	}
	w.close()
	fmt.Fprint(w, "of a request that outlived the server") // which ends nothing
	if reader.text.String() != want {
		t.Error("lines are missing, or in another order")
	}
}
