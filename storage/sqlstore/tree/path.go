package tree

import (
	"context"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

// segment is a folder's part of a path.
func segment(id int64) string { return strconv.FormatInt(id, 36) + "/" }

// pathEnd is the first text that sorts behind everything below the path: "0"
// follows "/".
func pathEnd(path string) string { return strings.TrimSuffix(path, "/") + "0" }

// below reports whether a path is that of the folder at top, or leads into it.
func below(path, top string) bool { return strings.HasPrefix(path, top) }

// depthOf is how deep the folder at the path lies; the root is at 0.
func depthOf(path string) int { return strings.Count(path, "/") - 1 }

// idsOf returns the folders on the path, the root first.
func idsOf(path string) ([]int64, error) {
	var ids []int64
	for part := range strings.SplitSeq(strings.TrimSuffix(path, "/"), "/") {
		id, err := strconv.ParseInt(part, 36, 64)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// spot is a folder as changes in it need to know it.
type spot struct {
	ID      int64
	UID     string
	Path    string
	Visible bool
}

const (
	selectSpot = `
SELECT f.id, f.uid, fp.path, fp.visible FROM folders f JOIN folder_paths fp ON fp.folder_id = f.id
WHERE f.uid = :uid AND f.project_id = :project_id`

	noteChange = `{note change}`
)

// parentSpot finds the visible folder that something is to be put into.
func (t tx) parentSpot(ctx context.Context, project hubs.ProjectRow, uid string) (spot, error) {
	var parent spot
	err := t.Get(ctx, &parent, selectSpot, engine.Args{"uid": uid, "project_id": project.ID})
	switch {
	case engine.IsNoRow(err):
		return spot{}, fault.New(fault.NotFound, storage.ReasonParentAbsent, "There is no such folder in the project.")
	case err != nil:
		return spot{}, err
	case !parent.Visible:
		return spot{}, fault.New(fault.Conflict, storage.ReasonParentHidden, "The folder, or one above it, is hidden.")
	}
	return parent, nil
}

// note lets the folder and all above it know of a change, and that this many
// visible things more (or fewer) lie in the folder.
func (t tx) note(ctx context.Context, change storage.Change, folder spot, objects int) error {
	_, err := t.Exec(ctx, noteChange, engine.Args{
		"folder_id": folder.ID, "path": folder.Path, "at": change.At, "objects": objects,
	})
	return err
}

// checkSeen refuses a change of what the caller knows otherwise.
func checkSeen(change storage.Change, revision int64) error {
	if change.Seen != 0 && change.Seen != revision {
		return fault.New(fault.PreconditionFailed, storage.ReasonChanged, "It was changed meanwhile: read it again.")
	}
	return nil
}

func nameTaken(what string) error {
	return fault.Newf(fault.Conflict, storage.ReasonNameTaken, "Another %s in this folder has the name.", what)
}
