package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/pattern"
)

// Old events of the audit trail lie in files of the data directory, one for each month.
// Each is a content, known by its bytes: what has not grown since the last snapshot is
// not copied again. Their keys begin with a sign behind all others, so that they come last.
const trailMark = "~"

// trailName is what such a file is called.
var trailName = pattern.Of(`^audit-[0-9]{4}-[0-9]{2}\.ndjson$`)

// Month is a file of old events.
type Month struct {
	Name    string `json:"name"`
	Content string `json:"content"` // its key
}

// month is such a file on its way into a snapshot. It may grow: only so many bytes count.
type month struct {
	name string
	size int64
}

func (c content) ofTrail() bool { return strings.HasPrefix(c.name, trailMark) }

// listTrail lists the files of old events. They are read behind the rows: an event that
// leaves the rows meanwhile is in both, and none is in neither.
func (t *taking) listTrail(yield func(row []any) error) error {
	if t.Trail == "" {
		return nil
	}
	entries, err := os.ReadDir(t.Trail)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	t.months = map[string]month{}
	rows := map[string][]any{}
	for _, entry := range entries {
		if !trailName().MatchString(entry.Name()) || !entry.Type().IsRegular() {
			continue
		}
		m, sum, err := t.month(entry.Name())
		if err != nil {
			return err
		}
		digest := sha256.Sum256(append([]byte(m.name), sum...))
		key := trailMark + base64.RawURLEncoding.EncodeToString(digest[:16])
		t.months[key], rows[key] = m, []any{key, m.size, sum}
		t.manifest.Trail = append(t.manifest.Trail, Month{m.name, key})
	}
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		if err := yield(rows[key]); err != nil {
			return err
		}
	}
	return nil
}

func (t *taking) month(name string) (m month, sum []byte, err error) {
	file, err := os.Open(filepath.Join(t.Trail, name))
	if err != nil {
		return m, nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return m, nil, err
	}
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(file, info.Size()))
	return month{name, n}, h.Sum(nil), err
}

// body opens the bytes of a content where they are now.
func (t *taking) body(ctx context.Context, c content) (io.ReadCloser, error) {
	m, is := t.months[c.key()]
	if !is {
		return t.Blobs.Open(ctx, c.key(), 0, -1)
	}
	file, err := os.Open(filepath.Join(t.Trail, m.name))
	if err != nil {
		return nil, err
	}
	return reading{io.LimitReader(file, m.size), file}, nil
}

// bringMonth puts a file of old events back, unless one of its name is there.
func (b *bringing) bringMonth(ctx context.Context, c content) error {
	i := slices.IndexFunc(b.months, func(m Month) bool { return m.Content == c.key() })
	if i < 0 || !trailName().MatchString(b.months[i].Name) {
		return spoilt(c)
	}
	if b.Trail == "" {
		return nil
	}
	name := filepath.Join(b.Trail, b.months[i].Name)
	if _, err := os.Lstat(name); err == nil {
		return nil
	}
	body, err := b.vault.open(c.place(), b.Identities)
	if errors.Is(err, fs.ErrNotExist) {
		return spoilt(c).Because(err)
	}
	if err != nil {
		return err
	}
	defer body.Close()
	if err := os.MkdirAll(b.Trail, 0o700); err != nil {
		return err
	}
	return fillMonth(name, c, heeding{ctx, body})
}

// fillMonth makes the file once all of it is on disk.
func fillMonth(name string, c content, body io.Reader) error {
	draft := filepath.Join(filepath.Dir(name), ".restore-"+filepath.Base(name))
	under, err := os.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(draft) }() // unless it has become the file
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(under, sum), body)
	failed := errors.Join(under.Sync(), under.Close())
	switch {
	case err != nil || n != c.size || c.sum != nil && !bytes.Equal(sum.Sum(nil), c.sum):
		return spoilt(c).Because(err)
	case failed != nil:
		return failed
	}
	return os.Rename(draft, name)
}
