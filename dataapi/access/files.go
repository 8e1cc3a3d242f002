package access

import (
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// Errand is a request in a project, under /files/v1.
type Errand struct {
	Change  storage.Change
	Project string
}

// OnErrand lets requests through whose token has the scope, on routes with the variable
// projectId. Failures are written so.
func OnErrand(b *bearer.Authenticator, writeError httpio.ErrorWriter, now func() time.Time, scope string,
	do func(http.ResponseWriter, *http.Request, Errand) error) httpio.Endpoint {
	serve := func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cache-Control", "no-store")
		who, err := Caller(r)
		if err != nil {
			return err
		}
		project, err := httpio.PathID(r, "projectId")
		if err != nil {
			return err
		}
		return do(w, r, Errand{bearer.Change(r, now(), who), project})
	}
	proven := b.Require(writeError, scope)
	return httpio.Endpoint{Handler: proven(httpio.Handle(writeError, serve)), Scope: scope}
}
