//go:build unix

package transfer

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// lock waits until no other process has the lock of the file. It ends with the process
// at the latest.
func lock(file string) (unlock func(), err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		_ = f.Close()
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}

// mine reports whether it is a file of the user of the process, by no other name.
func mine(info fs.FileInfo) bool {
	stat, known := info.Sys().(*syscall.Stat_t)
	return info.Mode().IsRegular() && known && int(stat.Uid) == os.Geteuid() && stat.Nlink == 1
}
