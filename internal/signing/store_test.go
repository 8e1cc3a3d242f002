package signing_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// memory is a key store that can be taken down and watched.
type memory struct {
	mu    sync.Mutex
	keys  []storage.SigningKey // highest generation first
	down  bool
	lists int
}

func (m *memory) enter() (func(), error) {
	m.mu.Lock()
	if m.down {
		m.mu.Unlock()
		return nil, fault.New(fault.Unavailable, "down", "")
	}
	return m.mu.Unlock, nil
}

func (m *memory) setDown(down bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = down
}

func (m *memory) listed() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lists
}

func (m *memory) ListSigningKeys(context.Context) ([]storage.SigningKey, error) {
	leave, err := m.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	m.lists++
	return slices.Clone(m.keys), nil
}

func (m *memory) AddSigningKey(_ context.Context, _ storage.Act, key storage.SigningKey) error {
	leave, err := m.enter()
	if err != nil {
		return err
	}
	defer leave()
	if m.index(key.Generation) >= 0 {
		return fault.New(fault.Conflict, "generation_taken", "")
	}
	m.keys = append(m.keys, key)
	slices.SortFunc(m.keys, func(a, b storage.SigningKey) int { return b.Generation - a.Generation })
	return nil
}

func (m *memory) PromoteSigningKey(_ context.Context, act storage.Act, generation int) error {
	return m.change(generation, func(key *storage.SigningKey) {
		if key.ActiveFrom.After(act.At) {
			key.ActiveFrom = act.At
		}
	})
}

func (m *memory) ResealSigningKey(_ context.Context, generation int, sealed []byte) error {
	return m.change(generation, func(key *storage.SigningKey) { key.Sealed = sealed })
}

func (m *memory) change(generation int, edit func(*storage.SigningKey)) error {
	leave, err := m.enter()
	if err != nil {
		return err
	}
	defer leave()
	i := m.index(generation)
	if i < 0 {
		return fault.New(fault.NotFound, "", "")
	}
	edit(&m.keys[i])
	return nil
}

func (m *memory) DeleteSigningKeys(_ context.Context, _ storage.Act, below int) error {
	leave, err := m.enter()
	if err != nil {
		return err
	}
	defer leave()
	m.keys = slices.DeleteFunc(m.keys, func(k storage.SigningKey) bool { return k.Generation < below })
	return nil
}

func (m *memory) index(generation int) int {
	return slices.IndexFunc(m.keys, func(k storage.SigningKey) bool { return k.Generation == generation })
}

// newStore returns an empty store.
func newStore(tb testing.TB) *memory {
	tb.Helper()
	return &memory{}
}
