package engine

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// syncFile has the disk keep what is in a file, and not when it was written: that would be
// a second thing to wait for.
func syncFile(file *os.File) error {
	var err error = unix.EINTR
	for errors.Is(err, unix.EINTR) {
		err = unix.Fdatasync(int(file.Fd()))
	}
	return err
}

// forget has the system ask the disk anew for what it knows to be on it of a part of a file.
func forget(file *os.File, at int64, n int) {
	_ = unix.Fadvise(int(file.Fd()), at, int64(n), unix.FADV_DONTNEED) // it may know best
}
