//go:build !linux

package engine

import (
	"errors"
	"os"
)

// syncFile has the disk keep a file.
func syncFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
