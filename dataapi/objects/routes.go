package objects

import (
	"net/http"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/scope"
)

// Area is where bytes come and go. Uploading takes data:create or data:write,
// reading data:read (decision J14).
func (h *Handler) Area() httpio.Area {
	puts := func(operation httpio.Handler) httpio.Endpoint {
		return h.guard(operation, scope.DataCreate, scope.DataWrite)
	}
	gets := func(operation httpio.Handler) httpio.Endpoint { return h.guard(operation, scope.DataRead) }
	const all = "/buckets/{bucket_key}/objects"
	const one = all + "/{object_key}"
	return httpio.Area{Prefix: "/oss/v2", WriteError: WriteError, Routes: []httpio.Route{
		httpio.Shared(all + "/batchsigneds3upload").Post(puts(h.BatchSignUpload)),
		httpio.Shared(all + "/batchcompleteupload").Post(puts(h.BatchComplete)),
		httpio.Shared(all + "/batchsigneds3download").Post(gets(h.BatchSignDownload)),
		httpio.Shared(one).Get(gets(h.Get)).Put(puts(h.Put)),
		httpio.Shared(one + "/signeds3upload").Get(puts(h.SignUpload)).Post(puts(h.Complete)),
		httpio.Shared(one + "/signeds3download").Get(gets(h.SignDownload)),
		httpio.Shared(one + "/details").Get(gets(h.Details)),
		httpio.Shared("/signed/{ticket}").Get(httpio.Open(WriteError, h.getSigned)).Put(httpio.Open(WriteError, h.putPart)),
	}}
}

// guard lets requests through whose token carries one of the scopes. Addresses
// that the operation gives rest on those of them that it carries.
func (h *Handler) guard(operation httpio.Handler, scopes ...string) httpio.Endpoint {
	serve := func(w http.ResponseWriter, r *http.Request) error {
		caller, _ := bearer.From(r.Context())
		all := caller
		caller.Scopes = slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool { return !all.Has(scope) })
		if len(caller.Scopes) == 0 {
			return all.Need(scopes[0])
		}
		return operation(w, r.WithContext(bearer.With(r.Context(), caller)))
	}
	proven := h.bearer.Require(WriteError)
	return httpio.Endpoint{Handler: proven(httpio.Handle(WriteError, serve)), Scope: strings.Join(scopes, " or ")}
}
