package engine

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// writeLog is the write-ahead log of a file of SQLite, which tells nobody what other
// processes write: each transaction makes it longer, or begins it anew.
type writeLog struct {
	path     string
	last     atomic.Pointer[logState]
	settling atomic.Bool // somebody wrote a moment ago
	calm     *time.Timer // ends that
}

type logState struct{ size, at int64 }

// settles is how long nothing is remembered after the log has moved: a transaction is
// in the log before others see what it did.
const settles = 100 * time.Millisecond

// logOf returns the log of the database file, which SQLite keeps beside what a link
// leads to.
func logOf(path string) *writeLog {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	l := &writeLog{path: path + "-wal"}
	l.calm = time.AfterFunc(settles, func() { l.settling.Store(false) })
	return l
}

// look calls moved when somebody has written since it looked before, or a moment ago.
// Two that write within one tick of the system's clock to a log that begins anew look
// like one. Where there is nothing to be seen somebody may have written.
func (l *writeLog) look(moved func()) {
	info, err := os.Stat(l.path)
	if err != nil {
		moved()
		return
	}
	now := logState{info.Size(), info.ModTime().UnixNano()}
	if before := l.last.Load(); before != nil && *before == now {
		if l.settling.Load() {
			moved()
		}
		return
	}
	l.settling.Store(true)
	l.calm.Reset(settles)
	moved() // before others see that it has been told
	l.last.Store(&now)
}
