// Package server is the room of the store for what a server needs for itself: its
// signing keys and settings, the leases of its workers, and clean-up.
package server

import "github.com/portico-id/portico/storage/sqlstore/engine"

// Server keeps keys, settings and leases, and sweeps what has ended.
type Server struct{ db *engine.DB }

// New returns the room in a database.
func New(db *engine.DB) *Server { return &Server{db} }
