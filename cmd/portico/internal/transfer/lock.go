package transfer

import (
	"errors"
	"os"

	"github.com/portico-id/portico/cmd/portico/internal/filelock"
)

// lock waits until no other process has the lock of the file. It ends with the process
// at the latest.
func lock(file string) (unlock func(), err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err := filelock.Take(f, true); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil
}
