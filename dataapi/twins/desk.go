package twins

import (
	"context"
	"net/http"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Our own pages go by the same rules, for whoever the change names.

// For returns a facility to a caller who may do with it what they want to.
func (h *Handler) For(ctx context.Context, who storage.Caller, uid string,
	least storage.TwinAccess) (storage.TwinPlace, error) {
	place, err := h.store.FindFacility(ctx, who, uid)
	return place, judge(place, err, least)
}

// Of returns those of a page of a hub's facilities in which a caller may that much, and
// the next cursor.
func (h *Handler) Of(ctx context.Context, who storage.Caller, hubID string, least storage.TwinAccess,
	page storage.PageRequest) (open []storage.Facility, next string, err error) {
	all, next, err := h.store.ListTwinPlaces(ctx, who, hubID, page)
	for _, place := range all {
		if judge(place, nil, least) == nil {
			open = append(open, place.Facility)
		}
	}
	return open, next, err
}

// Bring makes a document of the newest version of a file, or gives the one that is there
// its bytes. One that has them already stays as it was described.
func (h *Handler) Bring(ctx context.Context, change storage.Change, place storage.TwinPlace, projectID, itemID, label,
	policy string) (d storage.TwinDocument, there bool, err error) {
	d, what, err := h.take(ctx, change, asked{who: change.Caller, place: place},
		entry{AccProjectID: projectID, AccLineage: h.urn.Item(itemID), Label: label, Policy: policy})
	return d, what == storage.ImportedAlready, err
}

// Documents returns a page of the documents of a facility, and the next cursor.
func (h *Handler) Documents(ctx context.Context, place storage.TwinPlace,
	page storage.PageRequest) ([]storage.TwinDocument, string, error) {
	found, next, err := h.store.ListDocuments(ctx, place.Facility.ID, storage.DocumentQuery{}, page)
	if err != nil {
		err = onPage(err)
	}
	return found, next, err
}

// Document returns a document of a facility. NotFound.
func (h *Handler) Document(ctx context.Context, place storage.TwinPlace, uid string) (storage.TwinDocument, error) {
	d, err := h.store.FindDocument(ctx, place.Facility.ID, uid)
	return d, fault.OrAbsent(err, "document")
}

// Describe changes what is said of a document, and what happens when its original changes.
func (h *Handler) Describe(ctx context.Context, change storage.Change, place storage.TwinPlace, uid, label,
	policy string) error {
	if utf8.RuneCountInString(label) > maxLabel {
		return invalid("label", "A label has at most 255 characters.")
	}
	follows, err := parsePolicy(policy)
	if err == nil {
		_, err = h.store.UpdateDocument(ctx, change, place.Facility.ID, uid,
			storage.DocumentPatch{Label: &label, Policy: &follows})
	}
	return fault.OrAbsent(err, "document")
}

// Remove takes a document out of a facility.
func (h *Handler) Remove(ctx context.Context, change storage.Change, place storage.TwinPlace, uid string) error {
	_, err := h.store.DeleteDocument(ctx, change, place.Facility.ID, uid)
	return fault.OrAbsent(err, "document")
}

// Show sends the bytes of a document, to be looked at.
func (h *Handler) Show(w http.ResponseWriter, r *http.Request, d storage.TwinDocument) error {
	return h.serve(w, r, d)
}
