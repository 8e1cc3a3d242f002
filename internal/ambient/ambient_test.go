package ambient_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
)

func TestAContextTellsHowMuchTimeItLeaves(t *testing.T) {
	soon, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	over, end := context.WithTimeout(t.Context(), -time.Minute)
	defer end()
	if left := ambient.Left(soon); left <= 0 || left > time.Minute {
		t.Errorf("of a minute %v are left", left)
	}
	if left := ambient.Left(over); left > -time.Minute {
		t.Errorf("of what is over %v is left", left)
	}
	if left := ambient.Left(t.Context()); left != time.Hour {
		t.Errorf("of what never ends %v is left", left)
	}
}

func TestNoIDIsTakenForAFlag(t *testing.T) {
	for first := range 256 {
		source := ambient.New(time.Now, bytes.NewReader(append([]byte{byte(first)}, make([]byte, 15)...)))
		if id := source.UID(); id[0] == '-' || len(id) != 22 {
			t.Errorf("bytes that begin with %#x make %q", first, id)
		}
	}
}
