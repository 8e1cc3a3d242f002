// Package backup keeps a whole server in a folder, rows and bytes, and brings it back.
//
// The folder has snapshots, each of everything at one moment, and contents, the bytes
// of files, which never change under their key and are therefore there once for all
// snapshots:
//
//	snapshots/20261124T041200.000Z/manifest.json      what it is
//	                               rows.jsonl.gz      all tables (see rows.go)
//	                               contents.jsonl.gz  which contents belong to it
//	                               SHA256SUMS         for sha256sum -c
//	contents/41/AbCdEf…                                in folders by the first letter of the key
//
// What is encrypted ends in .age. A name that begins with a point is work under way, or
// what was left of it: whatever else is there is whole.
//
// Take makes a snapshot, Restore brings one back, Prune removes old ones.
package backup

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
)

// Reasons of the faults of this package.
const (
	ReasonNoSnapshot = "no_snapshot" // NotFound
	ReasonDamaged    = "damaged"     // Invalid
	ReasonNewer      = "newer"       // Invalid: made by a newer version
	ReasonWrongKey   = "wrong_key"   // Forbidden
	ReasonHeld       = "held"        // Conflict: somebody else removes bytes, or makes a backup
)

const (
	snapshots = "snapshots"
	contents  = "contents"

	manifestFile = "manifest.json"
	sumsFile     = "SHA256SUMS"
	rowsFile     = "rows.jsonl.gz"
	listFile     = "contents.jsonl.gz" // never encrypted: Prune has no key

	sealed = ".age"

	// nameLayout is that of the names of snapshots, by which they sort.
	nameLayout = "20060102T150405.000Z"
)

// Vault is a folder with backups.
type Vault struct{ root *os.Root }

// Open opens the folder.
func Open(dir string) (*Vault, error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noSnapshot("There is no folder %s.", dir)
	}
	return &Vault{root}, err
}

// Make opens the folder, and makes it where it is not there.
func Make(dir string) (*Vault, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	v, err := Open(dir)
	if err != nil {
		return nil, err
	}
	for _, folder := range []string{snapshots, contents} {
		if err := v.root.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, errors.Join(err, v.Close())
		}
	}
	return v, nil
}

// Close gives the folder back.
func (v *Vault) Close() error { return v.root.Close() }

// Snapshots returns the names of those that are whole, the oldest first.
func (v *Vault) Snapshots() ([]string, error) {
	entries, err := fs.ReadDir(v.root.FS(), snapshots)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if entry.IsDir() && !strings.HasPrefix(entry.Name(), ".") {
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// find returns the snapshot of the name, or the newest.
func (v *Vault) find(name string) (string, error) {
	names, err := v.Snapshots()
	switch {
	case err != nil:
		return "", err
	case len(names) == 0:
		return "", noSnapshot("There is no snapshot in the folder: \"portico backup\" makes one.")
	case name == "":
		return names[len(names)-1], nil
	case !slices.Contains(names, name):
		return "", noSnapshot("There is no snapshot %s. There are: %s.", name, strings.Join(names, ", "))
	}
	return name, nil
}

// nextName is that of a snapshot which is made now. It comes behind all others, though
// their clock may have been ahead: else the newest would be taken for an old one.
func (v *Vault) nextName(now time.Time) (string, error) {
	names, err := v.Snapshots()
	for _, name := range names {
		at, malformed := time.Parse(nameLayout, name)
		if malformed == nil && name >= now.Format(nameLayout) {
			now = at.Add(time.Millisecond)
		}
	}
	return now.Format(nameLayout), err
}

// sweep removes what a backup that was killed has left.
func (v *Vault) sweep() error {
	for _, folder := range []string{snapshots, contents} {
		entries, err := fs.ReadDir(v.root.FS(), folder)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if strings.HasPrefix(entry.Name(), ".") {
				if err := v.root.RemoveAll(path.Join(folder, entry.Name())); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// sync makes what was made, renamed or removed in a folder last.
func (v *Vault) sync(folder string) error {
	opened, err := v.root.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(opened.Sync(), opened.Close())
}

func noSnapshot(format string, args ...any) error {
	return fault.Newf(fault.NotFound, ReasonNoSnapshot, format, args...)
}

func damaged(what string) *fault.Error {
	return fault.Newf(fault.Invalid, ReasonDamaged, "%s was cut off or changed since it was made: restore another snapshot (--at).", what)
}
