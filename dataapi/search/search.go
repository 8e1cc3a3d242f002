// Package search finds the tips in a folder and below it that a query fits.
//
// What readers see is searched, and nothing hidden. Start at Handler.Search.
package search

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/filter"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// Store is what the endpoint asks.
type Store interface {
	Search(ctx context.Context, projectID, folderID string, query storage.SearchQuery,
		page storage.DataPage) ([]storage.ItemWithTip, string, error)
}

// Handler serves search. It is safe for concurrent use.
type Handler struct {
	store Store
	find  access.Finder
	tell  shape.Teller
	pager jsonapi.Pager
}

// New returns a Handler.
func New(store Store, find access.Finder, tell shape.Teller, pager jsonapi.Pager) *Handler {
	return &Handler{store, find, tell, pager}
}

// Routes are the operation. A token for it carries data:search beside data:read.
func (h *Handler) Routes(g access.Guard) []httpio.Route {
	return []httpio.Route{
		httpio.Shared("/projects/{project_id}/folders/{folder_id}/search").
			Get(g.Needs(h.Search, scope.DataRead, scope.DataSearch)),
	}
}

// searchBudget is how long a page is looked for (data model, section 3).
const searchBudget = 250 * time.Millisecond

// searched are the filters by an attribute of the tip, each with the field that
// the store compares.
type searched struct {
	texts, numbers, times map[string]storage.SearchField
}

func searchFilters() searched {
	return searched{
		texts: map[string]storage.SearchField{
			"name": storage.SearchName, "displayName": storage.SearchName,
			"mimeType": storage.SearchMimeType, "fileType": storage.SearchFileType,
			filter.Extension: storage.SearchExtensionType, "extension.version": storage.SearchExtensionVersion,
			"createUserId": storage.SearchCreatedBy, "createUserName": storage.SearchCreatedByName,
			"lastModifiedUserId": storage.SearchModifiedBy, "lastModifiedUserName": storage.SearchModifiedByName,
		},
		numbers: map[string]storage.SearchField{filter.Number: storage.SearchNumber, "storageSize": storage.SearchSize},
		times: map[string]storage.SearchField{"createTime": storage.SearchCreated,
			"lastModifiedTime": storage.SearchModified},
	}
}

func searchRules() jsonapi.Rules {
	rules := jsonapi.Rules{Types: []string{shape.TypeVersions, shape.TypeItems}, Paged: true, Filters: append(
		filter.By(filter.Type, filter.ID), jsonapi.Filter{Name: filter.Data, Ops: jsonapi.Searchable()})}
	fields := searchFilters()
	for _, group := range []struct {
		named map[string]storage.SearchField
		ops   []jsonapi.Op
	}{{fields.texts, jsonapi.Searchable()}, {fields.numbers, jsonapi.Ordered()}, {fields.times, jsonapi.Ordered()}} {
		for _, name := range slices.Sorted(maps.Keys(group.named)) {
			rules.Filters = append(rules.Filters, jsonapi.Filter{Name: name, Ops: group.ops})
		}
	}
	return rules
}

// Search serves GET …/folders/{folder_id}/search: the tips in the folder and
// everywhere below it that fit, with their items included. Whoever can read a
// folder can read everything below it that is not hidden, and nothing hidden is
// searched. It needs a user (decision J10).
func (h *Handler) Search(w http.ResponseWriter, r *http.Request) error {
	token, _ := bearer.From(r.Context())
	if token.TwoLegged() {
		return fault.New(fault.Forbidden, bearer.ReasonThreeLeggedRequired,
			"Search needs a user: use a token that a user has granted.")
	}
	q, err := searchRules().Parse(r)
	if err != nil {
		return err
	}
	query, err := h.searchQuery(q)
	if err != nil {
		return err
	}
	at, err := h.find.ReachFolder(r)
	if err != nil {
		return err
	}
	address := h.tell.FolderURL(at.Project.ID, at.Folder.ID) + "/search"
	page, err := filter.Page(h.pager, address, q)
	if err != nil {
		return err
	}
	items, next, err := h.store.Search(r.Context(), at.Project.ID, at.Folder.ID, query, page)
	if fault.HasReason(err, storage.ReasonPageBehind) {
		return fault.From(err).At("page[number]")
	}
	if err != nil {
		return err
	}
	d, err := h.searchResult(r.Context(), items)
	if err != nil {
		return err
	}
	d.Links = h.pager.Links(address, q, next)
	return jsonapi.WriteDocument(w, r, q, d)
}

func (h *Handler) searchResult(ctx context.Context, items []storage.ItemWithTip) (jsonapi.Document, error) {
	shown, err := h.tell.ShowContents(ctx, storage.Contents{Items: items})
	if err != nil {
		return jsonapi.Document{}, err
	}
	data, included := make([]jsonapi.Resource, len(items)), make([]jsonapi.Resource, len(items))
	for n := range items {
		i := &items[n]
		data[n], included[n] = shown.Version(i.Item.ProjectID, &i.Tip), shown.Item(&i.Item, "")
	}
	return jsonapi.Document{Data: data, Included: included}, nil
}

func (h *Handler) searchQuery(q jsonapi.Query) (storage.SearchQuery, error) {
	all := filter.Conditions(q.Conditions)
	query := storage.SearchQuery{
		Budget: searchBudget, Texts: map[storage.SearchField][]storage.TextCondition{},
		Numbers: map[storage.SearchField][]storage.NumberCondition{},
		Times:   map[storage.SearchField][]storage.TimeCondition{},
	}
	fields := searchFilters()
	for name, field := range fields.texts {
		query.Texts[field] = append(query.Texts[field], all.Texts(name)...)
	}
	for name, field := range fields.numbers {
		numbers, err := all.Numbers(name, 64)
		if err != nil {
			return query, err
		}
		query.Numbers[field] = numbers
	}
	for name, field := range fields.times {
		times, err := all.Times(name)
		if err != nil {
			return query, err
		}
		query.Times[field] = times
	}
	// What is found is both: a version, and the item whose tip it is.
	if _, err := all.Words(filter.Type, shape.TypeVersions+" or "+shape.TypeItems,
		filter.OneOf(shape.TypeVersions, shape.TypeItems)); err != nil {
		return query, err
	}
	if err := h.searchIDs(all, &query); err != nil {
		return query, err
	}
	query.Fits = h.fitsData(all)
	return query, nil
}

// searchIDs reads the ids of tips, or of their items.
func (h *Handler) searchIDs(all filter.Conditions, query *storage.SearchQuery) error {
	named := func(name string) (storage.VersionRef, bool) {
		if ref, ok := h.tell.URN.VersionRef(name); ok {
			return ref, true
		}
		uid, ok := h.tell.URN.ItemUID(name)
		return storage.VersionRef{ItemID: uid}, ok
	}
	ids, err := all.Words(filter.ID, "the URN of a version or an item", func(name string) bool {
		_, ok := named(name)
		return ok
	})
	query.ByID = ids != nil
	for _, id := range ids {
		ref, _ := named(id)
		query.IDs = append(query.IDs, ref)
	}
	return err
}
