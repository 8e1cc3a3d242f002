package backup

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
)

// Prune removes all snapshots but the newest so many, and then the contents that none
// of these has. It returns how many of each went. A list that can't be read ends it
// before contents go. It is for Options.Then: another backup at work would lose what it has
// just copied, which no list has yet.
func Prune(ctx context.Context, v *Vault, keep int) (snapshotsGone, contentsGone int, err error) {
	names, err := v.Snapshots()
	if err != nil || len(names) <= keep || keep < 1 {
		return 0, 0, err
	}
	old, kept := names[:len(names)-keep], names[len(names)-keep:]
	for _, name := range old {
		gone := path.Join(snapshots, "."+name) // what is left when this is killed is no snapshot
		err := v.root.Rename(path.Join(snapshots, name), gone)
		if err = errors.Join(err, v.root.RemoveAll(gone)); err != nil {
			return snapshotsGone, 0, err
		}
		snapshotsGone++
	}
	contentsGone, err = v.pruneContents(ctx, kept)
	return snapshotsGone, contentsGone, errors.Join(err, v.sync(snapshots))
}

// pruneContents goes along the contents and the lists, which are in the same order.
func (v *Vault) pruneContents(ctx context.Context, kept []string) (gone int, err error) {
	var lists []*mark
	defer func() {
		for _, m := range lists {
			_ = m.Close()
		}
	}()
	for _, name := range kept {
		if err := v.checkSums(path.Join(snapshots, name)); err != nil {
			return 0, err
		}
		list, err := v.openList(Manifest{Name: name}.list())
		if err != nil {
			return 0, err
		}
		lists = append(lists, &mark{listReader: list})
	}
	err = fs.WalkDir(v.root.FS(), contents, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			return err
		}
		for _, m := range lists {
			if has, err := m.has(entry.Name()); err != nil || has {
				return err
			}
		}
		gone++
		return errors.Join(v.root.Remove(at), ctx.Err())
	})
	return gone, err
}

// mark is a place in a list.
type mark struct {
	*listReader
	at    content
	ended bool
}

// has reports whether the list has the name. Names must come in order.
func (m *mark) has(name string) (bool, error) {
	for !m.ended && m.at.name < name {
		var err error
		if m.at, err = m.next(); errors.Is(err, io.EOF) {
			m.ended = true
		} else if err != nil {
			return false, err
		}
	}
	return !m.ended && m.at.name == name, nil
}
