package engine

import (
	"os"
	"sync"
)

// checkedFile is the file of the database, which checkpoints put what the log has into.
// SQLite would do so by itself, and say nothing where it fails: as with the log, ext4 takes
// blocks that it failed to begin for begun, and loses by a power cut what is written to them
// later, of which there is no log any more.
type checkedFile struct {
	file  *os.File   // closed after SQLite has closed its own, which would lose their locks
	turn  sync.Mutex // of the checkpoint that is under way
	sound bool       // the system knows the file as it is on the disk
	lost  bool       // SQLite takes for written what is not, until the file is opened anew
}

// checkpointed is what SQLite says of a checkpoint: how many pages of how many are in the
// file. They are on the disk, too, if they are all.
type checkpointed struct{ Busy, Log, Checkpointed int }

// take has the file take what the log has, by a checkpoint. After one that failed, here or by
// a server before that left a log, the system has to ask the disk for what it knows of the file, once it has
// what there is. What did not come through SQLite writes again, but for pages that it has
// written while somebody read older ones: those are waited for at once.
func (f *checkedFile) take(checkpoint func() (checkpointed, error)) error {
	if f.lost {
		return os.ErrInvalid
	}
	if !f.sound {
		if err := syncFile(f.file); err != nil {
			return err
		}
		forget(f.file, 0, 0)
	}
	done, err := checkpoint()
	if err == nil && done.Checkpointed < done.Log {
		err = syncFile(f.file)
		f.lost = err != nil
	}
	f.sound = err == nil
	return err
}
