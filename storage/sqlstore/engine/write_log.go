package engine

import (
	"os"
	"path/filepath"
	"sync/atomic"
)

// writeLog is the write-ahead log of a file of SQLite, which tells nobody what other
// processes write: each transaction makes it longer, or begins it anew.
type writeLog struct {
	path string
	last atomic.Pointer[logState]
}

type logState struct{ size, at int64 }

// logOf returns the log of the database file, which SQLite keeps beside what a link
// leads to.
func logOf(path string) *writeLog {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return &writeLog{path: path + "-wal"}
}

// moved reports whether somebody has written since it was asked before. Two that write
// within one tick of the system's clock to a log that begins anew look like one. Where
// there is nothing to be seen somebody may have.
func (l *writeLog) moved() bool {
	info, err := os.Stat(l.path)
	if err != nil {
		return true
	}
	now := logState{info.Size(), info.ModTime().UnixNano()}
	before := l.last.Swap(&now)
	return before == nil || *before != now
}
