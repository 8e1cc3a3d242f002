package relations

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/storage"
)

// addRefs serves POST …/relationships/refs: references from the thing in the
// path to those in the body (decision J11).
func (h on) addRefs(w http.ResponseWriter, r *http.Request) error {
	at, entries, err := h.begin(w, r, "add references to")
	if err != nil {
		return err
	}
	refs := make([]storage.Ref, len(entries))
	for i, v := range entries {
		refs[i] = storage.Ref{From: at.End, To: h.ends.Read(v), Extension: readRefExtension(v.Member("meta", "extension"))}
	}
	if err := at.in.Err(); err != nil {
		return err
	}
	if err := h.mayReferTo(r.Context(), at, refs, entries); err != nil {
		return err
	}
	err = h.store.AddRefs(r.Context(), at.Change, at.Project.ID, at.End, refs)
	if err != nil {
		return h.tell.Located(r.Context(), err, shape.Sources{storage.ReasonSameEnd: "/data/id"})
	}
	return writeNothing(w)
}

// removeRefs serves DELETE …/relationships/refs: it removes references from the
// thing in the path to those in the body, of the type that an entry names, or
// else of every type. What is not there, or can't be seen, is removed already.
func (h on) removeRefs(w http.ResponseWriter, r *http.Request) error {
	at, entries, err := h.begin(w, r, "remove references from")
	if err != nil {
		return err
	}
	wanted := make([]storage.Ref, len(entries))
	for i, v := range entries {
		wanted[i].To = h.ends.Read(v)
		wanted[i].Extension.Type, _ = v.Member("meta", "extension", "type").OptionalText()
		if direction, given := v.Member("meta", "direction").OptionalText(); given && direction != directionFrom {
			v.Member("meta", "direction").Refuse(fault.New(fault.Invalid, jsonapi.ReasonInvalid,
				"A reference is removed where it runs from: ask the other end."))
		}
	}
	if err := at.in.Err(); err != nil {
		return err
	}
	refs, err := h.removable(r.Context(), at, wanted)
	if err != nil {
		return err
	}
	if err := h.store.RemoveRefs(r.Context(), at.Change, at.Project.ID, refs); err != nil {
		return h.tell.Located(r.Context(), err, nil)
	}
	return writeNothing(w)
}

// change is a change of references or links under way.
type change struct {
	Owner
	storage.Change
	in *jsonapi.Input
}

// begin finds the thing in the path, at which the caller must be able
// to collaborate, and reads the body.
func (h on) begin(w http.ResponseWriter, r *http.Request, deed string) (change, []jsonapi.Value, error) {
	at, err := h.reachOwner(r)
	if err != nil {
		return change{}, nil, err
	}
	if err := access.Need(at.Standing, storage.LevelCollaborate, deed+" this "+access.What(string(h.of))); err != nil {
		return change{}, nil, err
	}
	in, entries, err := jsonapi.ReadIdentifiers(w, r, storage.MaxEnds)
	return change{at, bearer.Change(r, h.tell.Ambient.Now(), at.Standing.Caller), in}, entries, err
}

// mayReferTo refuses references to what the caller can't see.
func (h *Handler) mayReferTo(ctx context.Context, at change, refs []storage.Ref, entries []jsonapi.Value) error {
	ends := make([]storage.End, len(refs))
	for i, ref := range refs {
		ends[i] = ref.To
		if ref.To == at.End {
			return entries[i].Member("id").At(fault.New(fault.Invalid, storage.ReasonSameEnd,
				"A reference leads to something else."))
		}
	}
	place, found, err := h.store.FindEnds(ctx, at.Standing.Caller, at.Project.ID, ends)
	if err != nil {
		return err
	}
	for i, f := range found {
		if err := access.MayReadFound(place, f, h.tell.Identifier(ends[i]).Type); err != nil {
			return entries[i].Member("id").At(err)
		}
	}
	return nil
}

// removable returns the references that the wanted ones name. Those of others
// take the level edit (data model, section 4).
func (h *Handler) removable(ctx context.Context, at change, wanted []storage.Ref) ([]storage.Ref, error) {
	query := storage.RefQuery{NoInward: true, ByEnd: true}
	for _, ref := range wanted {
		query.Ends = append(query.Ends, ref.To)
	}
	named := func(ref storage.Ref) bool {
		return slices.ContainsFunc(wanted, func(w storage.Ref) bool {
			return w.To == ref.To && (w.Extension.Type == "" || w.Extension.Type == ref.Extension.Type)
		})
	}
	var refs []storage.Ref
	for page := (storage.DataPage{Limit: storage.MaxPage}); ; {
		some, next, err := h.ends.Refs(ctx, at.Owner, query, page, func(storage.Found) bool { return true })
		if err != nil {
			return nil, err
		}
		for _, ref := range some {
			if !named(ref.Ref) {
				continue
			}
			if err := access.MayRemove(at.Standing, ref.CreatedBy, "remove references of others"); err != nil {
				return nil, err
			}
			refs = append(refs, ref.Ref)
		}
		if page.After = next; next == "" {
			return refs, nil
		}
	}
}

// readRefExtension reads the extension of a reference, whose type begins with
// what the reference is for.
func readRefExtension(v jsonapi.Value) storage.Extension {
	if !v.Required().Given() {
		return storage.Extension{}
	}
	name := v.Member("type").Text()
	v.Member("version").Text()
	kind, _, _ := strings.Cut(name, ":")
	if name != "" && !slices.Contains(refTypes(), kind) {
		v.Member("type").Refuse(fault.Newf(fault.Invalid, jsonapi.ReasonInvalid,
			"The type must begin with one of %s, and a colon.", strings.Join(refTypes(), ", ")))
		return storage.Extension{}
	}
	return shape.ReadExtension(v, kind+":<name space>:<Name>")
}

// writeNothing answers a change of a relationship (JSON:API 1.0, Updating
// Relationships).
func writeNothing(w http.ResponseWriter) error {
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}
