package shape

import (
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/storage"
)

type hubAttributes struct {
	Name      string    `json:"name"`
	Region    string    `json:"region"`
	Extension Extension `json:"extension"`
}

type hubRelationships struct {
	Projects jsonapi.Relationship `json:"projects"`
}

// Hub shows a hub.
func (s Shape) Hub(h storage.Hub) jsonapi.Resource {
	return jsonapi.Resource{
		Type: TypeHubs, ID: h.ID,
		Attributes: hubAttributes{Name: h.Name, Region: h.Region,
			Extension: s.Extension(h.Extension, s.URN.HubType(), NoData{})},
		Relationships: hubRelationships{related(s.ProjectsURL(h.ID))},
		Links:         Self(s.HubURL(h.ID)),
	}
}

type projectAttributes struct {
	Name      string    `json:"name"`
	Extension Extension `json:"extension"`
}

type projectData struct {
	ProjectType string `json:"projectType,omitempty"`
}

type projectRelationships struct {
	Hub        jsonapi.Relationship  `json:"hub"`
	RootFolder *jsonapi.Relationship `json:"rootFolder,omitempty"`
	TopFolders jsonapi.Relationship  `json:"topFolders"`
}

// Project shows a project; its root only to those who can read it.
func (s Shape) Project(p storage.Project, withRoot bool) jsonapi.Resource {
	address := s.ProjectURL(p.HubID, p.ID)
	relationships := projectRelationships{
		Hub: ToOne(TypeHubs, p.HubID, s.HubURL(p.HubID)), TopFolders: related(address + "/topFolders"),
	}
	if withRoot {
		relationships.RootFolder = outside(TypeFolders, s.URN.Folder(p.RootFolderID), s.FolderURL(p.ID, p.RootFolderID))
	}
	return jsonapi.Resource{
		Type: TypeProjects, ID: p.ID,
		Attributes:    projectAttributes{p.Name, s.Extension(p.Extension, s.URN.ProjectType(), projectData{p.Type})},
		Relationships: relationships,
		Links:         both(address, s.Base+pages+p.ID),
	}
}
