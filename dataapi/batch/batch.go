// Package batch is questions about many folders, items or versions in one
// request: those that a list of ids names, and commands.
//
// What the caller can't see is like what does not exist. Start at Routes.
package batch

import (
	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/relations"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/internal/httpio"
)

// Handler serves the endpoints. It is safe for concurrent use.
type Handler struct {
	store relations.EndStore
	find  access.Finder
	tell  shape.Teller
	ends  relations.Ends
}

// New returns a Handler.
func New(store relations.EndStore, find access.Finder, tell shape.Teller) *Handler {
	return &Handler{store, find, tell, relations.Ends{Store: store, Tell: tell}}
}

// Commands are questions by POST.
func (h *Handler) Commands(g access.Guard) []httpio.Route {
	return []httpio.Route{httpio.Shared("/projects/{project_id}/commands").Post(g.Reads(h.command))}
}

// NamedFolders lists the folders that are named, NamedItems the items; each
// belongs to the route where such things are made.
func (h *Handler) NamedFolders(g access.Guard) httpio.Endpoint { return g.Reads(h.listNamedFolders) }

// NamedItems lists the items that are named.
func (h *Handler) NamedItems(g access.Guard) httpio.Endpoint { return g.Reads(h.listNamedItems) }
