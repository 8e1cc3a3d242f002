package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"
)

// Hot are the statements that are worth preparing, as their requests come all
// the time. Everything else runs too seldom to matter. Those of Round are asked by workers
// each time that they look for something to do, of all that there is.
type Hot struct{ Read, Write, Unsynced, Together, Round []string }

// worth is how often a hot statement goes by its text before it is prepared:
// what a command runs once, and a start does not run at all, is not.
const worth = 3

// besides is how long a statement is waited for that is prepared: it holds a connection.
const besides = 2 * time.Second

// hots are the hot statements of a handle, parsed once per connection instead of
// at each call as soon as they are worth it. That happens beside the call, which
// may have the only connection.
type hots struct {
	db      *sqlx.DB
	byQuery map[string]*hot // never changed after add

	mu     sync.Mutex
	ended  context.Context
	end    context.CancelFunc
	beside sync.WaitGroup
}

// hot is one statement, as the engine wants it.
type hot struct {
	text string
	runs atomic.Int32 // by its text
	stmt atomic.Pointer[sqlx.NamedStmt]
}

func newHots(db *sqlx.DB) *hots {
	h := &hots{db: db, byQuery: map[string]*hot{}}
	h.ended, h.end = context.WithCancel(context.Background())
	return h
}

func (h *hots) add(query, text string) {
	if text != "" {
		h.byQuery[query] = &hot{text: text}
	}
}

func (h *hots) has(query string) bool { return h.byQuery[query] != nil }

// find returns the prepared statement; nil as long as the query goes by its text.
func (h *hots) find(query string) *sqlx.NamedStmt {
	s := h.byQuery[query]
	if s == nil {
		return nil
	}
	stmt := s.stmt.Load()
	if stmt == nil && s.runs.Add(1) == worth {
		h.prepare(s)
	}
	return stmt
}

func (h *hots) prepare(s *hot) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended.Err() != nil {
		return
	}
	h.beside.Go(func() {
		ctx, cancel := context.WithTimeout(h.ended, besides)
		defer cancel()
		stmt, err := h.db.PrepareNamedContext(ctx, s.text)
		switch {
		case err == nil:
			s.stmt.Store(stmt)
		case isUnavailable(err) || inTheWay(err):
			s.runs.Store(0) // later, then
		} // else it goes on by its text, which says itself what is wrong
	})
}

func (h *hots) close() error {
	h.mu.Lock()
	h.end()
	h.mu.Unlock()
	h.beside.Wait()
	var err error
	for _, s := range h.byQuery {
		if stmt := s.stmt.Load(); stmt != nil {
			err = errors.Join(err, stmt.Close())
		}
	}
	return err
}
