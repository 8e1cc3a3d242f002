package dataapi

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// urnSpace is the name space of the URNs. They are built from the short ids of
// the records and never stored (data model, section 1).
type urnSpace string

func (s urnSpace) folder(uid string) string { return "urn:" + string(s) + ":fs.folder:co." + uid }
func (s urnSpace) item(uid string) string   { return "urn:" + string(s) + ":dm.lineage:" + uid }
func (s urnSpace) object(bucket, key string) string {
	return "urn:" + string(s) + ":os.object:" + bucket + "/" + key
}

func (s urnSpace) version(itemUID string, number int) string {
	return "urn:" + string(s) + ":fs.file:vf." + itemUID + "?version=" + strconv.Itoa(number)
}

// folderUID, itemUID and versionRef read a URN; false when it is none of ours.
func (s urnSpace) folderUID(urn string) (string, bool) {
	uid, found := strings.CutPrefix(urn, s.folder(""))
	return uid, found && isUID(uid)
}

func (s urnSpace) itemUID(urn string) (string, bool) {
	uid, found := strings.CutPrefix(urn, s.item(""))
	return uid, found && isUID(uid)
}

func (s urnSpace) versionRef(urn string) (storage.VersionRef, bool) {
	rest, found := strings.CutPrefix(urn, "urn:"+string(s)+":fs.file:vf.")
	uid, digits, numbered := strings.Cut(rest, "?version=")
	number, err := strconv.ParseInt(digits, 10, 32)
	// One version has one id: no leading zero, no sign.
	plain := err == nil && number > 0 && strconv.FormatInt(number, 10) == digits
	return storage.VersionRef{ItemID: uid, Number: int(number)}, found && numbered && plain && isUID(uid)
}

// isUID reports whether s is 16 bytes as base64url.
func isUID(s string) bool {
	if len(s) != 22 {
		return false
	}
	_, err := base64.RawURLEncoding.DecodeString(s)
	return err == nil
}

// isAccountID reports whether s is the id of a hub or project: "b." and a UUID.
func isAccountID(s string) bool {
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

// Variables of the routes.
const (
	hubVariable     = "hub_id"
	projectVariable = "project_id"
	folderVariable  = "folder_id"
	itemVariable    = "item_id"
	versionVariable = "version_id"
)

// accountID returns the hub's or project's id in the path. Malformed ids are
// Invalid, here and below (decision J13).
func accountID(r *http.Request, variable string) (string, error) {
	id, err := httpio.PathID(r, variable)
	if err != nil {
		return "", err
	}
	if !isAccountID(id) {
		return "", malformed(variable, "b.<UUID>")
	}
	return id, nil
}

func (s urnSpace) pathFolder(r *http.Request) (string, error) {
	return pathURN(r, folderVariable, s.folder("<id>"), s.folderUID)
}

func (s urnSpace) pathItem(r *http.Request) (string, error) {
	return pathURN(r, itemVariable, s.item("<id>"), s.itemUID)
}

func (s urnSpace) pathVersion(r *http.Request) (storage.VersionRef, error) {
	form := strings.Replace(s.version("<id>", 0), "=0", "=<number>", 1)
	return pathURN(r, versionVariable, form, s.versionRef)
}

func pathURN[T any](r *http.Request, variable, form string, read func(string) (T, bool)) (T, error) {
	var none T
	urn, err := httpio.PathID(r, variable)
	if err != nil {
		return none, err
	}
	id, ok := read(urn)
	if !ok {
		return none, malformed(variable, form)
	}
	return id, nil
}

func malformed(variable, form string) error {
	return fault.Newf(fault.Invalid, "malformed_id",
		"The id must look like %s, percent-encoded once.", form).At(variable)
}
