package app

import (
	"net/http"

	"github.com/portico-id/portico/internal/gate/middleware"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/scope"
)

// objects is where bytes come and go. Uploading takes data:create or data:write,
// reading data:read (decision J14).
func (a *App) objects() []route {
	o := a.parts.objects
	puts := func(operation httpio.Handler) httpio.Endpoint {
		return o.Guard(operation, scope.DataCreate, scope.DataWrite)
	}
	gets := func(operation httpio.Handler) httpio.Endpoint {
		return o.Guard(operation, scope.DataRead)
	}
	const all = "/buckets/{bucket_key}/objects"
	const one = all + "/{object_key}"
	routes := []route{
		{template: all + "/batchsigneds3upload", methods: methods{"POST": puts(o.BatchSignUpload)}},
		{template: all + "/batchcompleteupload", methods: methods{"POST": puts(o.BatchComplete)}},
		{template: all + "/batchsigneds3download", methods: methods{"POST": gets(o.BatchSignDownload)}},
		{template: one, methods: methods{"GET": gets(o.Get), "PUT": puts(o.Put)}},
		{template: one + "/signeds3upload", methods: methods{"GET": puts(o.SignUpload), "POST": puts(o.Complete)}},
		{template: one + "/signeds3download", methods: methods{"GET": gets(o.SignDownload)}},
		{template: one + "/details", methods: methods{"GET": gets(o.Details)}},
		{template: "/signed/{ticket}", methods: methods{http.MethodGet: {Handler: o.Signed()}, http.MethodPut: {Handler: o.Signed()}}},
	}
	for i := range routes {
		routes[i].cors = middleware.RegisteredCORS
	}
	return routes
}
