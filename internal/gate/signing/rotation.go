package signing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// State is where in its life a key is.
type State string

// The states of a key. All are published.
const (
	Next   State = "next"   // signs later
	Active State = "active" // signs now
	Former State = "former" // signs no more, but tokens of it may be alive
)

// KeyInfo describes a key to people.
type KeyInfo struct {
	Generation int
	KID        string
	CreatedAt  time.Time
	ActiveFrom time.Time
	State      State
}

// KeptFor is how long others may keep the published keys before they look again.
const KeptFor = time.Hour

// ReasonKeyTooNew is the reason of the Conflict of a key that signs too early.
const ReasonKeyTooNew = "key_too_new"

// KnownFrom is when everybody who keeps the published keys has the key.
func (k KeyInfo) KnownFrom() time.Time { return k.CreatedAt.Add(KeptFor) }

// List returns all keys as the store has them now, newest first.
func (s *KeySet) List(ctx context.Context) ([]KeyInfo, error) {
	v, err := s.load(ctx)
	if err != nil {
		return nil, err
	}
	active := v.active(s.with.Ambient.Now())
	infos := make([]KeyInfo, len(v.keys))
	for i, k := range v.keys {
		infos[i] = describe(k, active)
	}
	return infos, nil
}

func describe(k, active *key) KeyInfo {
	info := KeyInfo{
		Generation: k.generation, KID: k.kid,
		CreatedAt: k.createdAt, ActiveFrom: k.activeFrom, State: Active,
	}
	switch {
	case k.generation > active.generation:
		info.State = Next
	case k.generation < active.generation:
		info.State = Former
	}
	return info
}

// Maintain does what is due and returns when something is due next: it sees to
// it that a next key is always published, deletes former keys whose last token
// has long expired, and seals again what only the previous secret opens. Any
// number of replicas may run it at once.
func (s *KeySet) Maintain(ctx context.Context) (next time.Time, err error) {
	if err := s.reseal(ctx); err != nil {
		return time.Time{}, fmt.Errorf("sealing signing keys again: %w", err)
	}
	v, err := s.withNext(ctx, s.systemAct())
	if err != nil {
		return time.Time{}, fmt.Errorf("making the next signing key: %w", err)
	}
	if below := s.retired(v); below > 0 {
		if err := s.with.Store.DeleteSigningKeys(ctx, s.systemAct(), below); err != nil {
			return time.Time{}, fmt.Errorf("deleting former signing keys: %w", err)
		}
		if v, err = s.load(ctx); err != nil {
			return time.Time{}, err
		}
	}
	return s.due(v), nil
}

// Rotate lets the next key sign from now on and publishes a new next one. It
// returns the key that signs now. Tokens of the key before go on to verify.
//
// Conflict (ReasonKeyTooNew) when the next key was published within KeptFor, so
// that verifiers may not have it yet. atOnce lets it sign all the same: then they
// have to fetch the keys again for a kid that they do not know, as OpenID Connect
// Core 1.0, 10.1.1 tells them to, and not all do.
func (s *KeySet) Rotate(ctx context.Context, act storage.Act, atOnce bool) (KeyInfo, error) {
	v, err := s.withNext(ctx, act)
	if err != nil {
		return KeyInfo{}, fmt.Errorf("making the next signing key: %w", err)
	}
	promoted := v.keys[0]
	if next := describe(promoted, v.active(act.At)); !atOnce && act.At.Before(next.KnownFrom()) {
		return KeyInfo{}, tooNew(next)
	}
	if err := s.with.Store.PromoteSigningKey(ctx, act, promoted.generation); err != nil {
		return KeyInfo{}, fmt.Errorf("promoting the next signing key: %w", err)
	}
	if err := s.add(ctx, act, promoted.generation+1, s.turn(act.At)); err != nil {
		return KeyInfo{}, fmt.Errorf("making the next signing key: %w", err)
	}
	if v, err = s.load(ctx); err != nil {
		return KeyInfo{}, err
	}
	active := v.active(s.with.Ambient.Now())
	return describe(active, active), nil
}

func tooNew(next KeyInfo) error {
	return fault.Newf(fault.Conflict, ReasonKeyTooNew,
		"The next key was published at %s. Services keep the published keys for an hour, so it may sign from %s on, or at once for a service that looks again.",
		next.CreatedAt.UTC().Format(time.RFC3339), next.KnownFrom().UTC().Format(time.RFC3339))
}

// withNext returns the keys of this moment, the newest of which does not sign
// yet; if there is no such key, it is made.
func (s *KeySet) withNext(ctx context.Context, act storage.Act) (*view, error) {
	v, err := s.load(ctx)
	if err != nil {
		return nil, err
	}
	newest := v.keys[0]
	if newest.activeFrom.After(s.with.Ambient.Now()) {
		return v, nil
	}
	if err := s.add(ctx, act, newest.generation+1, s.turn(newest.activeFrom)); err != nil {
		return nil, err
	}
	return s.load(ctx)
}

// turn is when the successor of a key takes over that signs since the given
// time: never before it was published for Ahead.
func (s *KeySet) turn(since time.Time) time.Time {
	turn, earliest := since.Add(s.with.Active), s.with.Ambient.Now().Add(s.with.Ahead)
	if turn.Before(earliest) {
		return earliest
	}
	return turn
}

// add makes a key and keeps it. That another replica was faster is as good.
func (s *KeySet) add(ctx context.Context, act storage.Act, generation int, activeFrom time.Time) error {
	row, err := s.makeKey(generation, act.At, activeFrom)
	if err != nil {
		return err
	}
	if err := s.with.Store.AddSigningKey(ctx, act, row); err != nil && !fault.Is(err, fault.Conflict) {
		return err
	}
	return nil
}

// reseal seals again what only the previous secret opens.
func (s *KeySet) reseal(ctx context.Context) error {
	rows, err := s.with.Store.ListSigningKeys(ctx)
	if err != nil {
		return err
	}
	var failures []error
	for _, row := range rows {
		secret, fresh, err := s.with.Ring.Open(sealLabel, row.Sealed, []byte(row.KID))
		if fresh || err != nil {
			continue // in order, or sealed by a replica with a newer secret
		}
		sealed := s.with.Ring.Seal(sealLabel, secret, []byte(row.KID))
		failures = append(failures, s.with.Store.ResealSigningKey(ctx, row.Generation, sealed))
	}
	return errors.Join(failures...)
}

// retired returns the lowest generation that is still needed, or 0 when all
// are.
func (s *KeySet) retired(v *view) int {
	now := s.with.Ambient.Now()
	for _, successor := range v.keys[:len(v.keys)-1] {
		if !s.retirement(successor).After(now) {
			return successor.generation
		}
	}
	return 0
}

// retirement is when the key before the given one is needed no more.
func (s *KeySet) retirement(successor *key) time.Time {
	return successor.activeFrom.Add(s.with.TokenLifetime + retirementMargin)
}

// due returns the next time at which Maintain has something to do: the next
// key's turn, or the retirement of a former key.
func (s *KeySet) due(v *view) time.Time {
	now, due := s.with.Ambient.Now(), v.keys[0].activeFrom
	for _, successor := range v.keys[:len(v.keys)-1] {
		if at := s.retirement(successor); at.After(now) && at.Before(due) {
			due = at
		}
	}
	return due
}
