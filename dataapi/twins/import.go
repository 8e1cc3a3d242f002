package twins

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
)

const (
	maxEntries = 1000
	importers  = 2 // entries of one request at once
)

// entry is a file to be imported (decision W2).
type entry struct {
	Name         string `json:"name"`
	AccProjectID string `json:"accProjectId"`
	AccAccountID string `json:"accAccountId"`
	AccLineage   string `json:"accLineage"`
	AccVersion   string `json:"accVersion"`
	Label        string `json:"label"`
	Policy       string `json:"policy"`
}

// taken is an entry that has become a document.
type taken struct {
	documentJSON
	Outcome string `json:"outcome"` // created, updated or unchanged
}

// refusal is why an entry has become none.
type refusal struct {
	AccLineage string         `json:"accLineage,omitempty"`
	AccVersion string         `json:"accVersion,omitempty"`
	Error      httpio.Problem `json:"error"`
}

// Import serves POST /twins/{twinID}/documents and …/documentsbulk: an array of
// entries.
func (h *Handler) Import(w http.ResponseWriter, r *http.Request) error {
	a, err := h.reach(r, storage.TwinReadWrite)
	if err != nil {
		return err
	}
	var entries []json.RawMessage
	if err := httpio.ReadJSON(w, r, &entries); err != nil {
		return err
	}
	return h.importAll(w, r, a, entries, "")
}

// ImportInto serves POST /documentsbulk, whose body names the twin.
func (h *Handler) ImportInto(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		TwinID    string            `json:"twinId"`
		Documents []json.RawMessage `json:"documents"`
	}
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	a, err := h.enter(r, body.TwinID, storage.TwinReadWrite)
	if err != nil {
		return inBody(err)
	}
	return h.importAll(w, r, a, body.Documents, "/documents")
}

// importAll answers with a result for each entry, in their order. An entry that
// is done is done, whatever becomes of the others and of the request.
func (h *Handler) importAll(w http.ResponseWriter, r *http.Request, a asked, raw []json.RawMessage,
	pointer string) error {
	if len(raw) == 0 || len(raw) > maxEntries {
		return invalid(pointer, "Name 1 to 1000 documents.")
	}
	httpio.AtLeisure(w)
	all, failures := make([]any, len(raw)), make([]error, len(raw))
	var group sync.WaitGroup
	turns := make(chan struct{}, importers)
	for _, same := range byLineage(raw) {
		turns <- struct{}{}
		group.Go(func() {
			defer func() { <-turns }()
			for _, i := range same {
				all[i], failures[i] = h.importOne(r, a, raw[i])
			}
		})
	}
	group.Wait()
	if err := r.Context().Err(); err != nil {
		return err
	}
	httpio.From(r.Context()).Err = errors.Join(failures...)
	return write(w, struct {
		Status string `json:"status"`
		Data   []any  `json:"data"` // taken or refusal
	}{statusOf(all), all})
}

// byLineage gathers the entries of one file: they are imported in their order,
// and those of others beside them.
func byLineage(raw []json.RawMessage) [][]int {
	var groups [][]int
	place := map[string]int{}
	for i, one := range raw {
		var e entry
		if json.Unmarshal(one, &e) != nil || e.AccLineage == "" {
			groups = append(groups, []int{i})
			continue
		}
		at, met := place[e.AccLineage]
		if !met {
			at = len(groups)
			place[e.AccLineage] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], i)
	}
	return groups
}

// statusOf says how all of it went, in the one word that existing clients know
// when nothing failed.
func statusOf(all []any) string {
	failed := 0
	for _, one := range all {
		if _, refused := one.(refusal); refused {
			failed++
		}
	}
	switch failed {
	case 0:
		return "succeeded"
	case len(all):
		return "failed"
	}
	return "partial"
}

// importOne returns what became of an entry, and our own failure, for the log.
func (h *Handler) importOne(r *http.Request, a asked, raw json.RawMessage) (any, error) {
	var e entry
	err := httpio.DecodeJSON(raw, &e)
	if err == nil {
		var document storage.TwinDocument
		var what storage.Imported
		if document, what, err = h.take(r.Context(), h.change(r, a.who), a, e); err == nil {
			return taken{h.documentJSON(a, document, usualLife), string(what)}, nil
		}
	}
	f := fault.From(err)
	if f.Kind != fault.Internal {
		err = nil
	}
	return refusal{e.AccLineage, e.AccVersion, newProblem(r, f)}, err
}

// take imports one entry.
func (h *Handler) take(ctx context.Context, change storage.Change, a asked,
	e entry) (storage.TwinDocument, storage.Imported, error) {
	wanted, ref, err := h.read(e)
	if err != nil {
		return wanted, "", err
	}
	place, item, version, err := h.originals.Original(ctx, a.who, e.AccProjectID, ref)
	if err != nil {
		return wanted, "", atEntry(err)
	}
	if e.AccAccountID != "" && e.AccAccountID != place.Hub.ID {
		return wanted, "", invalid("/accAccountId", "The project belongs to another account.")
	}
	wanted.Name = cmp.Or(wanted.Name, version.Name)
	wanted.FacilityID, wanted.By, wanted.Newest = a.id(), a.who, item.Item.Tip
	wanted.Source = storage.TwinSource{HubID: place.Hub.ID, ProjectID: place.Project.ID, ItemID: ref.ItemID,
		Version: version.Number}
	if known, found, err := h.known(ctx, wanted); found && known.State != storage.DocumentOrphaned || err != nil {
		return known, storage.ImportedAlready, err
	}
	wanted.ID, wanted.CreatedAt = h.ambient.UID(), change.At
	wanted.State = stateOf(wanted)
	if err := h.copyInto(ctx, &wanted, version); err != nil {
		return wanted, "", err
	}
	return h.store.ImportDocument(ctx, change, wanted)
}

// stateOf is how a document stands whose bytes are in order.
func stateOf(d storage.TwinDocument) storage.DocumentState {
	if d.Policy == storage.PolicyNotify && d.Newest > d.Source.Version {
		return storage.DocumentOutdated
	}
	return storage.DocumentReady
}

// known returns the document of the same version, if the facility has it: there
// is nothing to be copied then.
func (h *Handler) known(ctx context.Context, wanted storage.TwinDocument) (storage.TwinDocument, bool, error) {
	found, _, err := h.store.ListDocuments(ctx, wanted.FacilityID, storage.DocumentQuery{SourceID: wanted.Source.ItemID},
		storage.PageRequest{Limit: 1})
	if err != nil || len(found) == 0 {
		return storage.TwinDocument{}, false, err
	}
	if found[0].Source.Version > wanted.Source.Version {
		return found[0], false, fault.Newf(fault.Conflict, storage.ReasonOlderVersion,
			"The twin has version %d of this file already.", found[0].Source.Version).At("/accVersion")
	}
	return found[0], found[0].Source.Version == wanted.Source.Version, nil
}

// read checks an entry by itself.
func (h *Handler) read(e entry) (storage.TwinDocument, storage.VersionRef, error) {
	var none storage.TwinDocument
	item, ok := h.urn.ItemUID(e.AccLineage)
	if !ok {
		return none, storage.VersionRef{}, malformed("/accLineage", h.urn.Item("<id>"))
	}
	ref := storage.VersionRef{ItemID: item}
	if e.AccVersion != "" {
		if ref, ok = h.urn.VersionRef(e.AccVersion); !ok {
			return none, ref, malformed("/accVersion", h.urn.Version("<id>", 1))
		}
		if ref.ItemID != item {
			return none, ref, invalid("/accVersion", "The version is one of another file.")
		}
	}
	if e.AccProjectID == "" {
		return none, ref, invalid("/accProjectId", "Name the project.")
	}
	if e.Name != "" {
		if err := checkName(e.Name); err != nil {
			return none, ref, err
		}
	}
	if utf8.RuneCountInString(e.Label) > maxLabel {
		return none, ref, invalid("/label", "A label has at most 255 characters.")
	}
	policy, err := parsePolicy(e.Policy)
	return storage.TwinDocument{Name: e.Name, Label: e.Label, Policy: policy}, ref, err
}

func checkName(name string) error {
	odd := strings.ContainsFunc(name, unicode.IsControl)
	if odd || textkey.Blank(name) || utf8.RuneCountInString(name) > maxLabel {
		return invalid("/name", "A name has 1 to 255 characters, none of them a control character.")
	}
	return nil
}

// atEntry says which member of the entry a refusal is about.
func atEntry(err error) error {
	f := fault.From(err)
	place := map[string]string{
		"project_not_found": "/accProjectId", "hub_not_found": "/accProjectId", "project_inactive": "/accProjectId",
		"item_not_found": "/accLineage", "version_not_found": "/accVersion", "no_permission": "/accLineage",
	}[f.Reason]
	if place == "" {
		return err
	}
	return f.At(place)
}
