package twins

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/portico-id/portico/dataapi/element"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// documentJSON is a document as existing clients read it (decision X4), with how it stands to its original.
type documentJSON struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	Label         string `json:"label,omitempty"`
	ContentType   string `json:"contentType"`
	Size          int64  `json:"size"`
	S3Path        string `json:"s3Path"`
	LastUpdated   string `json:"lastUpdated"`
	SignedLink    string `json:"signedLink,omitempty"`
	AccProjectID  string `json:"accProjectId"`
	AccAccountID  string `json:"accAccountId"`
	AccLineage    string `json:"accLineage"`
	AccVersion    string `json:"accVersion"`
	NewestVersion string `json:"newestVersion"` // of the original, as far as is known
	Policy        string `json:"policy"`
	State         string `json:"state"`
	Reason        string `json:"reason,omitempty"`
}

func (h *Handler) documentJSON(a asked, d storage.TwinDocument, life time.Duration) documentJSON {
	return documentJSON{
		ID: h.urn.Document(d.ID), Name: d.Name, Label: d.Label, ContentType: d.ContentType, Size: d.Size,
		S3Path: fmt.Sprintf("%s/%s/v%d", d.FacilityID, d.ID, d.Revision), LastUpdated: formatTime(d.UpdatedAt),
		SignedLink: h.signedLink(a, d, life), AccProjectID: d.Source.ProjectID, AccAccountID: d.Source.HubID,
		AccLineage: h.urn.Item(d.Source.ItemID), AccVersion: h.urn.Version(d.Source.ItemID, d.Source.Version),
		NewestVersion: h.urn.Version(d.Source.ItemID, d.Newest), Policy: string(d.Policy),
		State: string(d.State), Reason: d.Reason,
	}
}

// reachDocument is reach for the document in the path, which may be absent.
func (h *Handler) reachDocument(r *http.Request, least storage.TwinAccess) (a asked, uid string, err error) {
	if a, err = h.reach(r, least); err == nil {
		uid, err = h.documentIn(r)
	}
	return a, uid, err
}

// document returns the document in the path, to whoever may read it.
func (h *Handler) document(r *http.Request) (asked, storage.TwinDocument, error) {
	a, uid, err := h.reachDocument(r, storage.TwinRead)
	if err != nil {
		return a, storage.TwinDocument{}, err
	}
	d, err := h.store.FindDocument(r.Context(), a.id(), uid)
	return a, d, fault.OrAbsent(err, "document")
}

func (h *Handler) documentIn(r *http.Request) (string, error) {
	name, err := httpio.PathID(r, documentVariable)
	if err != nil {
		return "", err
	}
	uid, ok := h.urn.DocumentUID(name)
	if !ok {
		return "", malformed(documentVariable, h.urn.Document("<id>"))
	}
	return uid, nil
}

// ListDocuments serves GET /twins/{twinID}/documents, all or those in a state,
// or of an element.
func (h *Handler) ListDocuments(w http.ResponseWriter, r *http.Request) error {
	a, err := h.reach(r, storage.TwinRead)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	page, err := pageOf(q)
	if err != nil {
		return err
	}
	query, err := h.documentQuery(q)
	if err != nil {
		return err
	}
	found, next, err := h.store.ListDocuments(r.Context(), a.id(), query, page)
	if err != nil {
		return onPage(err)
	}
	shown := make([]documentJSON, len(found))
	for i, d := range found {
		shown[i] = h.documentJSON(a, d, usualLife)
	}
	return write(w, struct {
		Documents []documentJSON `json:"documents"`
		Next      string         `json:"next,omitempty"`
	}{shown, next})
}

func (h *Handler) documentQuery(q url.Values) (query storage.DocumentQuery, err error) {
	for _, name := range q["state"] {
		state := storage.DocumentState(name)
		if !slices.Contains([]storage.DocumentState{storage.DocumentReady, storage.DocumentOutdated,
			storage.DocumentOrphaned, storage.DocumentFailed}, state) {
			return query, invalid("state", "state is ready, outdated, source_missing or failed.")
		}
		query.States = append(query.States, state)
	}
	if query.ModelID, err = h.modelIn(q.Get("modelId")); err != nil {
		return query, err
	}
	if query.Key = q.Get("key"); query.Key != "" {
		if err := element.CheckKey(query.Key); err != nil {
			return query, fault.From(err).At("key")
		}
	}
	if lineage := q.Get("accLineage"); lineage != "" {
		var ok bool
		if query.SourceID, ok = h.urn.ItemUID(lineage); !ok {
			return query, malformed("accLineage", h.urn.Item("<id>"))
		}
	}
	return query, nil
}

// GetDocument serves GET /twins/{twinID}/documents/{documentID}.
func (h *Handler) GetDocument(w http.ResponseWriter, r *http.Request) error {
	life, err := lifetime(r.URL.Query())
	if err != nil {
		return err
	}
	a, d, err := h.document(r)
	if err != nil {
		return err
	}
	return write(w, h.documentJSON(a, d, life))
}

const maxLabel = 255 // characters

// PatchDocument serves PATCH /twins/{twinID}/documents/{documentID}.
func (h *Handler) PatchDocument(w http.ResponseWriter, r *http.Request) error {
	a, uid, err := h.reachDocument(r, storage.TwinReadWrite)
	if err != nil {
		return err
	}
	var body struct {
		Name   *string `json:"name"`
		Label  *string `json:"label"`
		Policy *string `json:"policy"`
	}
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	patch := storage.DocumentPatch{Name: body.Name, Label: body.Label}
	if body.Name != nil {
		if err := checkName(*body.Name); err != nil {
			return err
		}
	}
	if body.Label != nil && utf8.RuneCountInString(*body.Label) > maxLabel {
		return invalid("/label", "A label has at most 255 characters.")
	}
	if body.Policy != nil {
		policy, err := parsePolicy(*body.Policy)
		if err != nil {
			return err
		}
		patch.Policy = &policy
	}
	d, err := h.store.UpdateDocument(r.Context(), h.change(r, a.who), a.id(), uid, patch)
	if err != nil {
		return fault.OrAbsent(err, "document")
	}
	return write(w, h.documentJSON(a, d, usualLife))
}

// parsePolicy reads a policy; empty: the usual one.
func parsePolicy(name string) (storage.DocumentPolicy, error) {
	policy := storage.DocumentPolicy(name)
	switch policy {
	case "":
		return storage.PolicyAuto, nil
	case storage.PolicyAuto, storage.PolicyNotify, storage.PolicyPin:
		return policy, nil
	}
	return "", invalid("/policy", "The policy is auto, notify or pin.")
}

// useJSON is a value that names a document.
type useJSON struct {
	ModelID string `json:"modelId"`
	Key     string `json:"key"`
	Family  string `json:"family"`
	Column  string `json:"column"`
}

func (h *Handler) useJSONs(uses []storage.DocumentUse) []useJSON {
	shown := make([]useJSON, len(uses))
	for i, u := range uses {
		shown[i] = useJSON{h.urn.Model(u.ModelID), u.Key, u.Family, u.Column}
	}
	return shown
}

// ListUses serves GET /twins/{twinID}/documents/{documentID}/elements: where the
// document is used.
func (h *Handler) ListUses(w http.ResponseWriter, r *http.Request) error {
	a, d, err := h.document(r)
	if err != nil {
		return err
	}
	page, err := pageOf(r.URL.Query())
	if err != nil {
		return err
	}
	uses, next, err := h.store.ListUses(r.Context(), a.id(), d.ID, page)
	if err != nil {
		return onPage(err)
	}
	return write(w, struct {
		Elements []useJSON `json:"elements"`
		Next     string    `json:"next,omitempty"`
	}{h.useJSONs(uses), next})
}

// DeleteDocument serves DELETE /twins/{twinID}/documents/{documentID}. The
// answer has the values that lead nowhere now, the first 200.
func (h *Handler) DeleteDocument(w http.ResponseWriter, r *http.Request) error {
	a, uid, err := h.reachDocument(r, storage.TwinReadWrite)
	if err != nil {
		return err
	}
	uses, err := h.store.DeleteDocument(r.Context(), h.change(r, a.who), a.id(), uid)
	if err != nil {
		return fault.OrAbsent(err, "document")
	}
	return write(w, struct {
		ID       string    `json:"id"`
		Elements []useJSON `json:"elements"`
	}{h.urn.Document(uid), h.useJSONs(uses)})
}

// Links live two minutes, unless minutesExpiration says up to sixty (decision
// W6).
const usualLife = 2 * time.Minute

func lifetime(q url.Values) (time.Duration, error) {
	text := q.Get("minutesExpiration")
	if text == "" {
		return usualLife, nil
	}
	minutes, err := strconv.Atoi(text)
	if err != nil || minutes < 1 || minutes > 60 {
		return 0, invalid("minutesExpiration", "minutesExpiration is a number from 1 to 60.")
	}
	return time.Duration(minutes) * time.Minute, nil
}
