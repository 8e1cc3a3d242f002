package transfer

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxName is how many bytes the name of a file has at most, nearly everywhere.
const maxName = 255

// beside is the path of a file of ours beside another one, called after that, or after the
// hash of its name where that is so long that no more fits.
func beside(file, mark string) string {
	dir, name := filepath.Split(file)
	if len("."+name+mark) > maxName {
		sum := sha256.Sum256([]byte(name))
		name = hex.EncodeToString(sum[:8])
	}
	return filepath.Join(dir, "."+name+mark)
}

// shortened is the name as far as it fits, with what tells what is in the file.
func shortened(name string) string {
	if len(name) <= maxName {
		return name
	}
	kind := filepath.Ext(name)
	if len(kind) > maxKind {
		kind = ""
	}
	return strings.ToValidUTF8(name[:maxName-len(kind)], "") + kind
}

// maxKind is how long the end of a name is that tells what is in the file.
const maxKind = 20

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
