package transfer

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// lock waits until no other process has the lock of the file. It ends with the process
// at the latest.
func lock(file string) (unlock func(), err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &windows.Overlapped{})
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}

// mine reports whether it is a file: whose, its folder says.
func mine(info fs.FileInfo) bool { return info.Mode().IsRegular() }
