package engine

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// syncFile has the disk keep what is in a file, and not when it was written: that would be
// a second thing to wait for.
func syncFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	for err = unix.EINTR; errors.Is(err, unix.EINTR); {
		err = unix.Fdatasync(int(file.Fd()))
	}
	return errors.Join(err, file.Close())
}
