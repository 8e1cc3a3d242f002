package backup

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/portico-id/portico/cmd/portico/internal/filelock"
	"github.com/portico-id/portico/internal/ambient"
)

// claimFile is that which a backup has locked as long as it works. In it stands the name
// by which it keeps bytes from being removed.
const claimFile = ".lock"

// claim is the right of a process to be the only one that makes backups in a folder.
type claim struct {
	file   *os.File
	holder string
}

// claimed waits until the folder is this process's.
func (v *Vault) claimed(ctx context.Context, o Options) (c claim, err error) {
	err = await(ctx, o.Waits, func() (mine bool, err error) {
		c, mine, err = v.claim(o.Ambient)
		return mine, err
	})
	return c, err
}

// claim takes it, or reports that another process has it. Whoever had it before is dead,
// so that this one goes on in their name, and need not wait until what they hold runs out.
func (v *Vault) claim(source *ambient.Source) (c claim, mine bool, err error) {
	file, err := v.root.OpenFile(claimFile, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return claim{}, false, err
	}
	c = claim{file: file, holder: "backup " + source.UID()}
	switch mine, err = filelock.Take(file, false); {
	case err != nil: // there are file systems without locks: the database keeps backups apart, too
		return c, true, nil
	case !mine:
		return claim{}, false, file.Close()
	}
	if err := c.inherit(); err != nil {
		return claim{}, false, errors.Join(err, file.Close())
	}
	return c, true, nil
}

// inherit takes the name of whoever had the file before, or leaves its own in it. In a copy
// of the folder the name is nobody's: the folder that it was copied from has it.
func (c *claim) inherit() error {
	info, err := c.file.Stat()
	if err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(c.file, 1000))
	if err != nil {
		return err
	}
	identity := filelock.Identity(info)
	if holder, of, told := strings.Cut(string(text), "\n"); told && identity != "" && of == identity {
		c.holder = holder
		return nil
	}
	if err := c.file.Truncate(0); err != nil {
		return err
	}
	_, err = c.file.WriteAt([]byte(c.holder+"\n"+identity), 0)
	return err
}

func (c claim) release() { _ = c.file.Close() }
