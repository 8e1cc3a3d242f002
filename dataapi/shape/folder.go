package shape

import (
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/storage"
)

// Folder shows a folder; its parent only to those who can read that.
func (s Shower) Folder(f storage.Folder, withParent bool) jsonapi.Resource {
	urn, address := s.URN.Folder(f.ID), s.FolderURL(f.ProjectID, f.ID)
	return jsonapi.Resource{
		Type: TypeFolders, ID: urn, Links: both(address, s.Base+pages+f.ProjectID+"/folders/"+urn),
		Attributes: jsonapi.Written(func(w *jsonapi.Writer) { s.writeFolder(w, &f) }),
		Relationships: jsonapi.Written(func(w *jsonapi.Writer) {
			if withParent {
				writeToOne(w, "parent", TypeFolders, s.URN.Folder(f.ParentID), address, "/parent")
			}
			writeRelated(w, "contents", address, "/contents")
			writeReferences(w, address)
		}),
	}
}

func (s Shower) writeFolder(w *jsonapi.Writer, f *storage.Folder) {
	w.Text("name", f.Name)
	w.Text("displayName", f.Name)
	s.writeStamp(w, f.Stamp)
	w.Time("lastModifiedTimeRollup", f.RollupAt)
	w.Number("objectCount", int64(f.ObjectCount))
	w.Bool("hidden", f.Hidden)
	s.writeExtension(w, f.Extension, s.URN.FolderType(), func(w *jsonapi.Writer) { s.writeFolderData(w, f) })
}

// writeFolderData tells what a folder is for; of the root and the top folders
// also that they are.
func (s Shape) writeFolderData(w *jsonapi.Writer, f *storage.Folder) {
	w.Texts("visibleTypes", s.URN.ItemType())
	w.Texts("allowedTypes", s.URN.ItemType(), s.URN.FolderType())
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
