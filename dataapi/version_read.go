package dataapi

import (
	"strings"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/dataapi/tree"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// copySource returns the version that the query names to be copied, nil without
// one.
func (h *Handler) copySource(q jsonapi.Query) (*storage.VersionRef, error) {
	name, given := q.Text(paramCopyFrom)
	if !given {
		return nil, nil
	}
	ref, ok := h.tell.URN.VersionRef(name)
	if !ok {
		return nil, fault.Newf(fault.Invalid, "malformed_id", "The id must look like %s.",
			strings.Replace(h.tell.URN.Version("<id>", 0), "=0", "=<number>", 1)).At(paramCopyFrom)
	}
	return &ref, nil
}

// newVersion reads a version of an item whose extension has the type, and where
// the document names its bytes. A copy may leave everything out.
func (h *Handler) newVersion(in *jsonapi.Input, v jsonapi.Value, copied *storage.VersionRef,
	itemType string) (version storage.NewVersion, bytes string, err error) {
	name, storageRef := v.Member(shape.InAttributes, "name"), v.Member(shape.InRelationships, "storage")
	if refs := v.Member(shape.InRelationships, "refs", "data"); len(refs.List()) > 0 {
		return version, "", refs.At(fault.New(fault.Forbidden, "unsupported_creation",
			"References are created at relationships/refs of the version, once that is there."))
	}
	version.CopyFrom = copied
	if copied == nil {
		name, storageRef = name.Required(), storageRef.Required()
	}
	version.Name = readName(name)
	if extension := v.Member(shape.InAttributes, "extension"); copied == nil || extension.Given() {
		version.Extension = shape.ReadExtension(extension, h.usualVersionType(itemType))
	}
	if tree.IsDeletion(version.Extension) {
		v.Member(shape.InAttributes, "extension", "type").Refuse(fault.New(fault.Invalid, jsonapi.ReasonInvalid,
			"Only a version without copyFrom that is added to an item deletes that."))
	}
	if copied != nil && storageRef.Given() {
		storageRef.Refuse(fault.New(fault.Invalid, jsonapi.ReasonInvalid,
			"A copy has the bytes of its source: leave storage out."))
		return version, "", in.Err()
	}
	if storageRef.Given() {
		object := shape.ReadURN(storageRef, shape.TypeObjects, h.tell.URN.Object("<bucket>", "<key>"), h.readObject)
		version.Bucket, version.ObjectKey = object.bucket, object.key
		version.FileType = tree.FileType(version.Name)
		version.MimeType = tree.MimeType(version.FileType)
		_, place := storageRef.ToOne(shape.TypeObjects)
		bytes = place.Pointer()
	}
	return version, bytes, in.Err()
}

// usualVersionType is the type of versions of items of a type: its sibling.
func (h *Handler) usualVersionType(itemType string) string {
	if rest, found := strings.CutPrefix(itemType, shape.TypeItems+":"); found {
		return shape.TypeVersions + ":" + rest
	}
	return h.tell.URN.VersionType()
}

type objectName struct{ bucket, key string }

// readObject reads the URN of a stored object.
func (h *Handler) readObject(name string) (objectName, bool) {
	rest, found := strings.CutPrefix(name, strings.TrimSuffix(h.tell.URN.Object("", ""), "/"))
	bucket, key, cut := strings.Cut(rest, "/")
	return objectName{bucket, key}, found && cut && bucket != "" && key != ""
}
