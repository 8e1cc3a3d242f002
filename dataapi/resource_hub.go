package dataapi

import (
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/storage"
)

type hubAttributes struct {
	Name      string    `json:"name"`
	Region    string    `json:"region"`
	Extension extension `json:"extension"`
}

type hubRelationships struct {
	Projects jsonapi.Relationship `json:"projects"`
}

func (s shape) hub(h storage.Hub) jsonapi.Resource {
	return jsonapi.Resource{
		Type: typeHubs, ID: h.ID,
		Attributes:    hubAttributes{Name: h.Name, Region: h.Region, Extension: s.extension(h.Extension, s.urn.HubType(), noData{})},
		Relationships: hubRelationships{related(s.projectsURL(h.ID))},
		Links:         self(s.hubURL(h.ID)),
	}
}

type projectAttributes struct {
	Name      string    `json:"name"`
	Extension extension `json:"extension"`
}

type projectData struct {
	ProjectType string `json:"projectType,omitempty"`
}

type projectRelationships struct {
	Hub        jsonapi.Relationship  `json:"hub"`
	RootFolder *jsonapi.Relationship `json:"rootFolder,omitempty"`
	TopFolders jsonapi.Relationship  `json:"topFolders"`
}

// project shows a project; its root only to those who can read it.
func (s shape) project(p storage.Project, withRoot bool) jsonapi.Resource {
	address := s.projectURL(p.HubID, p.ID)
	relationships := projectRelationships{
		Hub: toOne(typeHubs, p.HubID, s.hubURL(p.HubID)), TopFolders: related(address + "/topFolders"),
	}
	if withRoot {
		relationships.RootFolder = outside(typeFolders, s.urn.Folder(p.RootFolderID), s.folderURL(p.ID, p.RootFolderID))
	}
	return jsonapi.Resource{
		Type: typeProjects, ID: p.ID,
		Attributes:    projectAttributes{p.Name, s.extension(p.Extension, s.urn.ProjectType(), projectData{p.Type})},
		Relationships: relationships,
		Links:         self(address),
	}
}
