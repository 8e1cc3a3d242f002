//go:build unix

package filelock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Take gives the lock of the file to this process, until the file is closed. It waits for
// whoever has it, or else reports that somebody has.
func Take(f *os.File, wait bool) (mine bool, err error) {
	how := unix.LOCK_EX
	if !wait {
		how |= unix.LOCK_NB
	}
	switch err := unix.Flock(int(f.Fd()), how); {
	case errors.Is(err, unix.EWOULDBLOCK):
		return false, nil
	case err != nil:
		return false, err
	}
	return true, nil
}

// Identity tells a file from its copies. It is empty where that can't be told.
func Identity(info fs.FileInfo) string {
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return ""
	}
	return fmt.Sprintf("%d:%d", stat.Dev, stat.Ino)
}
