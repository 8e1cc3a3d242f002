package transmittal

import (
	"context"
	"net/http"
	"strconv"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// Fetch gives the bytes of a version of a transmittal to who sees it, by the rights
// that they have where it lies, and notes the first time that somebody was given any of
// them to whom it was sent.
func (r *Rules) Fetch(w http.ResponseWriter, q *http.Request, who storage.Caller, projectID string, number int,
	ref storage.VersionRef) error {
	ctx := q.Context()
	seen, err := r.Find(ctx, who, projectID, number)
	if err != nil {
		return err
	}
	object, err := r.object(ctx, who, projectID, seen, ref)
	if err != nil {
		return err
	}
	if q.Method != http.MethodGet {
		return r.with.Bytes.Look(w, q, who, object, false)
	}
	// It is noted before any byte goes, so that who has them finds it noted; whatever comes
	// of that, bytes are given to whoever may have them.
	given := func() {
		if err := r.note(context.WithoutCancel(ctx), seen, ref); err != nil {
			httpio.From(ctx).Err = err
		}
	}
	return r.with.Bytes.Look(&answer{w, given}, q, who, object, false)
}

// answer calls given when it begins to have bytes.
type answer struct {
	http.ResponseWriter
	given func()
}

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if status == http.StatusOK || status == http.StatusPartialContent {
		a.given()
	}
	a.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController through.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// object is what has the bytes of a version.
func (r *Rules) object(ctx context.Context, who storage.Caller, projectID string, seen Seen,
	ref storage.VersionRef) (storage.Object, error) {
	listed := false
	for _, line := range seen.Lines {
		listed = listed || line.VersionRef == ref
	}
	if !listed {
		return storage.Object{}, fault.Absent("version")
	}
	at, version, err := r.with.Rights.Version(ctx, who, projectID, ref)
	switch {
	case err != nil:
	case at.Item.Hidden || !at.Folder.Visible:
		err = fault.Absent("version")
	case version.ObjectKey == "":
		err = fault.New(fault.NotFound, "no_bytes", "The version has no bytes.")
	default:
		err = access.Need(at.Standing, storage.LevelDownload, "read these bytes")
	}
	if err != nil {
		return storage.Object{}, err
	}
	return r.with.Store.FindObject(ctx, version.Bucket, version.ObjectKey)
}

// note notes that who reads has fetched versions, where it was sent to them.
func (r *Rules) note(ctx context.Context, seen Seen, refs ...storage.VersionRef) error {
	if !seen.Mine() {
		return nil
	}
	return r.with.Store.NoteFetched(ctx, seen.Place.Project.ID, seen.Number, seen.Place.Standing.Caller.UserID, refs,
		r.with.Ambient.Now())
}

// Pack makes a ZIP file of what its reader may have of a transmittal, and notes that
// they have fetched it; the rest is named in the file.
func (r *Rules) Pack(ctx context.Context, who storage.Caller, projectID string, number int) (storage.Archive, error) {
	seen, err := r.Find(ctx, who, projectID, number)
	if err != nil {
		return storage.Archive{}, err
	}
	files, err := r.files(ctx, seen)
	if err != nil {
		return storage.Archive{}, err
	}
	made, err := r.with.Packer.PackVersions(ctx, who, projectID, strconv.Itoa(number)+" "+seen.Title, files)
	if err != nil {
		return made, err
	}
	var packed []storage.VersionRef
	for _, f := range files {
		if f.Missing == "" {
			packed = append(packed, storage.VersionRef{ItemID: f.ItemID, Number: f.Number})
		}
	}
	return made, r.note(context.WithoutCancel(ctx), seen, packed...)
}

// files are the versions in their order, with why some can't be had.
func (r *Rules) files(ctx context.Context, seen Seen) ([]storage.PackedFile, error) {
	stored, err := r.with.Store.ListSentFiles(ctx, seen.Place.Project.ID, seen.Number)
	known := map[storage.VersionRef]storage.PackedFile{}
	for _, f := range stored {
		known[storage.VersionRef{ItemID: f.ItemID, Number: f.Number}] = f
	}
	files := make([]storage.PackedFile, len(seen.Lines))
	for i, line := range seen.Lines {
		f := known[line.VersionRef]
		f.ItemID, f.Number, f.Name = line.ItemID, line.VersionRef.Number, line.Name
		switch {
		case line.Now == Deleted, line.Now == Hidden:
			f.Missing = "It is not there any more."
		case !line.Takes:
			f.Missing = "You have no permission to download it."
		}
		files[i] = f
	}
	return files, err
}

// Fetched returns a page of who has fetched what of a transmittal, to who sees it.
func (r *Rules) Fetched(ctx context.Context, who storage.Caller, projectID string, number int,
	page storage.PageRequest) (Seen, []storage.Fetched, string, error) {
	seen, err := r.Find(ctx, who, projectID, number)
	if err != nil {
		return seen, nil, "", err
	}
	all, next, err := r.with.Store.ListFetched(ctx, projectID, number, page)
	return seen, all, next, err
}
