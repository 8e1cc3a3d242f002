package dataapi

import (
	"encoding/base64"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/storage"
)

// item shows an item. Whoever can read it can read its folder. path is where it
// lies, empty unless that was asked for.
func (s shower) item(i storage.Item, path string) jsonapi.Resource {
	address := s.itemURL(i.ProjectID, i.ID)
	return jsonapi.Resource{
		Type: typeItems, ID: s.urn.Item(i.ID), Links: self(address),
		Attributes: jsonapi.Written(func(w *jsonapi.Writer) { s.writeItem(w, &i, path) }),
		Relationships: jsonapi.Written(func(w *jsonapi.Writer) {
			writeToOne(w, "parent", typeFolders, s.urn.Folder(i.FolderID), address, "/parent")
			writeToOne(w, "tip", typeVersions, s.urn.Version(i.ID, i.Tip), address, "/tip")
			writeRelated(w, "versions", address, "/versions")
			writeReferences(w, address)
		}),
	}
}

func (s shower) writeItem(w *jsonapi.Writer, i *storage.Item, path string) {
	w.Text("displayName", i.Name)
	s.writeStamp(w, i.Stamp)
	w.Time("lastModifiedTimeRollup", i.ModifiedAt)
	w.Bool("hidden", i.Hidden)
	holder := i.ReservedFor(s.now)
	w.Bool("reserved", holder != "")
	if holder != "" {
		w.Time("reservedTime", i.ReservedAt)
		w.Text("reservedUserId", holder)
		w.Text("reservedUserName", s.names[holder])
	}
	w.Optional("pathInProject", path)
	s.writeExtension(w, i.Extension, s.urn.ItemType(), func(w *jsonapi.Writer) {
		w.Text("sourceFileName", i.Name)
		w.Texts("visibleTypes", s.urn.VersionType())
		w.Texts("actions")
	})
}

// version shows a version. Its derivatives and thumbnails are no more than an
// id, which viewers read.
func (s shower) version(project string, v storage.Version) jsonapi.Resource {
	urn, address := s.urn.Version(v.ItemID, v.Number), s.versionURL(project, v.ItemID, v.Number)
	return jsonapi.Resource{
		Type: typeVersions, ID: urn, Links: self(address),
		Attributes: jsonapi.Written(func(w *jsonapi.Writer) { s.writeVersion(w, &v) }),
		Relationships: jsonapi.Written(func(w *jsonapi.Writer) {
			encoded := base64.RawURLEncoding.EncodeToString([]byte(urn))
			writeToOne(w, "item", typeItems, s.urn.Item(v.ItemID), address, "/item")
			if v.Bucket != "" {
				writeOutside(w, "storage", typeObjects, s.urn.Object(v.Bucket, v.ObjectKey), s.objectURL(v.Bucket, v.ObjectKey))
			}
			writeOutside(w, "derivatives", "derivatives", encoded, "")
			writeOutside(w, "thumbnails", "thumbnails", encoded, "")
			writeReferences(w, address)
		}),
	}
}

func (s shower) writeVersion(w *jsonapi.Writer, v *storage.Version) {
	w.Text("name", v.Name)
	w.Text("displayName", v.Name)
	w.Number("versionNumber", int64(v.Number))
	s.writeStamp(w, v.Stamp)
	w.Optional("mimeType", v.MimeType)
	w.Optional("fileType", v.FileType)
	if v.Bucket != "" || v.Size > 0 {
		w.Number("storageSize", v.Size)
	}
	s.writeExtension(w, v.Extension, s.urn.VersionType(), func(w *jsonapi.Writer) {
		w.Text("processState", "PROCESSING_COMPLETE")
		w.Text("extractionState", "SUCCESS")
		w.Text("splittingState", "NOT_SPLIT")
		w.Text("reviewState", "NOT_IN_REVIEW")
		w.Text("conformingStatus", "NONE")
		w.Text("sourceFileName", v.Name)
		if v.Bucket != "" {
			w.Text("storageUrn", s.urn.Object(v.Bucket, v.ObjectKey))
			w.Text("storageType", "OSS")
		}
	})
}
