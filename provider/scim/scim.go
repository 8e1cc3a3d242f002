// Package scim is the server of SCIM 2.0 (RFC 7643, RFC 7644): companies send their
// people and groups to /scim/v2/ID, each through a connection of its own, and what
// they sent is theirs.
//
// It signs nobody in and makes no connections: package provider/connections does. A
// resource is what the company said, kept as a document (document.go) and changed as
// PATCH says (patch.go, with paths and filters of filter.go); of a person the server's
// own record follows from it (person.go). Start at New and Area.
package scim

import (
	"context"
	"log/slog"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/storage"
)

// Options are what a Server is made of. Every field is needed, Limits may be nil.
type Options struct {
	Store   storage.SCIMStore
	Ambient *ambient.Source
	Log     *slog.Logger
	Limits  *ratelimit.Limits
	BaseURL string

	// Set gives the user's field the value, or says why it does not fit.
	Set func(user *storage.User, field, value string) error
}

// Server answers companies. It is safe for concurrent use; close it in the end.
type Server struct {
	with     Options
	recorder *recorder
}

// New returns a server.
func New(o Options) *Server { return &Server{with: o, recorder: newRecorder(o.Store, o.Log)} }

// Close writes what is still to be written.
func (s *Server) Close() error {
	if s == nil {
		return nil
	}
	return s.recorder.close()
}

// sweepAtOnce is how many people go at once: each is a transaction of its own.
const sweepAtOnce = 100

// Sweep deletes some of those whom their company deleted long ago, and returns how many.
func (s *Server) Sweep(ctx context.Context) (int, error) {
	now := s.with.Ambient.Now()
	act := storage.Act{At: now, Actor: storage.Actor{Kind: storage.ActorSystem}}
	return s.with.Store.SweepHiddenPeople(ctx, act, now.Add(-storage.KeepHiddenPeople), sweepAtOnce)
}

// Prefix is where connections lie, below the base URL.
const Prefix = "/scim/v2"

// The variables of the routes.
const (
	connectionVariable = "connectionId"
	resourceVariable   = "resourceId"
)

// Area is everything that it answers.
func (s *Server) Area() httpio.Area {
	const at = "/{connectionId}"
	users, groups := at+"/Users", at+"/Groups"
	const one = "/{resourceId}"
	return httpio.Area{Prefix: Prefix, WriteError: WriteError, Routes: []httpio.Route{
		httpio.At(at + "/ServiceProviderConfig").Get(s.on(s.config)),
		httpio.At(at + "/ResourceTypes").Get(s.on(s.resourceTypes)),
		httpio.At(at + "/ResourceTypes" + one).Get(s.on(s.resourceType)),
		httpio.At(at + "/Schemas").Get(s.on(s.schemas)),
		httpio.At(at + "/Schemas" + one).Get(s.on(s.schema)),
		httpio.At(users).Get(s.on(s.listUsers)).Post(s.on(s.createUser)),
		httpio.At(users + "/.search").Post(s.on(s.searchUsers)),
		httpio.At(users + one).Get(s.on(s.showUser)).Put(s.on(s.replaceUser)).Patch(s.on(s.patchUser)).
			Delete(s.on(s.deleteUser)),
		httpio.At(groups).Get(s.on(s.listGroups)).Post(s.on(s.createGroup)),
		httpio.At(groups + "/.search").Post(s.on(s.searchGroups)),
		httpio.At(groups + one).Get(s.on(s.showGroup)).Put(s.on(s.replaceGroup)).Patch(s.on(s.patchGroup)).
			Delete(s.on(s.deleteGroup)),
	}}
}
