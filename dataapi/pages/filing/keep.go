package filing

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/tree"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// judge decides what a file that comes is to be: the object that takes its bytes, or
// nothing, as something of the name is there. Whoever may bring files and add no version is
// told before the bytes come, and not after.
func (d *Desk) judge(ctx context.Context, t thing, f sent) (target storage.Object, skip bool, err error) {
	if wrong := tree.NameFault(f.name); wrong != nil {
		return target, false, wrong.At(tree.AtName)
	}
	target = storage.Object{ProjectID: t.spot.Project.ID, Name: f.name,
		Target: storage.ObjectTarget{FolderID: t.spot.Folder.ID}}
	if t.file != nil {
		target.Target = storage.ObjectTarget{ItemID: t.file.Item.ID}
		return target, false, access.MayAddVersion(t.spot.Standing)
	}
	there, err := d.named(ctx, t, f.name)
	if err != nil || there == "" || f.same == sameBoth {
		return target, false, err
	}
	if f.same == sameSkip {
		return target, true, nil
	}
	target.Target = storage.ObjectTarget{ItemID: there}
	return target, false, access.MayAddVersion(t.spot.Standing)
}

// named returns the uid of the visible file with the name in the folder, "" for none.
func (d *Desk) named(ctx context.Context, t thing, name string) (string, error) {
	found, err := d.store.ListContents(ctx, t.spot.Project.ID, t.spot.Folder.ID,
		storage.ContentsQuery{NoFolders: true, Named: name}, storage.DataPage{Limit: 1})
	if err != nil || len(found.Items) == 0 {
		return "", err
	}
	return found.Items[0].Item.ID, nil
}

const maxTries = 20 // of finding a name that nobody takes meanwhile

// keep makes the file, or its next version, of an object with its bytes, and returns
// the file's uid. Somebody may take the name, or leave it, while the bytes come: who
// wants a file skipped then has it skipped.
func (d *Desk) keep(ctx context.Context, change storage.Change, t thing, f sent,
	object storage.Object) (item string, skipped bool, err error) {
	version := storage.NewVersion{Name: f.name, FileType: tree.FileType(f.name), Bucket: object.Bucket,
		ObjectKey: object.Key, Extension: storage.Extension{Type: d.URN.VersionType(), Version: urn.ExtensionVersion}}
	if t.file != nil {
		version.Name, version.FileType = t.file.Item.Name, tree.FileType(t.file.Item.Name)
	}
	version.MimeType = tree.MimeType(version.FileType)
	to := object.Target.ItemID
	for try := range maxTries {
		if to != "" {
			_, err = d.rules.AddVersion(ctx, change, t.spot.Project.ID, to, tree.NextVersion{NewVersion: version})
			return to, false, done(err)
		}
		if f.same == sameBoth && try > 0 {
			if version.Name, err = d.beside(ctx, t, f.name); err != nil {
				return "", false, err
			}
		}
		made, failed := d.rules.AddItem(ctx, change, t.spot.Project.ID, storage.Item{FolderID: t.spot.Folder.ID,
			Name: version.Name, Extension: storage.Extension{Type: d.URN.ItemType(), Version: urn.ExtensionVersion}}, version)
		if err = failed; !fault.HasReason(err, storage.ReasonNameTaken) {
			return made.Item.ID, false, done(err)
		}
		if f.same == sameSkip {
			return "", true, nil
		}
		if f.same != sameBoth {
			if to, err = d.named(ctx, t, f.name); err != nil {
				return "", false, err
			}
		}
	}
	return to, false, err
}

// done passes over that a file was kept when its form came before.
func done(err error) error {
	if fault.HasReason(err, storage.ReasonDone) {
		return nil
	}
	return err
}

// beside is another name like that of a file, with the first number that is free: of
// numbers that follow one another, hundreds are passed in a few steps.
func (d *Desk) beside(ctx context.Context, t thing, name string) (string, error) {
	taken, free := 1, 0
	for n := 2; free != taken+1; {
		there, err := d.named(ctx, t, numbered(name, n))
		if err != nil {
			return "", err
		}
		if there != "" {
			taken, n = n, 2*n
		} else {
			free = n
		}
		if free > 0 {
			n = (taken + free) / 2
		}
	}
	return numbered(name, free), nil
}

// numbered is another name like it: plan (2).pdf. A long one loses its last letters.
func numbered(name string, n int) string {
	stem, ending := name, ""
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && tree.FileType(name) != "" {
		stem, ending = name[:dot], name[dot:]
	}
	ending = " (" + strconv.Itoa(n) + ")" + ending
	if runes, most := []rune(stem), maxName-utf8.RuneCountInString(ending); len(runes) > most {
		stem = strings.TrimSpace(string(runes[:most]))
	}
	return stem + ending
}
