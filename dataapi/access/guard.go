package access

import (
	"net/http"
	"strings"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/scope"
)

// Guard lets requests of JSON:API documents through by what their token carries.
type Guard struct{ Bearer *bearer.Authenticator }

// Reads guards an operation that reads.
func (g Guard) Reads(operation httpio.Handler) httpio.Endpoint {
	return g.Needs(operation, scope.DataRead)
}

// ReadsOne guards the reading of the resource that the variable of the path
// names: a token may be made for it alone, with the scope data:read:<URN>
// (decision T13).
func (g Guard) ReadsOne(variable string, operation httpio.Handler) httpio.Endpoint {
	return g.guard(operation, func(r *http.Request, caller bearer.Caller) error {
		id, err := httpio.PathID(r, variable)
		if err == nil && caller.Has(scope.DataReadOf+id) {
			return nil
		}
		return caller.Need(scope.DataRead)
	}, scope.DataRead)
}

// Creates guards an operation that makes something (decision J14).
func (g Guard) Creates(operation httpio.Handler) httpio.Endpoint {
	return g.Needs(operation, scope.DataCreate)
}

// Writes guards an operation that changes something (decision J14).
func (g Guard) Writes(operation httpio.Handler) httpio.Endpoint {
	return g.Needs(operation, scope.DataWrite)
}

// Needs guards an operation that takes all the scopes.
func (g Guard) Needs(operation httpio.Handler, scopes ...string) httpio.Endpoint {
	return g.guard(operation, func(_ *http.Request, caller bearer.Caller) error { return caller.Need(scopes...) },
		scopes...)
}

func (g Guard) guard(operation httpio.Handler, may func(*http.Request, bearer.Caller) error,
	scopes ...string) httpio.Endpoint {
	serve := func(w http.ResponseWriter, r *http.Request) error {
		caller, _ := bearer.From(r.Context())
		if err := may(r, caller); err != nil {
			return err
		}
		if err := jsonapi.CheckAccept(r); err != nil {
			return err
		}
		if err := jsonapi.CheckContentType(r); err != nil {
			return err
		}
		return operation(w, r)
	}
	proven := g.Bearer.Require(jsonapi.WriteError)
	return httpio.Endpoint{
		Handler: proven(httpio.Handle(jsonapi.WriteError, serve)), Scope: strings.Join(scopes, " "),
	}
}
