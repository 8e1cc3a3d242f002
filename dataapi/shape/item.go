package shape

import (
	"encoding/base64"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/storage"
)

// FlagPath asks for the path of an item.
const FlagPath = "includePathInProject"

// Item shows an item. Whoever can read it can read its folder. path is where it
// lies, empty unless that was asked for. Here and below the record stays as it is until the
// resource is written.
func (s Shower) Item(i *storage.Item, path string) jsonapi.Resource {
	urn, address := s.URN.Item(i.ID), s.ItemURL(i.ProjectID, i.ID)
	return jsonapi.Resource{
		Type: TypeItems, ID: urn, Links: both(address, s.Base+pages+i.ProjectID+"/items/"+urn),
		Attributes: jsonapi.Written(func(w *jsonapi.Writer) { s.writeItem(w, i, path) }),
		Relationships: jsonapi.Written(func(w *jsonapi.Writer) {
			writeToOne(w, "parent", TypeFolders, s.URN.Folder(i.FolderID), address, "/parent")
			writeToOne(w, "tip", TypeVersions, s.URN.Version(i.ID, i.Tip), address, "/tip")
			writeRelated(w, "versions", address, "/versions")
			writeReferences(w, address)
		}),
	}
}

func (s Shower) writeItem(w *jsonapi.Writer, i *storage.Item, path string) {
	w.Text("displayName", i.Name)
	s.writeStamp(w, i.Stamp)
	w.Time("lastModifiedTimeRollup", i.ModifiedAt)
	w.Bool("hidden", i.Hidden)
	holder := i.ReservedFor(s.Now)
	w.Bool("reserved", holder != "")
	if holder != "" {
		w.Time("reservedTime", i.ReservedAt)
		w.Text("reservedUserId", holder)
		w.Text("reservedUserName", s.Names[holder])
	}
	w.Optional("pathInProject", path)
	s.writeExtension(w, i.Extension, s.URN.ItemType(), func(w *jsonapi.Writer) {
		w.Text("sourceFileName", i.Name)
		w.Texts("visibleTypes", s.URN.VersionType())
		w.Texts("actions")
	})
}

// Version shows a version. Its derivatives and thumbnails are no more than an
// id, which viewers read.
func (s Shower) Version(project string, v *storage.Version) jsonapi.Resource {
	urn := s.URN.Version(v.ItemID, v.Number)
	address := s.versionURL(project, urn)
	return jsonapi.Resource{
		Type: TypeVersions, ID: urn, Links: both(address, s.versionPage(project, urn)),
		Attributes: jsonapi.Written(func(w *jsonapi.Writer) { s.writeVersion(w, v) }),
		Relationships: jsonapi.Written(func(w *jsonapi.Writer) {
			encoded := base64.RawURLEncoding.EncodeToString([]byte(urn))
			writeToOne(w, "item", TypeItems, s.URN.Item(v.ItemID), address, "/item")
			if v.Bucket != "" {
				writeOutside(w, "storage", TypeObjects, s.URN.Object(v.Bucket, v.ObjectKey), s.ObjectURL(v.Bucket, v.ObjectKey))
			}
			writeOutside(w, "derivatives", "derivatives", encoded, "")
			writeOutside(w, "thumbnails", "thumbnails", encoded, "")
			writeReferences(w, address)
		}),
	}
}

func (s Shower) writeVersion(w *jsonapi.Writer, v *storage.Version) {
	w.Text("name", v.Name)
	w.Text("displayName", v.Name)
	w.Number("versionNumber", int64(v.Number))
	s.writeStamp(w, v.Stamp)
	w.Optional("mimeType", v.MimeType)
	w.Optional("fileType", v.FileType)
	if v.Bucket != "" || v.Size > 0 {
		w.Number("storageSize", v.Size)
	}
	s.writeExtension(w, v.Extension, s.URN.VersionType(), func(w *jsonapi.Writer) {
		w.Text("processState", "PROCESSING_COMPLETE")
		w.Text("extractionState", "SUCCESS")
		w.Text("splittingState", "NOT_SPLIT")
		w.Text("reviewState", "NOT_IN_REVIEW")
		w.Text("conformingStatus", "NONE")
		w.Text("sourceFileName", v.Name)
		if v.Bucket != "" {
			w.Text("storageUrn", s.URN.Object(v.Bucket, v.ObjectKey))
			w.Text("storageType", "OSS")
		}
	})
}
