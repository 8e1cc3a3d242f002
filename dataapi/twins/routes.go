package twins

import (
	"net/http"

	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/scope"
)

// Area is the operations of S2 4.5 and what belongs to them. They are there at
// the bare paths and under /tandem/v1 (decision W1).
func (h *Handler) Area(prefix string) httpio.Area {
	reads := func(operation httpio.Handler) httpio.Endpoint { return h.guard(scope.DataRead, operation) }
	writes := func(operation httpio.Handler) httpio.Endpoint { return h.guard(scope.DataWrite, operation) }
	const twin = "/twins/{twinID}"
	const mutation = twin + "/mutations/{mutation}"
	const document = twin + "/documents/{documentID}"
	return httpio.Area{Prefix: prefix, WriteError: WriteError, Routes: []httpio.Route{
		httpio.Shared(twin).Get(reads(h.GetFacility)),
		httpio.Shared(twin + "/mutate").Post(writes(h.MutateTwin)),
		httpio.Shared(twin + "/elements").Get(reads(h.ListElements)),
		httpio.Shared(twin + "/elements/documents").Get(reads(h.GetTable)).Put(writes(h.PutTable)),
		httpio.Shared(twin + "/mutations").Get(reads(h.ListMutations)),
		httpio.Shared(mutation).Get(reads(h.GetMutation)),
		httpio.Shared(mutation + "/undo").Post(writes(h.Undo)),
		httpio.Shared(twin + "/documents").Get(reads(h.ListDocuments)).Post(writes(h.Import)),
		httpio.Shared(twin + "/documentsbulk").Post(writes(h.Import)),
		httpio.Shared(document).Get(reads(h.GetDocument)).Patch(writes(h.PatchDocument)).Delete(writes(h.DeleteDocument)),
		httpio.Shared(document + "/content").Get(orByLink(reads(h.content), h.contentByLink)),
		httpio.Shared(document + "/elements").Get(reads(h.ListUses)),
		httpio.Shared("/documentsbulk").Post(writes(h.ImportInto)),
		httpio.Shared("/mutate").Post(writes(h.Mutate)),
		httpio.Shared("/modeldata/{modelID}/mutate").Post(writes(h.MutateModel)),
	}}
}

// guard lets requests through whose token carries the scope.
func (h *Handler) guard(scope string, operation httpio.Handler) httpio.Endpoint {
	proven := h.bearer.Require(WriteError, scope)
	return httpio.Endpoint{Handler: proven(httpio.Handle(WriteError, operation)), Scope: scope}
}

// orByLink lets requests through with a signed link as well.
func orByLink(byToken httpio.Endpoint, operation httpio.Handler) httpio.Endpoint {
	byLink := httpio.Handle(WriteError, operation)
	return httpio.Endpoint{Scope: byToken.Scope + ", or a signed link", Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get(ticketParameter) != "" {
				byLink.ServeHTTP(w, r)
				return
			}
			byToken.Handler.ServeHTTP(w, r)
		})}
}
