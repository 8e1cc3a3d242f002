package dataapi

import (
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/storage"
)

// folder shows a folder; its parent only to those who can read that.
func (s shower) folder(f storage.Folder, withParent bool) jsonapi.Resource {
	address := s.folderURL(f.ProjectID, f.ID)
	return jsonapi.Resource{
		Type: typeFolders, ID: s.urn.Folder(f.ID), Links: self(address),
		Attributes: jsonapi.Written(func(w *jsonapi.Writer) { s.writeFolder(w, &f) }),
		Relationships: jsonapi.Written(func(w *jsonapi.Writer) {
			if withParent {
				writeToOne(w, "parent", typeFolders, s.urn.Folder(f.ParentID), address, "/parent")
			}
			writeRelated(w, "contents", address, "/contents")
			writeReferences(w, address)
		}),
	}
}

func (s shower) writeFolder(w *jsonapi.Writer, f *storage.Folder) {
	w.Text("name", f.Name)
	w.Text("displayName", f.Name)
	s.writeStamp(w, f.Stamp)
	w.Time("lastModifiedTimeRollup", f.RollupAt)
	w.Number("objectCount", int64(f.ObjectCount))
	w.Bool("hidden", f.Hidden)
	s.writeExtension(w, f.Extension, s.urn.FolderType(), func(w *jsonapi.Writer) { s.urn.writeFolderData(w, f) })
}

// writeFolderData tells what a folder is for; of the root and the top folders
// also that they are.
func (s urnSpace) writeFolderData(w *jsonapi.Writer, f *storage.Folder) {
	w.Texts("visibleTypes", s.ItemType())
	w.Texts("allowedTypes", s.ItemType(), s.FolderType())
	w.Texts("actions")
	w.Texts("namingStandardIds")
	if f.Depth > 1 {
		return
	}
	kind := "normal"
	if f.Kind == storage.FolderPlans {
		kind = storage.FolderPlans
	}
	w.Text("folderType", kind)
	w.Bool("isRoot", f.Depth == 0)
}
