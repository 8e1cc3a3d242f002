package backup

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
)

// format is the version of the form that snapshots have.
const format = 1

// Manifest says what a snapshot is.
type Manifest struct {
	Name      string    `json:"-"`
	Format    int       `json:"format"`
	Portico   string    `json:"portico"` // the version that made it
	Engine    string    `json:"engine"`  // sqlite or postgres
	Schema    int       `json:"schema"`  // the last migration that was applied
	MadeAt    time.Time `json:"made_at"`
	Encrypted bool      `json:"encrypted"`
	Tables    []Table   `json:"tables"`
	Contents  int       `json:"contents"`          // how many files have bytes in it
	Bytes     int64     `json:"bytes"`             // of contents, and of the audit trail's files
	Trail     []Month   `json:"audit,omitempty"`   // files of old events
	Missing   []string  `json:"missing,omitempty"` // contents that the server itself did not have as it should
}

// Table is how many rows there are of a table.
type Table struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
}

// Rows is how many rows there are of all tables.
func (m Manifest) Rows() int {
	all := 0
	for _, t := range m.Tables {
		all += t.Rows
	}
	return all
}

// rows and list are the snapshot's files.
func (m Manifest) rows() string {
	name := path.Join(snapshots, m.Name, rowsFile)
	if m.Encrypted {
		name += sealed
	}
	return name
}

func (m Manifest) list() string { return path.Join(snapshots, m.Name, listFile) }

// read returns what a snapshot is, once all its files are as they were written, and it
// is of a form and a schema that this version knows.
func (v *Vault) read(name string, newestSchema int) (Manifest, error) {
	m := Manifest{Name: name}
	if err := v.checkSums(path.Join(snapshots, name)); err != nil {
		return m, err
	}
	text, err := fs.ReadFile(v.root.FS(), path.Join(snapshots, name, manifestFile))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err == nil && (m.Format > format || m.Schema > newestSchema) {
		return m, fault.Newf(fault.Invalid, ReasonNewer,
			"The snapshot %s was made by Portico %s, which is newer than this one: restore it with that version, or a later one.",
			name, m.Portico)
	}
	return m, err
}

// checkSums compares the files of a snapshot with their sums. All three must have one.
func (v *Vault) checkSums(folder string) error {
	sums, err := v.root.Open(path.Join(folder, sumsFile))
	if err != nil {
		return damaged(folder).Because(err)
	}
	defer sums.Close()
	files := map[string]bool{}
	lines := bufio.NewScanner(sums)
	for lines.Scan() {
		want, name, _ := strings.Cut(lines.Text(), "  ")
		sum, err := v.sumOf(path.Join(folder, path.Base(name)))
		if err != nil || hex.EncodeToString(sum) != want {
			return damaged(path.Join(folder, name)).Because(err)
		}
		files[strings.TrimSuffix(name, sealed)] = true
	}
	if lines.Err() != nil || !files[manifestFile] || !files[rowsFile] || !files[listFile] {
		return damaged(path.Join(folder, sumsFile)).Because(lines.Err())
	}
	return nil
}

// sums are those of a snapshot's files, as sha256sum prints them.
type sums struct{ strings.Builder }

func (s *sums) add(name string, sum []byte) { _, _ = fmt.Fprintf(s, "%x  %s\n", sum, name) }
