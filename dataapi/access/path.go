package access

import (
	"net/http"
	"strings"

	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

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
	if !urn.IsAccountID(id) {
		return "", malformed(variable, "b.<UUID>")
	}
	return id, nil
}

func pathFolder(s urn.Space, r *http.Request) (string, error) {
	return pathURN(r, folderVariable, s.Folder("<id>"), s.FolderUID)
}

func pathItem(s urn.Space, r *http.Request) (string, error) {
	return pathURN(r, itemVariable, s.Item("<id>"), s.ItemUID)
}

func pathVersion(s urn.Space, r *http.Request) (storage.VersionRef, error) {
	form := strings.Replace(s.Version("<id>", 0), "=0", "=<number>", 1)
	return pathURN(r, versionVariable, form, s.VersionRef)
}

func pathURN[T any](r *http.Request, variable, form string, read func(string) (T, bool)) (T, error) {
	var none T
	name, err := httpio.PathID(r, variable)
	if err != nil {
		return none, err
	}
	id, ok := read(name)
	if !ok {
		return none, malformed(variable, form)
	}
	return id, nil
}

func malformed(variable, form string) error {
	return fault.Newf(fault.Invalid, "malformed_id",
		"The id must look like %s, percent-encoded once.", form).At(variable)
}
