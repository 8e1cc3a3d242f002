package filing

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/objects"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/dataapi/tree"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// An upload that a script of the page makes comes in parts, and goes on where it
// stopped: after a break of the line, another sign-in or a restart of the server.

const (
	fieldName = "name"
	fieldPath = "path"
	fieldSize = "size"

	jsonType = "application/json"
	maxPath  = 25 // folders of a path
)

// begun is an upload that waits for its parts.
type begun struct {
	Skip bool   `json:"skip,omitempty"` // something of the name is there
	URL  string `json:"url,omitempty"`  // of the upload
	Part int    `json:"part,omitempty"` // bytes of each part but the last
}

// came says which parts have come, by number, or that they are the file already.
type came struct {
	Parts    map[int]int64 `json:"parts"`
	Finished bool          `json:"finished,omitempty"`
}

// finished leads to the file.
type finished struct {
	URL  string `json:"url"`
	Skip bool   `json:"skip,omitempty"` // something took the name meanwhile
}

// beginUpload serves the beginning: a name, what to do when something has it, and the
// folders that it lies in where whole folders come.
func (d *Desk) beginUpload(w http.ResponseWriter, r *http.Request, v websession.Visit, t thing) (any, error) {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return nil, err
	}
	if wrong := tree.NameFault(values.Get(fieldName)); wrong != nil {
		return nil, wrong.At(tree.AtName) // before folders are made for it
	}
	ctx, change := r.Context(), ground.Change(v)
	if t, err = d.within(ctx, change, t, values.Get(fieldPath)); err != nil {
		return nil, err
	}
	target, skip, err := d.judge(ctx, t, sent{name: values.Get(fieldName), same: values.Get(fieldSame)})
	if err != nil || skip {
		return begun{Skip: skip}, err
	}
	object, err := d.rules.AddObject(ctx, change, target)
	if err != nil {
		return nil, err
	}
	upload, err := d.bytes.Begin(ctx, change, object)
	return begun{URL: ground.Project + object.ProjectID + "/uploads/" + object.Key + "/" + upload.ID,
		Part: objects.PartSize}, err
}

// within makes the folders of a path that are not there yet, and returns the last.
func (d *Desk) within(ctx context.Context, change storage.Change, t thing, path string) (thing, error) {
	if path == "" || t.file != nil {
		return t, nil
	}
	names := strings.Split(path, "/")
	if len(names) > maxPath {
		return t, fault.New(fault.Invalid, storage.ReasonTooDeep, "There are too many folders in one another.")
	}
	for _, name := range names {
		if wrong := tree.NameFault(name); wrong != nil {
			return t, wrong.At(tree.AtName)
		}
	}
	for _, name := range names {
		at, err := d.subfolder(ctx, change, t.spot, name)
		if err != nil {
			return t, err
		}
		t = thing{spot: at, name: at.Folder.Name, url: d.FolderURL(at.Project.ID, at.Folder.ID)}
	}
	return t, nil
}

func (d *Desk) subfolder(ctx context.Context, change storage.Change, in access.Spot, name string) (access.Spot, error) {
	for range maxTries {
		found, err := d.store.ListContents(ctx, in.Project.ID, in.Folder.ID,
			storage.ContentsQuery{NoItems: true, Named: name}, storage.DataPage{Limit: 1})
		if err != nil {
			return in, err
		}
		if len(found.Folders) > 0 {
			return d.Find.Folder(ctx, change.Caller, in.Project.ID, found.Folders[0].ID)
		}
		made, err := d.rules.AddFolder(ctx, change, in.Project.ID, storage.Folder{ParentID: in.Folder.ID, Name: name,
			Extension: storage.Extension{Type: d.URN.FolderType(), Version: urn.ExtensionVersion}})
		if !fault.HasReason(err, storage.ReasonNameTaken) {
			return made, err
		}
	}
	return in, fault.New(fault.Conflict, storage.ReasonNameTaken, "Others keep taking the name.")
}

// coming is an upload under way, as its address names it.
func (d *Desk) coming(r *http.Request) (storage.Object, string, error) {
	place, err := d.Find.ReachProject(r, false)
	if err != nil {
		return storage.Object{}, "", err
	}
	key, err := httpio.PathID(r, "object")
	if err != nil {
		return storage.Object{}, "", err
	}
	id, err := httpio.PathID(r, "upload")
	if err != nil {
		return storage.Object{}, "", err
	}
	object, err := d.store.FindObject(r.Context(), tree.Bucket, key)
	if err == nil && object.ProjectID != place.Project.ID {
		err = fault.Absent("object")
	}
	return object, id, fault.OrAbsent(err, "object")
}

// cameUpload says which parts of an upload have come.
func (d *Desk) cameUpload(_ http.ResponseWriter, r *http.Request, v websession.Visit) (any, error) {
	object, id, err := d.coming(r)
	if err != nil {
		return nil, err
	}
	parts, finished, err := d.bytes.Came(r.Context(), ground.Change(v).Caller, object, id)
	return came{parts, finished}, err
}

// takePart keeps a part of an upload.
func (d *Desk) takePart(w http.ResponseWriter, r *http.Request, v websession.Visit) (any, error) {
	object, id, err := d.coming(r)
	if err != nil {
		return nil, err
	}
	text, err := httpio.PathID(r, "part")
	if err != nil {
		return nil, err
	}
	part, err := strconv.Atoi(text)
	if err != nil || part < 1 {
		return nil, fault.Absent("part")
	}
	return came{}, d.bytes.Take(w, r, ground.Change(v).Caller, object, id, part)
}

// cancelUpload ends an upload that nobody wants any more.
func (d *Desk) cancelUpload(_ http.ResponseWriter, r *http.Request, v websession.Visit) (any, error) {
	object, id, err := d.coming(r)
	if err != nil {
		return nil, err
	}
	return came{}, d.bytes.Cancel(r.Context(), ground.Change(v).Caller, object, id)
}

// finishUpload makes the file, or its next version, of the parts that have come. Sent
// again it answers alike.
func (d *Desk) finishUpload(w http.ResponseWriter, r *http.Request, v websession.Visit) (any, error) {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return nil, err
	}
	object, id, err := d.coming(r)
	if err != nil {
		return nil, err
	}
	httpio.AtLeisure(w)
	ctx, change := r.Context(), ground.Change(v)
	t, err := d.aimed(ctx, change.Caller, object)
	if err == nil {
		object, err = d.bytes.Finish(ctx, change, object, id, sizeOf(values.Get(fieldSize)))
	}
	if err != nil {
		return nil, err
	}
	change.Once = once(change.Caller, object.Key+id)
	item, skipped, err := d.keep(ctx, change, t, sent{name: object.Name, same: values.Get(fieldSame)}, object)
	if err != nil || item == "" {
		return finished{t.url, skipped}, err
	}
	return finished{URL: d.ItemURL(object.ProjectID, item)}, nil
}

// sizeOf is how many bytes a file has, nil when that is not said.
func sizeOf(text string) *int64 {
	size, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil
	}
	return &size
}

// aimed is what an object was made for.
func (d *Desk) aimed(ctx context.Context, who storage.Caller, object storage.Object) (thing, error) {
	if object.Target.ItemID != "" {
		at, err := d.Find.Item(ctx, who, object.ProjectID, object.Target.ItemID)
		return d.ofItem(at), err
	}
	at, err := d.Find.Folder(ctx, who, object.ProjectID, object.Target.FolderID)
	return thing{spot: at, name: at.Folder.Name, url: d.FolderURL(at.Project.ID, at.Folder.ID)}, err
}

// answering serves a script of a page: with JSON, or with a sentence that says what
// is wrong.
func (d *Desk) answering(serve func(http.ResponseWriter, *http.Request, websession.Visit) (any,
	error)) websession.Page {
	return func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
		w.Header().Set("Cache-Control", "no-store")
		answer, err := serve(w, access.AsPerson(r, v.UserID), v)
		if err == nil {
			httpio.WriteJSON(w, http.StatusOK, jsonType, answer)
			return nil
		}
		f := fault.From(err)
		if f.Kind == fault.Internal {
			return err
		}
		status := http.StatusUnprocessableEntity
		switch {
		case f.Kind == fault.NotFound:
			status = http.StatusNotFound
		case f.Kind == fault.Unavailable, fault.HasReason(f, storage.ReasonProjectBusy):
			status = http.StatusServiceUnavailable
		}
		httpio.From(r.Context()).Err = err // the log says what it was
		httpio.SetRetryAfter(w.Header(), f.RetryAfter)
		said := d.Pages.Say(httpio.From(r.Context()).Languages.String(), d.Told(r.Context(), err))
		httpio.WriteJSON(w, status, jsonType, struct {
			Problem string `json:"problem"`
		}{said})
		return nil
	}
}
