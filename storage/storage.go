// Package storage is the vocabulary of what Portico keeps, and the contract of
// whoever keeps it.
//
// Records are plain values. Every method of the interfaces is an act: one
// transaction that happens whole or not at all, with one contract (written
// above it) and one conformance test in storagetest that every engine passes.
// The only implementation is storage/sqlstore, over SQLite and PostgreSQL.
//
// Rules that hold for every method:
//   - errors are faults: NotFound for an absent thing, Conflict for a taken
//     name, Gone for what was spent, revoked or has expired; anything else is
//     Internal or Unavailable;
//   - times are UTC with whole microseconds, the zero time means "never";
//   - the store never reads a clock: the present time comes in;
//   - e-mail addresses, user names and other names compare without regard to
//     case and Unicode form, and come back as they were written;
//   - secrets arrive hashed or sealed: the store could be read by anyone
//     without giving away a credential.
package storage

import (
	"errors"
	"strings"
	"time"
)

// ErrUnsure is the cause of the Unavailable fault of what was done and may not be kept: others
// may see it, and whoever does it again may do it twice.
var ErrUnsure = errors.New("it is not known to be kept")

// ActorKind says what sort of thing makes a change.
type ActorKind string

// The kinds of actors.
const (
	ActorUser     ActorKind = "user"     // a signed-in person; ID is the user's
	ActorClient   ActorKind = "client"   // a client application; ID is the client's
	ActorOperator ActorKind = "operator" // whoever runs the command line; ID is empty
	ActorSystem   ActorKind = "system"   // Portico itself: rotation, clean-up

	ActorConnection ActorKind = "connection" // a company that sends its people; ID is its SCIMConnection
)

// Actor is who makes a change.
type Actor struct {
	Kind ActorKind
	ID   string
}

// Act says who makes a change, when, and in answer to which request. Every
// changing method takes one; what is audited is written from it.
type Act struct {
	At        time.Time
	Actor     Actor
	RequestID string // empty outside a request
	Address   string // the client's network address; empty outside a request
	Force     bool   // done even if it leaves nobody to administrate the server
	Mails     []Mail // sent when it is done; kept with its first line of the audit trail
	Languages string // that the request wants, as Accept-Language has it; empty outside a request
}

// LanguagesOf returns those in which the user is written to because of the act:
// that of their account, then those of its request.
func (a Act) LanguagesOf(user User) string {
	return strings.Trim(user.Profile.Locale+","+a.Languages, ",")
}

// PageRequest asks for one page of a list.
type PageRequest struct {
	After  string // cursor from the page before; empty for the first page
	Before string // cursor from the page after, where After is empty; of a Listing alone
	Limit  int    // 1 to 200; 0 means 200
}

// EveryPage collects a list to its end.
func EveryPage[T any](list func(PageRequest) ([]T, string, error)) ([]T, error) {
	var all []T
	var page PageRequest
	for {
		some, next, err := list(page)
		if all = append(all, some...); err != nil || next == "" {
			return all, err
		}
		page.After = next
	}
}

// Listing is a page of a list in the order of the names of what is in it,
// without regard to case and accents.
type Listing[T any] struct {
	Rows     []T
	Total    int    // how many there are on all pages
	Previous string // Before of the page before; empty on the first
	Next     string // After of the page after; empty on the last
}

// MaxPage is the largest and the default number of rows of a page.
const MaxPage = 200
