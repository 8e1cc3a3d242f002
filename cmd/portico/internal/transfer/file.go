package transfer

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeWhole replaces a file whole, by one beside it whose name nobody can foresee and
// which its owner alone reads: others may write to the folder.
func writeWhole(path string, text []byte) error {
	fresh, err := os.CreateTemp(filepath.Dir(path), ".portico-*") // 0600
	if err != nil {
		return err
	}
	_, err = fresh.Write(text)
	if err = errors.Join(err, fresh.Close()); err == nil {
		err = os.Rename(fresh.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(fresh.Name()))
	}
	return nil
}

// readOwn reads what an earlier run has left, and nothing of others.
func readOwn(path string) ([]byte, error) {
	if _, err := os.Lstat(path); err != nil {
		return nil, err
	}
	file, err := openOwn(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// openOwn opens what an earlier run has left, or makes the file. What somebody else has
// put there, a link among it, is not touched.
func openOwn(path string) (*os.File, error) {
	before, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if opened, err := file.Stat(); err != nil || !os.SameFile(before, opened) || !mine(before) {
		return nil, errors.Join(fmt.Errorf("%s is not a file that this command made: remove it", path), err, file.Close())
	}
	return file, nil
}
