package dataapi

import (
	"net/http"
	"time"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/filter"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/dataapi/tree"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// PatchFolder serves PATCH /data/v1/projects/{project_id}/folders/{folder_id}:
// it renames, moves, hides, restores or describes, all at once or not at all.
func (h *Handler) PatchFolder(w http.ResponseWriter, r *http.Request) error {
	return patching[access.Spot]{
		types: []string{shape.TypeFolders}, reach: h.find.ReachFolder, change: h.patchFolder,
		id:   func(at access.Spot) string { return h.tell.URN.Folder(at.Folder.ID) },
		show: func(_ jsonapi.Query, at access.Spot) (single, error) { return h.showFolder(r.Context(), at) },
	}.serve(w, r)
}

// patching is how a resource of the first of the types is changed by a document
// that is judged against what there is.
type patching[T any] struct {
	types  []string
	reach  func(*http.Request) (T, error)
	id     func(T) string
	change func(*http.Request, T, *jsonapi.Input) (T, error)
	show   func(jsonapi.Query, T) (single, error)
}

func (p patching[T]) serve(w http.ResponseWriter, r *http.Request) error {
	q, err := filter.Plain(p.types...).Parse(r)
	if err != nil {
		return err
	}
	at, err := p.reach(r)
	if err != nil {
		return err
	}
	in, err := readPatch(w, r, p.types[0], p.id(at))
	if err != nil {
		return err
	}
	var done T
	err = undisturbed(r, func(again bool) error {
		if again {
			if at, err = p.reach(r); err != nil {
				return err
			}
		}
		done, err = p.change(r, at, in)
		return err
	})
	if err != nil {
		return err
	}
	d, err := p.show(q, done)
	if err != nil {
		return err
	}
	return writeChanged(w, r, http.StatusOK, q, d)
}

// patchFolder changes the folder as the document says, where the caller may.
func (h *Handler) patchFolder(r *http.Request, at access.Spot, in *jsonapi.Input) (access.Spot, error) {
	patch, err := h.folderPatch(r, at, in)
	if err != nil {
		return access.Spot{}, err
	}
	change := h.change(r, at.Standing.Caller)
	if change.Seen, err = seenBy(r, at.Folder.Revision, patch.ExtensionData != nil); err != nil {
		return access.Spot{}, err
	}
	done, err := h.rules.ChangeFolder(r.Context(), change, at, patch)
	return done, h.told(r.Context(), err, shape.Sources{tree.AtName: nameOrElse(in, "name")})
}

// folderPatch reads what the document changes of the folder, as far as the
// caller may change it.
func (h *Handler) folderPatch(r *http.Request, at access.Spot, in *jsonapi.Input) (storage.FolderPatch, error) {
	now := nowOf(func() (single, error) { return h.showFolder(r.Context(), at) })
	data := in.Member("data")
	patch := storage.FolderPatch{
		Name:          readNewName(data.Member(shape.InAttributes, "name"), at.Folder.Name),
		Hidden:        changed(data.Member(shape.InAttributes, "hidden").OptionalFlag(), at.Folder.Hidden),
		ParentID:      readNewParent(h, data, at.Folder.ParentID),
		ExtensionData: now.MergedData(data.Member(shape.InAttributes, "extension", "data"), at.Folder.Extension.Data),
	}
	if err := in.Err(); err != nil {
		return patch, err
	}
	changeable := []string{"name", "hidden", "parent", "extension"}
	if patch.Name != nil {
		changeable = append(changeable, "displayName") // the same thing under another name
	}
	if err := now.RefuseOthers(in, changeable...); err != nil {
		return patch, err
	}
	return patch, h.told(r.Context(), h.rules.MayChangeFolder(at, patch), nil)
}

// nowOf is a resource as the caller sees it.
func nowOf(show func() (single, error)) *shape.ResourceNow {
	return shape.NewResourceNow(func() (jsonapi.Resource, error) {
		d, err := show()
		return d.Resource, err
	})
}

// readPatch reads a document that changes the resource in the path. Another
// type or id is 400 (Divergence: JSON:API has 409; decision J13).
func readPatch(w http.ResponseWriter, r *http.Request, kind, id string) (*jsonapi.Input, error) {
	in, err := jsonapi.ReadInput(w, r, kind)
	if err != nil {
		return nil, err
	}
	if v := in.Member("data", "id"); v.Text() != id && in.Err() == nil {
		v.Refuse(fault.New(fault.Invalid, jsonapi.ReasonInvalid, "The id must be the one in the path."))
	}
	return in, in.Err()
}

// readName returns the name that stands there.
func readName(v jsonapi.Value) string {
	name, given := v.OptionalText()
	if !given {
		return ""
	}
	if wrong := tree.NameFault(name); wrong != nil {
		v.Refuse(wrong)
	}
	return name
}

// readNewName returns the name that stands there, nil when it is no other.
func readNewName(v jsonapi.Value, is string) *string {
	if text, given := v.OptionalText(); !given || text == is {
		return nil // what was named by other rules may keep its name
	}
	name := readName(v)
	return &name
}

// readNewParent returns the folder to move to, nil for none or the same.
func readNewParent(h *Handler, data jsonapi.Value, is string) *string {
	v := data.Member(shape.InRelationships, "parent")
	if v.Given() && !v.Member("data").Given() && v.Member("links").Given() {
		return nil // as it was read: where to ask, and not what it is
	}
	return changed(notEmpty(h.tell.ReadParent(v)), is)
}

func notEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// changed returns what is wanted, nil for what is so already.
func changed[T comparable](want *T, is T) *T {
	if want == nil || *want == is {
		return nil
	}
	return want
}

// nameOrElse is the place of a name that is taken: where the document names it,
// else what brings the thing among others.
func nameOrElse(in *jsonapi.Input, name string) string {
	switch {
	case in.Member("data", shape.InAttributes, name).Given():
		return atAttributes + "/" + name
	case in.Member("data", shape.InAttributes, "hidden").Given():
		return atHidden
	}
	return atParent
}

const (
	maxTries  = 8 // of a change that was computed from what there was
	retryBusy = time.Second
)

// seenBy returns the revision that a change depends on: the one that If-Match
// names, or, for a change that was computed from what there was, that.
func seenBy(r *http.Request, revision int64, computed bool) (int64, error) {
	seen, err := ifMatch(r, revision)
	if computed {
		seen = revision
	}
	return seen, err
}

// depends reports whether the client says on which state its change depends.
func depends(r *http.Request) bool {
	return len(r.Header.Values(shape.MatchHeader))+len(r.Header.Values(shape.OtherHeader)) > 0
}

// undisturbed runs a change again while others come between its reading and its
// writing, unless the client depends on the state that it knows.
func undisturbed(r *http.Request, act func(again bool) error) error {
	for try := range maxTries {
		err := act(try > 0)
		if !fault.HasReason(err, storage.ReasonChanged) || depends(r) {
			return err
		}
	}
	return fault.New(fault.Locked, storage.ReasonProjectBusy,
		"Others keep changing it. Try again in a moment.").After(retryBusy)
}
