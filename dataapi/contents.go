package dataapi

import (
	"context"
	"net/http"
	"slices"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/filter"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/storage"
)

const flagIncludeHidden = "includeHidden"

func contentsRules() jsonapi.Rules {
	return jsonapi.Rules{
		Types: []string{shape.TypeFolders, shape.TypeItems, shape.TypeVersions}, Paged: true,
		Sort: []string{filter.Name, "displayName"}, Flags: []string{flagIncludeHidden},
		Filters: filter.By(append(stateFilters(), filter.Type, filter.ID, filter.Extension, filter.Data, filter.Rollup,
			filter.Hidden)...),
	}
}

// ListContents serves GET …/folders/{folder_id}/contents: a page of the folders
// and items in it, with the items' tips included.
func (h *Handler) ListContents(w http.ResponseWriter, r *http.Request) error {
	q, err := contentsRules().Parse(r)
	if err != nil {
		return err
	}
	query, err := contentsQuery(h.tell.URN, q)
	if err != nil {
		return err
	}
	at, err := h.find.ReachFolder(r)
	if err != nil {
		return err
	}
	if !access.MayShowHidden(at.Standing) {
		query = withoutHidden(query)
	}
	address := h.tell.FolderURL(at.Project.ID, at.Folder.ID) + "/contents"
	page, err := filter.Page(h.pager, address, q)
	if err != nil {
		return err
	}
	contents, err := h.store.ListContents(r.Context(), at.Project.ID, at.Folder.ID, query, page)
	if err != nil {
		return err
	}
	d, err := h.contents(r.Context(), contents)
	if err != nil {
		return err
	}
	d.Links = h.pager.Links(address, q, contents.Next)
	return h.sheets.WriteDocument(w, r, q, d)
}

func contentsQuery(s urn.Space, q jsonapi.Query) (query storage.ContentsQuery, err error) {
	all := filter.Conditions(q.Conditions)
	query.Descending, query.ExtensionTypes = q.Descending, all.Texts(filter.Extension)
	if query.Data, err = all.Data(); err != nil {
		return query, err
	}
	if query.Rollup, err = all.Times(filter.Rollup); err != nil {
		return query, err
	}
	for _, name := range stateFilters() {
		for _, c := range all.Texts(name) {
			query.Stated = append(query.Stated, storage.StateCondition{Of: storage.StateField(name), TextCondition: c})
		}
	}
	if err := contentsIDs(s, all, &query); err != nil {
		return query, err
	}
	types, err := all.Words(filter.Type, shape.TypeFolders+" or "+shape.TypeItems,
		filter.OneOf(shape.TypeFolders, shape.TypeItems))
	if err != nil {
		return query, err
	}
	query.NoFolders = types != nil && !slices.Contains(types, shape.TypeFolders)
	query.NoItems = types != nil && !slices.Contains(types, shape.TypeItems)
	query.Hidden, err = hiddenFilter(all, q.Flag(flagIncludeHidden))
	return query, err
}

// stateFilters are the filters by how far the tips of items have come.
func stateFilters() []string {
	return []string{string(storage.StateItself), string(storage.StateSuitability), string(storage.StateRevision)}
}

// contentsIDs sorts the ids that were asked for into folders and items.
func contentsIDs(s urn.Space, all filter.Conditions, query *storage.ContentsQuery) error {
	ids, err := all.Words(filter.ID, s.Folder("<id>")+" or "+s.Item("<id>"), func(urn string) bool {
		_, isFolder := s.FolderUID(urn)
		_, isItem := s.ItemUID(urn)
		return isFolder || isItem
	})
	query.ByID = ids != nil
	for _, urn := range ids {
		if uid, ok := s.FolderUID(urn); ok {
			query.FolderIDs = append(query.FolderIDs, uid)
			continue
		}
		uid, _ := s.ItemUID(urn)
		query.ItemIDs = append(query.ItemIDs, uid)
	}
	return err
}

// hiddenFilter reads filter[hidden], which says more than includeHidden.
func hiddenFilter(all filter.Conditions, include bool) (storage.HiddenFilter, error) {
	words, err := all.Words(filter.Hidden, "true or false", filter.OneOf("true", "false"))
	hidden, visible := slices.Contains(words, "true"), slices.Contains(words, "false")
	switch {
	case words == nil && include, hidden && visible:
		return storage.HiddenIncluded, err
	case hidden:
		return storage.HiddenOnly, err
	}
	return storage.HiddenExcluded, err
}

// withoutHidden is the query for somebody to whom nothing hidden exists.
func withoutHidden(query storage.ContentsQuery) storage.ContentsQuery {
	if query.Hidden == storage.HiddenOnly {
		query.NoFolders, query.NoItems = true, true
	}
	query.Hidden = storage.HiddenExcluded
	return query
}

// contents shows a page. Whoever reads it can read the folder that it is of.
func (h *Handler) contents(ctx context.Context, c storage.Contents) (jsonapi.Document, error) {
	shown, err := h.tell.ShowContents(ctx, c)
	if err != nil {
		return jsonapi.Document{}, err
	}
	data := make([]jsonapi.Resource, 0, len(c.Folders)+len(c.Items))
	included := make([]jsonapi.Resource, 0, len(c.Items))
	for _, f := range c.Folders {
		data = append(data, shown.Folder(f, true))
	}
	for n := range c.Items {
		i := &c.Items[n]
		data = append(data, shown.Item(&i.Item, ""))
		included = append(included, shown.Version(i.Item.ProjectID, &i.Tip))
	}
	return jsonapi.Document{Data: data, Included: included}, nil
}
