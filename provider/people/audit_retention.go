package people

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/portico-id/portico/storage"
)

// RetireAudit takes at most limit events from before a time out of the audit
// trail, once they are on disk: in the folder, in a file of the month in which
// they were written, as lines of the export. It returns how many went. After a
// crash some may be there twice; the id tells. A line may have been broken off:
// it follows as a whole.
func (p *People) RetireAudit(ctx context.Context, before time.Time, folder string, limit int) (int, error) {
	return p.store.SweepAudit(ctx, before, limit, func(events []storage.AuditEvent) error {
		months := map[string]*bytes.Buffer{}
		for _, e := range events {
			name := "audit-" + e.Act.At.Format("2006-01") + ".ndjson"
			if months[name] == nil {
				months[name] = new(bytes.Buffer)
			}
			write, _ := openNDJSON(months[name])
			if err := write(e); err != nil {
				return err
			}
		}
		for name, lines := range months {
			if err := appendTo(filepath.Join(folder, name), lines.Bytes()); err != nil {
				return err
			}
		}
		return nil
	})
}

// appendTo has the lines on disk when it returns. What was broken off before, by
// a full disk or a crash, stays a line of its own.
func appendTo(name string, lines []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if brokenOff(file) {
		lines = append([]byte("\n"), lines...)
	}
	if _, err = file.Write(lines); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(name))
}

func brokenOff(file *os.File) bool {
	size, err := file.Seek(0, io.SeekEnd)
	last := make([]byte, 1)
	if err == nil && size > 0 {
		_, err = file.ReadAt(last, size-1)
	}
	return err == nil && size > 0 && last[0] != '\n'
}

// syncFolder has a file that is new on disk under its name.
func syncFolder(name string) error {
	folder, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
