// Package urn spells the names of things in the data half for the outside, and
// reads them: URNs of folders, items, versions and objects, ids of hubs and
// projects, and our own types of extensions.
//
// It finds nothing and decides nothing; faults are its callers'. Start at Space.
package urn

import (
	"strconv"
	"strings"

	"github.com/portico-id/portico/storage"
)

// Space is the name space of the URNs, such as portico. They are built from the
// short ids of the records and never stored (data model, section 1).
type Space string

// Folder returns the URN of a folder.
func (s Space) Folder(uid string) string { return "urn:" + string(s) + ":fs.folder:co." + uid }

// Item returns the URN of an item.
func (s Space) Item(uid string) string { return "urn:" + string(s) + ":dm.lineage:" + uid }

// Object returns the URN of the bytes with the key in the bucket.
func (s Space) Object(bucket, key string) string {
	return "urn:" + string(s) + ":os.object:" + bucket + "/" + key
}

// Version returns the URN of an item's version; the first is 1.
func (s Space) Version(itemUID string, number int) string {
	return "urn:" + string(s) + ":fs.file:vf." + itemUID + "?version=" + strconv.Itoa(number)
}

// Twin returns the URN of a facility.
func (s Space) Twin(uid string) string { return "urn:" + string(s) + ":dtt:" + uid }

// Model returns the URN of a model of a facility.
func (s Space) Model(uid string) string { return "urn:" + string(s) + ":dtm:" + uid }

// Document returns the URN of a document of a facility.
func (s Space) Document(uid string) string { return "urn:" + string(s) + ":dtd:" + uid }

// TwinUID reads a facility's URN; false when it is none of ours.
func (s Space) TwinUID(urn string) (string, bool) { return uidBehind(urn, s.Twin("")) }

// ModelUID is TwinUID for a model.
func (s Space) ModelUID(urn string) (string, bool) { return uidBehind(urn, s.Model("")) }

// DocumentUID is TwinUID for a document.
func (s Space) DocumentUID(urn string) (string, bool) { return uidBehind(urn, s.Document("")) }

func uidBehind(urn, prefix string) (string, bool) {
	uid, found := strings.CutPrefix(urn, prefix)
	return uid, found && IsUID(uid)
}

// FolderUID reads a folder's URN; false when it is none of ours.
func (s Space) FolderUID(urn string) (string, bool) {
	uid, found := strings.CutPrefix(urn, s.Folder(""))
	return uid, found && IsUID(uid)
}

// ItemUID is FolderUID for an item.
func (s Space) ItemUID(urn string) (string, bool) {
	uid, found := strings.CutPrefix(urn, s.Item(""))
	return uid, found && IsUID(uid)
}

// VersionRef is FolderUID for a version.
func (s Space) VersionRef(urn string) (storage.VersionRef, bool) {
	rest, found := strings.CutPrefix(urn, "urn:"+string(s)+":fs.file:vf.")
	uid, digits, numbered := strings.Cut(rest, "?version=")
	number, err := strconv.ParseInt(digits, 10, 32)
	// One version has one id: no leading zero, no sign.
	plain := err == nil && number > 0 && strconv.FormatInt(number, 10) == digits
	return storage.VersionRef{ItemID: uid, Number: int(number)}, found && numbered && plain && IsUID(uid)
}

// base64url is its alphabet (RFC 4648, 5).
const base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// IsUID reports whether s has the form of our ids, 16 bytes as base64url. They
// are never decoded: what is not spelled as we spelled it is nobody's id.
func IsUID(s string) bool { return len(s) == 22 && strings.Trim(s, base64url) == "" }

// IsAccountID reports whether s is the id of a hub or project: "b." and a UUID.
func IsAccountID(s string) bool {
	uuid, found := strings.CutPrefix(s, "b.")
	if !found || len(uuid) != 36 {
		return false
	}
	for i, c := range uuid {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (c == '-') || !dash && !strings.ContainsRune("0123456789abcdefABCDEF", c) {
			return false
		}
	}
	return true
}
