package dataapi

import (
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/internal/httpio"
)

// Paths of folders, items and versions, below where the area is.
const (
	foldersPath  = "/projects/{project_id}/folders"
	itemsPath    = "/projects/{project_id}/items"
	versionsPath = "/projects/{project_id}/versions"
	folderPath   = foldersPath + "/{folder_id}"
	itemPath     = itemsPath + "/{item_id}"
	versionPath  = versionsPath + "/{version_id}"
)

// Projects are the operations of S2 4.1.
func (h *Handler) Projects() httpio.Area {
	const hub = "/hubs/{hub_id}"
	const project = hub + "/projects/{project_id}"
	return httpio.Area{Prefix: "/project/v1", WriteError: jsonapi.WriteError, Routes: []httpio.Route{
		httpio.Shared("/hubs").Get(h.guard.Reads(h.ListHubs)),
		httpio.Shared(hub).Get(h.guard.Reads(h.GetHub)),
		httpio.Shared(hub + "/projects").Get(h.guard.Reads(h.ListProjects)),
		httpio.Shared(project).Get(h.guard.Reads(h.GetProject)),
		httpio.Shared(project + "/hub").Get(h.guard.Reads(h.GetHubOfProject)),
		httpio.Shared(project + "/topFolders").Get(h.guard.Reads(h.ListTopFolders)),
	}}
}

// Routes are the operations of S2 4.2 to 4.4, and who has which rights. What
// lists the folders and items that a request names is package batch's.
func (h *Handler) Routes(namedFolders, namedItems httpio.Endpoint) []httpio.Route {
	g := h.guard
	return []httpio.Route{
		httpio.Shared(foldersPath).Post(g.Creates(h.CreateFolder)).Get(namedFolders),
		httpio.Shared("/projects/{project_id}/storage").Post(g.Creates(h.CreateStorage)),
		httpio.Shared(itemsPath).Post(g.Creates(h.CreateItem)).Get(namedItems),
		httpio.Shared(versionsPath).Post(g.Creates(h.CreateVersion)),
		httpio.Shared(folderPath).Get(g.ReadsOne("folder_id", h.GetFolder)).Patch(g.Writes(h.PatchFolder)),
		httpio.Shared(folderPath + "/parent").Get(g.Reads(h.GetFolderParent)),
		httpio.Shared(folderPath + "/contents").Get(g.Reads(h.ListContents)),
		httpio.Shared(folderPath + "/permissions").Get(g.Reads(h.ListPermissions)),
		httpio.Shared(folderPath + "/permissions/effective").Get(g.Reads(h.GetEffectivePermission)),
		httpio.Shared(itemPath).Get(g.ReadsOne("item_id", h.GetItem)).Patch(g.Writes(h.PatchItem)),
		httpio.Shared(itemPath + "/parent").Get(g.Reads(h.GetItemParent)),
		httpio.Shared(itemPath + "/tip").Get(g.Reads(h.GetTip)),
		httpio.Shared(itemPath + "/versions").Get(g.Reads(h.ListVersions)),
		httpio.Shared(versionPath).Get(g.ReadsOne("version_id", h.GetVersion)).Patch(g.Writes(h.PatchVersion)),
		httpio.Shared(versionPath + "/item").Get(g.Reads(h.GetItemOfVersion)),
	}
}

// SchemaRoute is where the schemas of extensions are, for everybody.
func (h *Handler) SchemaRoute() httpio.Route {
	return httpio.At("/schema/v1/versions/{schema_id}").For(httpio.AnySite).
		Get(httpio.Open(jsonapi.WriteError, h.getSchema))
}
