package dataapi

import (
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/dataapi/tree"
	"github.com/portico-id/portico/storage"
)

// PatchVersion serves PATCH /data/v1/projects/{project_id}/versions/{version_id}:
// the name alone can change.
func (h *Handler) PatchVersion(w http.ResponseWriter, r *http.Request) error {
	return patching[versionSpot]{
		types: []string{shape.TypeVersions}, change: h.patchVersion,
		reach: func(r *http.Request) (versionSpot, error) {
			item, version, err := h.find.ReachVersion(r)
			return versionSpot{item, version}, err
		},
		id: func(at versionSpot) string { return h.tell.URN.Version(at.Version.ItemID, at.Version.Number) },
		show: func(_ jsonapi.Query, at versionSpot) (single, error) {
			return h.showVersion(r.Context(), at.ItemSpot, at.Version)
		},
	}.serve(w, r)
}

func (h *Handler) patchVersion(r *http.Request, at versionSpot, in *jsonapi.Input) (versionSpot, error) {
	name, err := h.versionName(r, at, in)
	if err == nil {
		at.Version, err = h.renameVersion(r, at, name)
	}
	return at, err
}

// versionName reads what the version shall be called, if the caller may name
// it; without a change it is the present name.
func (h *Handler) versionName(r *http.Request, at versionSpot, in *jsonapi.Input) (string, error) {
	now := nowOf(func() (single, error) { return h.showVersion(r.Context(), at.ItemSpot, at.Version) })
	name := readNewName(in.Member("data", shape.InAttributes, "name"), at.Version.Name)
	if err := in.Err(); err != nil {
		return "", err
	}
	changeable := []string{"name"}
	if name != nil {
		changeable = append(changeable, "displayName") // the same thing under another name
	}
	if err := now.RefuseOthers(in, changeable...); err != nil {
		return "", err
	}
	if name == nil {
		return at.Version.Name, nil
	}
	if tree.IsDocument(at.Version.Extension) {
		return "", h.told(r.Context(), tree.RenameByVersion(), nil)
	}
	return *name, shape.Placed(access.MayRename(at.Standing), atAttributes)
}

func (h *Handler) renameVersion(r *http.Request, at versionSpot, name string) (storage.Version, error) {
	change := h.change(r, at.Standing.Caller)
	var err error
	// Whoever keeps the name needs no right, and must not give it back one that it had.
	if change.Seen, err = seenBy(r, at.Version.Revision, name == at.Version.Name); err != nil {
		return storage.Version{}, err
	}
	ref := storage.VersionRef{ItemID: at.Version.ItemID, Number: at.Version.Number}
	done, err := h.store.RenameVersion(r.Context(), change, at.Project.ID, ref, name)
	return done, h.tell.Located(r.Context(), access.OrRemoved(err, "version"), nil)
}
