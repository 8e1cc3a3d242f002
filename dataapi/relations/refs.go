package relations

import (
	"net/http"
	"slices"
	"strings"

	"github.com/portico-id/portico/dataapi/filter"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/storage"
)

// Names of filters of references.
const (
	filterRefType   = "refType"
	filterDirection = "direction"
)

// Directions, seen from the end asked for: from runs from it.
const (
	directionFrom = "from"
	directionTo   = "to"
)

// refTypes are what references are made for. The one of a reference is what its
// extension type begins with.
func refTypes() []string {
	return []string{"derived", "dependencies", "auxiliary", "xrefs", "includes"}
}

func refType(e storage.Extension) string {
	kind, _, _ := strings.Cut(e.Type, ":")
	return kind
}

func relatedRules() jsonapi.Rules {
	return jsonapi.Rules{
		Types: []string{shape.TypeFolders, shape.TypeItems, shape.TypeVersions}, Paged: true,
		Filters: append(filter.By(filter.Type, filter.ID, filter.Extension),
			jsonapi.Filter{Name: filterRefType, Ops: jsonapi.Exact()}),
	}
}

func refsRules() jsonapi.Rules {
	rules := relatedRules()
	rules.Filters = append(rules.Filters, jsonapi.Filter{Name: filterDirection, Ops: jsonapi.Exact()})
	return rules
}

// listRelated serves GET …/refs of a folder, an item or a version: the resources
// at the other ends of its references, whose extension type can be asked for.
func (h on) listRelated(w http.ResponseWriter, r *http.Request) error {
	q, err := relatedRules().Parse(r)
	if err != nil {
		return err
	}
	all := filter.Conditions(q.Conditions)
	query, err := refQuery(h.tell.Shape, all)
	if err != nil {
		return err
	}
	at, err := h.reachOwner(r)
	if err != nil {
		return err
	}
	address := at.address + "/refs"
	page, err := filter.Page(h.pager, address, q)
	if err != nil {
		return err
	}
	types := all.Texts(filter.Extension)
	refs, next, err := h.ends.Refs(r.Context(), at, query, page,
		func(f storage.Found) bool { return filter.Fits(types, extensionOf(f).Type) })
	if err != nil {
		return err
	}
	resources, err := h.ends.showOthers(r.Context(), at.Place, refs)
	if err != nil {
		return err
	}
	return jsonapi.WriteDocument(w, r, q, jsonapi.Document{Links: h.pager.Links(address, q, next), Data: resources})
}

// RefIdentifier names the resource at the other end of a reference, and says
// what the reference is.
type RefIdentifier struct {
	Type string  `json:"type"`
	ID   string  `json:"id"`
	Meta refMeta `json:"meta"`
}

type refMeta struct {
	RefType   string          `json:"refType"`
	Direction string          `json:"direction"`
	FromID    string          `json:"fromId"`
	FromType  string          `json:"fromType"`
	ToID      string          `json:"toId"`
	ToType    string          `json:"toType"`
	Extension shape.Extension `json:"extension"`
}

// ShowRef shows a reference, seen from the end asked for.
func ShowRef(s shape.Shape, ref SeenRef) RefIdentifier {
	from, to, other := s.Identifier(ref.From), s.Identifier(ref.To), s.Identifier(ref.OtherEnd)
	direction := directionTo
	if ref.outward {
		direction = directionFrom
	}
	return RefIdentifier{Type: other.Type, ID: other.ID, Meta: refMeta{
		RefType: refType(ref.Extension), Direction: direction,
		FromID: from.ID, FromType: from.Type, ToID: to.ID, ToType: to.Type,
		Extension: s.Extension(ref.Extension, "", shape.NoData{}),
	}}
}

// listRefs serves GET …/relationships/refs of a folder, an item or a version,
// with the resources at the other ends included.
func (h on) listRefs(w http.ResponseWriter, r *http.Request) error {
	q, err := refsRules().Parse(r)
	if err != nil {
		return err
	}
	all := filter.Conditions(q.Conditions)
	query, err := refQuery(h.tell.Shape, all)
	if err == nil {
		err = narrowRefs(all, &query)
	}
	if err != nil {
		return err
	}
	at, err := h.reachOwner(r)
	if err != nil {
		return err
	}
	address := at.address + "/relationships/refs"
	page, err := filter.Page(h.pager, address, q)
	if err != nil {
		return err
	}
	refs, next, err := h.ends.Refs(r.Context(), at, query, page, func(storage.Found) bool { return true })
	if err != nil {
		return err
	}
	included, err := h.ends.showOthers(r.Context(), at.Place, refs)
	if err != nil {
		return err
	}
	data := make([]RefIdentifier, len(refs))
	for i, ref := range refs {
		data[i] = ShowRef(h.tell.Shape, ref)
	}
	links := h.pager.Links(address, q, next)
	links.Related = jsonapi.To(at.address + "/refs")
	return jsonapi.WriteDocument(w, r, q, jsonapi.Document{Links: links, Data: data, Included: included})
}

// refQuery reads the filters about the other end, and by what the references are for.
func refQuery(s shape.Shape, all filter.Conditions) (query storage.RefQuery, err error) {
	const kinds = shape.TypeFolders + ", " + shape.TypeItems + " or " + shape.TypeVersions
	types, err := all.Words(filter.Type, kinds, filter.OneOf(shape.TypeFolders, shape.TypeItems, shape.TypeVersions))
	if err != nil {
		return query, err
	}
	query.NoFolders = types != nil && !slices.Contains(types, shape.TypeFolders)
	query.NoItems = types != nil && !slices.Contains(types, shape.TypeItems)
	query.NoVersions = types != nil && !slices.Contains(types, shape.TypeVersions)
	ids, err := all.Words(filter.ID, "the URN of a folder, an item or a version", func(urn string) bool {
		_, ok := s.End(urn)
		return ok
	})
	query.ByEnd = ids != nil
	for _, urn := range ids {
		end, _ := s.End(urn)
		query.Ends = append(query.Ends, end)
	}
	if err != nil {
		return query, err
	}
	purposes, err := all.Words(filterRefType, strings.Join(refTypes(), ", "), filter.OneOf(refTypes()...))
	if purposes != nil {
		starts := storage.TextCondition{Op: storage.OpStarts}
		for _, purpose := range purposes {
			starts.Values = append(starts.Values, purpose+":")
		}
		query.ExtensionTypes = append(query.ExtensionTypes, starts)
	}
	return query, err
}

// narrowRefs reads the filters about the reference itself.
func narrowRefs(all filter.Conditions, query *storage.RefQuery) error {
	query.ExtensionTypes = append(query.ExtensionTypes, all.Texts(filter.Extension)...)
	directions, err := all.Words(filterDirection, "from or to", filter.OneOf(directionFrom, directionTo))
	query.NoOutward = directions != nil && !slices.Contains(directions, directionFrom)
	query.NoInward = directions != nil && !slices.Contains(directions, directionTo)
	return err
}
