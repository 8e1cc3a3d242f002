package signing

import (
	"context"
	"time"
)

// current returns the view to work with. One older than Refresh is loaded
// again; while it is younger than twice that nobody waits for it, so a busy
// server never does, and after a quiet time the first caller sees what another
// process has changed. A store that is down leaves the view as it is.
func (s *KeySet) current(ctx context.Context) *view {
	v := s.view.Load()
	age := s.age(v)
	if age < s.with.Refresh {
		return v
	}
	done := s.reload(v)
	if age < 2*s.with.Refresh {
		return v
	}
	return s.await(ctx, done)
}

// Look has the keys read again, beside whoever uses them: one has changed.
func (s *KeySet) Look() { s.reload(s.view.Load()) }

// find returns the published key with the name, or nil. A name that is not
// known may be that of a key which another replica has just made, so it is
// worth a reload, though not more often than ten times per Refresh: anybody can
// make up names.
func (s *KeySet) find(ctx context.Context, kid string) *key {
	v := s.current(ctx)
	if k := v.byKID[kid]; k != nil {
		return k
	}
	if s.age(v) < s.with.Refresh/10 {
		return nil
	}
	return s.await(ctx, s.reload(v)).byKID[kid]
}

// age is how long ago the view was loaded; a clock set back makes it old.
func (s *KeySet) age(v *view) time.Duration {
	age := s.with.Ambient.Now().Sub(v.loadedAt)
	if age < 0 {
		return 2 * s.with.Refresh
	}
	return age
}

// await returns the view once done is closed (nil: at once).
func (s *KeySet) await(ctx context.Context, done <-chan struct{}) *view {
	if done != nil {
		select {
		case <-done:
		case <-ctx.Done():
		}
	}
	return s.view.Load()
}

// reload begins to load what replaces the view that the caller saw, unless that
// is under way, and returns the channel that is closed at its end. It is nil
// when there is nothing to wait for: the view was replaced already, or the last
// load failed; then one try per Refresh goes on in the background.
func (s *KeySet) reload(seen *view) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.view.Load() != seen {
		return nil
	}
	now := s.with.Ambient.Now()
	resting := s.failing && now.Sub(s.triedAt).Abs() < s.with.Refresh
	if s.reloading == nil && !resting {
		s.reloading, s.triedAt = make(chan struct{}), now
		go s.loadInBackground(s.reloading)
	}
	if s.failing {
		return nil
	}
	return s.reloading
}

func (s *KeySet) loadInBackground(done chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), reloadTimeout)
	defer cancel()
	_, err := s.load(ctx)

	s.mu.Lock()
	defer s.mu.Unlock()
	if failed := err != nil; failed != s.failing {
		s.failing = failed
		s.logTurn(err)
	}
	s.reloading = nil
	close(done)
}

// logTurn logs that loading began to fail, or works again.
func (s *KeySet) logTurn(err error) {
	if err != nil {
		s.with.Log.Warn("signing keys can't be read; the ones in memory stay in use", "error", err)
		return
	}
	s.with.Log.Info("signing keys can be read again")
}
