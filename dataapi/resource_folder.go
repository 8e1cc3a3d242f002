package dataapi

import (
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/storage"
)

type folderAttributes struct {
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
	stampAttributes
	LastModifiedTimeRollup string    `json:"lastModifiedTimeRollup"`
	ObjectCount            int       `json:"objectCount"`
	Hidden                 bool      `json:"hidden"`
	Extension              extension `json:"extension"`
}

type folderData struct {
	VisibleTypes      []string `json:"visibleTypes"`
	AllowedTypes      []string `json:"allowedTypes"`
	Actions           []string `json:"actions"`
	NamingStandardIDs []string `json:"namingStandardIds"`
	FolderType        string   `json:"folderType,omitempty"` // of the root and top folders
	IsRoot            *bool    `json:"isRoot,omitempty"`     // likewise
}

type folderRelationships struct {
	Parent   *jsonapi.Relationship `json:"parent,omitempty"`
	Contents jsonapi.Relationship  `json:"contents"`
	references
}

// folder shows a folder; its parent only to those who can read that.
func (s shower) folder(f storage.Folder, withParent bool) jsonapi.Resource {
	address := s.folderURL(f.ProjectID, f.ID)
	relationships := folderRelationships{Contents: related(address + "/contents"), references: referencesOf(address)}
	if withParent {
		parent := toOne(typeFolders, s.urn.Folder(f.ParentID), address+"/parent")
		relationships.Parent = &parent
	}
	return jsonapi.Resource{
		Type: typeFolders, ID: s.urn.Folder(f.ID),
		Attributes: folderAttributes{
			Name: f.Name, DisplayName: f.Name, stampAttributes: s.stamp(f.Stamp),
			LastModifiedTimeRollup: jsonapi.FormatTime(f.RollupAt),
			ObjectCount:            f.ObjectCount, Hidden: f.Hidden,
			Extension: s.extension(f.Extension, s.urn.FolderType(), s.urn.folderData(f)),
		},
		Relationships: relationships,
		Links:         self(address),
	}
}

func (s urnSpace) folderData(f storage.Folder) folderData {
	data := folderData{
		VisibleTypes: []string{s.ItemType()}, AllowedTypes: []string{s.ItemType(), s.FolderType()},
		Actions: []string{}, NamingStandardIDs: []string{},
	}
	if f.Depth <= 1 {
		isRoot := f.Depth == 0
		data.IsRoot, data.FolderType = &isRoot, "normal"
		if f.Kind == storage.FolderPlans {
			data.FolderType = storage.FolderPlans
		}
	}
	return data
}
