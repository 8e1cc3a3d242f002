package httpio

import (
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// wire is an answer whose connection notes until when it may be read.
type wire struct {
	http.ResponseWriter
	mu  sync.Mutex
	end time.Time
}

func (w *wire) SetReadDeadline(t time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end = t
	return nil
}

func (w *wire) SetWriteDeadline(time.Time) error { return nil }

func (w *wire) cut() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.end.Equal(longAgo)
}

// Rule: SERVER-20
func TestATransferIsCutWhenTooLittleMovesThoughItNeverRests(t *testing.T) {
	for sent, want := range map[int]bool{leastMove / 31: true, leastMove/29 + 1: false} {
		synctest.Test(t, func(t *testing.T) {
			w := new(wire)
			moves, done := Unhurried(w)
			defer done()
			for range 95 { // three looks
				time.Sleep(time.Second)
				moves(sent)
			}
			synctest.Wait()
			if w.cut() != want {
				t.Errorf("%d bytes a second: cut %v, want %v", sent, w.cut(), want)
			}
		})
	}
}

// silent is a body that never goes on, until its connection is cut.
type silent struct {
	*wire
	waited time.Duration
}

func (s *silent) Read([]byte) (int, error) {
	for ; !s.cut() && s.waited < time.Hour; s.waited += time.Second {
		time.Sleep(time.Second)
	}
	return 0, io.ErrUnexpectedEOF
}

// Rule: SERVER-20
func TestARestThatDoesNotComeIsNotWaitedForWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := &silent{wire: new(wire)}
		_, done := Unhurried(body.wire) // as of a page that takes its time, and then refuses
		done()
		if PassOver(body.wire, &http.Request{Body: io.NopCloser(body)}); body.waited > 2*patience {
			t.Errorf("it is waited for %s", body.waited)
		}
	})
}
