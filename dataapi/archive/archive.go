// Package archive packs folders: a folder, or some things in it, as one ZIP file
// whose length is known before the first byte, and of which any part can be had
// again.
//
// Nothing is compressed, so that an archive is arithmetic: names, sizes and sums
// say where each byte lies, and no byte is kept twice. The list of files is fixed
// when it is made; the rights of whoever reads are asked again and again. Start at
// Rules; zip.go is the format, reader.go gives the bytes, api.go is the operations
// under /files/v1.
package archive

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

const (
	// maxEntries is how many files and empty folders an archive has at most.
	maxEntries = 100_000

	// atOnce is how many archives are made at a time: each holds its list.
	atOnce = 2

	// sumsFor is how long one request reads bytes whose sum nobody has kept; what
	// it comes to is kept, and the next goes on.
	sumsFor = 20 * time.Second
)

// Reasons of refusals.
const (
	reasonInvalid   = "invalid_field"
	reasonTooMany   = "archive_too_large"
	reasonPreparing = "archive_preparing" // Unavailable: ask again
	reasonEmpty     = "archive_empty"
	reasonEnded     = "archive_ended" // Gone: ask for another
)

// Store is what Rules read and keep.
type Store interface {
	storage.ArchiveStore
	storage.EndStore
	NoteCRC32(ctx context.Context, blob string, sum []byte) error
}

// Options are what Rules are made of. Every field is needed.
type Options struct {
	Store   Store
	Blobs   blobstore.Store
	Rights  access.Finder
	Ambient *ambient.Source

	// AwaitScan leaves out what no virus scanner has looked at yet.
	AwaitScan bool
}

// Rules make archives and give their bytes. They are safe for concurrent use.
type Rules struct {
	store    Store
	blobs    blobstore.Store
	rights   access.Finder
	ambient  *ambient.Source
	await    bool
	building chan struct{}
	streams  streams
}

// New returns Rules.
func New(o Options) *Rules {
	return &Rules{
		store: o.Store, blobs: o.Blobs, rights: o.Rights, ambient: o.Ambient, await: o.AwaitScan,
		building: make(chan struct{}, atOnce),
	}
}

// Pack makes an archive of what the caller can read in a folder, or of a choice of
// what lies in it. It takes the level download there; what is hidden is not there,
// for editors neither. NotFound; Forbidden; TooLarge; Conflict when there is
// nothing to pack; Unavailable (archive_preparing) while sums are made.
func (r *Rules) Pack(ctx context.Context, who storage.Caller, projectID, folderID string,
	choice *storage.ArchiveChoice) (storage.Archive, error) {
	at, err := r.rights.Folder(ctx, who, projectID, folderID)
	if err == nil && !at.Folder.Visible {
		err = fault.Absent("folder")
	}
	if err == nil {
		err = access.Need(at.Standing, storage.LevelDownload, "download this folder")
	}
	if err != nil {
		return storage.Archive{}, err
	}
	ctx, done, err := r.turn(ctx)
	if err != nil {
		return storage.Archive{}, err
	}
	defer done()
	folders, files, err := r.store.ListPacked(ctx, projectID, folderID, choice, maxEntries)
	if err != nil {
		return storage.Archive{}, orAbsent(err)
	}
	if len(folders)+len(files) > maxEntries {
		return storage.Archive{}, fault.Newf(fault.TooLarge, reasonTooMany,
			"An archive has at most %d files and folders: choose fewer.", maxEntries)
	}
	name := at.Folder.Name
	if at.Folder.Kind == storage.FolderRoot {
		name = at.Project.Name
	}
	return r.keep(ctx, who, projectID, name, folders, files)
}

// turn waits for one of the places in which archives are made, as long as somebody wants
// one. From then on the work goes on though they hang up: sums that are made stay made.
func (r *Rules) turn(ctx context.Context) (own context.Context, done func(), err error) {
	select {
	case r.building <- struct{}{}:
		return context.WithoutCancel(ctx), func() { <-r.building }, nil
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// orAbsent gives the words of the API to a folder that has gone since it was
// found.
func orAbsent(err error) error {
	if f := fault.From(err); f.Kind == fault.NotFound && f.Reason == "" {
		return fault.Absent("folder")
	}
	return err
}

// PackVersions makes an archive of versions that the caller has found, in one folder.
// What can't be packed gets the reason why, and is named in the archive. Conflict when
// nothing can; Unavailable as Pack.
func (r *Rules) PackVersions(ctx context.Context, who storage.Caller, projectID, name string,
	files []storage.PackedFile) (storage.Archive, error) {
	some := false
	for i, f := range files {
		files[i].Missing = r.whyNot(f)
		some = some || files[i].Missing == ""
	}
	if !some {
		return storage.Archive{}, fault.New(fault.Conflict, reasonEmpty, "Nothing in it can be downloaded.")
	}
	ctx, done, err := r.turn(ctx)
	if err != nil {
		return storage.Archive{}, err
	}
	defer done()
	return r.keep(ctx, who, projectID, name, []storage.PackedFolder{{}}, files)
}

// keep makes the list, and keeps it.
func (r *Rules) keep(ctx context.Context, who storage.Caller, projectID, name string,
	folders []storage.PackedFolder, files []storage.PackedFile) (storage.Archive, error) {
	if err := r.sum(ctx, files); err != nil {
		return storage.Archive{}, err
	}
	now := r.ambient.Now()
	content := newContent(folders, files, r.whyNot)
	entries := content.list(folders[0], name, now.Unix())
	pages, length, directory, err := pagesOf(entries)
	if err != nil {
		return storage.Archive{}, err
	}
	archive := storage.Archive{
		ID: r.ambient.UID(), ProjectID: projectID, Owner: ownerOf(who), Name: within(fit(name), ".zip"),
		Files: len(entries), Missing: len(content.missing), Central: length,
		Size:      length + directory + endLength(int64(len(entries)), length),
		CreatedAt: now, ExpiresAt: now.Add(storage.ArchiveLifetime),
	}
	return archive, fault.OrAbsent(r.store.CreateArchive(ctx, archive, pages), "project")
}

// ownerOf is for whom the caller has something packed.
func ownerOf(who storage.Caller) string {
	return cmp.Or(who.UserID, who.ClientID)
}

// whyNot says why a file can't be packed; empty: it can.
func (r *Rules) whyNot(f storage.PackedFile) string {
	switch {
	case f.Missing != "":
		return f.Missing
	case !f.Stored:
		return "It has no bytes."
	case f.Scan == storage.ScanInfected:
		return "The virus scanner has found " + strings.Map(printable, f.Finding) + " in it."
	case f.Scan == storage.ScanPending && r.await:
		return "The virus scanner has not looked at it yet."
	}
	return ""
}

func printable(c rune) rune {
	if c < ' ' {
		return ' '
	}
	return c
}

// sum gives each file that can be packed its sum: bytes from before sums were kept
// are read, once and for all. Of what is read nothing is lost when time is up.
func (r *Rules) sum(ctx context.Context, files []storage.PackedFile) error {
	began := r.ambient.Elapsed()
	for i := range files {
		f := &files[i]
		if len(f.CRC32) > 0 || r.whyNot(*f) != "" {
			continue
		}
		if r.ambient.Elapsed()-began > sumsFor {
			return fault.New(fault.Unavailable, reasonPreparing,
				"The files are being read for the first time: ask again in a moment.").After(time.Second)
		}
		digest, err := r.read(ctx, f.Blob)
		if err != nil {
			return err
		}
		f.CRC32 = digest.CRC32
		if err := r.store.NoteCRC32(ctx, f.Blob, digest.CRC32); err != nil {
			return err
		}
	}
	return nil
}

// read reads bytes to their end, unless their place is silent.
func (r *Rules) read(ctx context.Context, blob string) (blobstore.Digest, error) {
	ctx, place := blobstore.TakeTurn(ctx)
	defer place.Done()
	return blobstore.Sum(ctx, r.blobs, blob, func(int64) { place.GoOn() })
}
