package filelock

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// Take gives the lock of the file to this process, until the file is closed. It waits for
// whoever has it, or else reports that somebody has.
func Take(f *os.File, wait bool) (mine bool, err error) {
	how := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK)
	if !wait {
		how |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	err = windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{})
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION):
		return false, nil
	case err != nil:
		return false, err
	}
	return true, nil
}

// Identity tells a file from its copies. It is empty where that can't be told.
func Identity(fs.FileInfo) string { return "" }
