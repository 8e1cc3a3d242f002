package engine

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
)

// pieceSize is how much of the log is written anew at a time: what a system holds in one
// piece, it forgets as one, and that is less.
const pieceSize = 8 << 20

// due is how many pages of the log are put into the file at a time: as SQLite would.
const due = 1000

// logFile is the write-ahead log, held open: who waits for the disk needs no other file, of
// which there may be no more, and is told of what the disk lost since it was opened.
type logFile struct {
	path string
	held *os.File // nil when it is closed
}

func (l *logFile) sync() error {
	if err := l.open(); err != nil {
		return err
	}
	return syncFile(l.held)
}

// rewrite writes to the log what is in it: the system takes what it could not write for
// written, and would leave a gap there. ext4 takes blocks that it failed to begin for begun,
// too, and after a power cut reads nothing of what it wrote there later: so it has to forget
// where they are, once the disk is known to take what there is. Nobody may write to it meanwhile.
func (l *logFile) rewrite() error {
	err := l.open()
	if err == nil {
		err = l.again(func(int64, int) {})
	}
	if err == nil {
		err = l.sync()
	}
	if err == nil {
		err = l.again(func(at int64, n int) { forget(l.held, at, n) })
	}
	return err
}

// again writes all of the log to it, piece by piece, and says before that which one it has.
func (l *logFile) again(has func(at int64, n int)) error {
	info, err := l.held.Stat()
	if err != nil {
		return err
	}
	piece := make([]byte, min(pieceSize, info.Size()+1))
	for at := int64(0); ; {
		n, err := l.held.ReadAt(piece, at)
		has(at, n)
		if _, failed := l.held.WriteAt(piece[:n], at); failed != nil {
			return failed
		}
		if at += int64(n); errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// full reports whether the log has as many pages as are put into the file at a time. Each has
// the numbers that the log was begun with; what lies behind them is of the one before.
func (l *logFile) full() bool {
	head, page := make([]byte, 32), make([]byte, 16)
	if _, err := l.held.ReadAt(head, 0); err != nil {
		return false
	}
	size := int64(binary.BigEndian.Uint32(head[8:])) + 24
	_, err := l.held.ReadAt(page, int64(len(head))+due*size)
	return err == nil && bytes.Equal(page[8:16], head[16:24])
}

// open opens the log, unless the file that is held is the one that is there.
func (l *logFile) open() error {
	there, err := os.Stat(l.path)
	if err != nil {
		return err
	}
	if l.held != nil {
		if held, err := l.held.Stat(); err == nil && os.SameFile(held, there) {
			return nil
		}
		_ = l.close() // nobody writes to it any more
	}
	l.held, err = os.OpenFile(l.path, os.O_RDWR, 0)
	return err
}

func (l *logFile) close() error {
	if l.held == nil {
		return nil
	}
	held := l.held
	l.held = nil
	return held.Close()
}
