package people

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/portico-id/portico/storage"
)

// RetireAudit takes at most limit events from before a time out of the audit
// trail, once they are on disk: in the folder, in a file of the month in which
// they were written, as lines of the export. It returns how many went. After a
// crash some may be there twice; the id tells.
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

// appendTo has the lines on disk when it returns.
func appendTo(name string, lines []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	if _, err := file.Write(lines); err != nil {
		return err
	}
	return file.Sync()
}
