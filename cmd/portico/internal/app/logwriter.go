package app

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

const (
	logRoom = 4096            // lines that wait to be written
	logEnd  = 2 * time.Second // that the last of them may take
)

// logWriter hands lines on without ever waiting for whoever reads them: what
// nobody takes is dropped, and counted.
type logWriter struct {
	lines   chan []byte
	dropped atomic.Int64
	ended   chan struct{}

	mu     sync.RWMutex // guards what follows
	closed bool
}

// newLogWriter writes to out until it is closed. now tells the time of the line
// that says how many are missing.
func newLogWriter(out io.Writer, now func() time.Time) *logWriter {
	w := &logWriter{lines: make(chan []byte, logRoom), ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		for line := range w.lines {
			_, _ = out.Write(line) // who can't be told can't be told that either
			if n := w.dropped.Swap(0); n > 0 {
				_, _ = fmt.Fprintf(out, `{"time":%q,"level":"WARN","msg":"lines of the log were dropped, as nobody read them","how_many":%d}`+"\n",
					now().Format(time.RFC3339Nano), n)
			}
		}
	}()
	return w
}

// Write implements io.Writer. It never fails. What comes after close, as of a
// request that was cut, is dropped.
func (w *logWriter) Write(line []byte) (int, error) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return len(line), nil
	}
	select {
	case w.lines <- append([]byte(nil), line...):
	default:
		w.dropped.Add(1)
	}
	return len(line), nil
}

// close waits until everything is written, as long as somebody reads it.
func (w *logWriter) close() {
	w.end()
	late := time.NewTimer(logEnd)
	defer late.Stop()
	select {
	case <-w.ended:
	case <-late.C:
	}
}

func (w *logWriter) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.closed = true
		close(w.lines)
	}
}
