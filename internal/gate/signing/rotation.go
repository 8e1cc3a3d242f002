package signing

import (
	"context"
	"fmt"
	"strings"
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
	Algorithm  string
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

// ReasonAlgorithm is the reason of the Invalid of an algorithm that we have not.
const ReasonAlgorithm = "unknown_algorithm"

// KnownFrom is when everybody who keeps the published keys has the key.
func (k KeyInfo) KnownFrom() time.Time { return k.CreatedAt.Add(KeptFor) }

// List returns all keys as the store has them now: by algorithm, in the order of
// Algorithms, and of each the newest first.
func (s *KeySet) List(ctx context.Context) ([]KeyInfo, error) {
	v, err := s.load(ctx)
	if err != nil {
		return nil, err
	}
	var infos []KeyInfo
	for _, f := range families {
		keys := v.lines[f.algorithm]
		active := keys.active(s.with.Ambient.Now())
		for _, k := range keys {
			infos = append(infos, describe(k, active))
		}
	}
	return infos, nil
}

// describe tells of a key, whatever the active one of its algorithm is; nil: none
// is yet.
func describe(k, active *key) KeyInfo {
	info := KeyInfo{
		Algorithm: k.algorithm, Generation: k.generation, KID: k.kid,
		CreatedAt: k.createdAt, ActiveFrom: k.activeFrom, State: Active,
	}
	switch {
	case active == nil || k.generation > active.generation:
		info.State = Next
	case k.generation < active.generation:
		info.State = Former
	}
	return info
}

// Maintain does what is due and returns when something is due next: it sees to
// it that a next key of each algorithm is always published, and deletes former keys
// whose last token has long expired. Any number of replicas may run it at once.
func (s *KeySet) Maintain(ctx context.Context) (next time.Time, err error) {
	for _, f := range families {
		due, err := s.maintain(ctx, f)
		if err != nil {
			return time.Time{}, fmt.Errorf("%s: %w", f.algorithm, err)
		}
		if next.IsZero() || due.Before(next) {
			next = due
		}
	}
	return next, nil
}

func (s *KeySet) maintain(ctx context.Context, f family) (due time.Time, err error) {
	v, err := s.withNext(ctx, s.systemAct(), f)
	if err != nil {
		return time.Time{}, fmt.Errorf("making the next signing key: %w", err)
	}
	if below := s.retired(v.lines[f.algorithm]); below > 0 {
		if err := s.with.Store.DeleteSigningKeys(ctx, s.systemAct(), f.algorithm, below); err != nil {
			return time.Time{}, fmt.Errorf("deleting former signing keys: %w", err)
		}
		if v, err = s.load(ctx); err != nil {
			return time.Time{}, err
		}
	}
	return s.due(v.lines[f.algorithm]), nil
}

// Rotate lets the next key of the algorithm ("": RS256) sign from now on and
// publishes a new next one. It returns the key that signs now. Tokens of the key
// before go on to verify. An unknown algorithm is Invalid (ReasonAlgorithm).
//
// Conflict (ReasonKeyTooNew) when the next key was published within KeptFor, so
// that verifiers may not have it yet. atOnce lets it sign all the same: then they
// have to fetch the keys again for a kid that they do not know, as OpenID Connect
// Core 1.0, 10.1.1 tells them to, and not all do.
func (s *KeySet) Rotate(ctx context.Context, act storage.Act, algorithm string, atOnce bool) (KeyInfo, error) {
	f, err := familyOf(algorithm)
	if err != nil {
		return KeyInfo{}, fault.Newf(fault.Invalid, ReasonAlgorithm, "The algorithm must be one of: %s.",
			strings.Join(Algorithms(), ", "))
	}
	v, err := s.withNext(ctx, act, f)
	if err != nil {
		return KeyInfo{}, fmt.Errorf("making the next signing key: %w", err)
	}
	promoted := v.lines[f.algorithm][0]
	if next := describe(promoted, nil); !atOnce && act.At.Before(next.KnownFrom()) {
		return KeyInfo{}, tooNew(next)
	}
	if err := s.with.Store.PromoteSigningKey(ctx, act, f.algorithm, promoted.generation); err != nil {
		return KeyInfo{}, fmt.Errorf("promoting the next signing key: %w", err)
	}
	if err := s.add(ctx, act, f, promoted.generation+1, s.turn(act.At)); err != nil {
		return KeyInfo{}, fmt.Errorf("making the next signing key: %w", err)
	}
	if v, err = s.load(ctx); err != nil {
		return KeyInfo{}, err
	}
	active := v.lines[f.algorithm].active(s.with.Ambient.Now())
	return describe(active, active), nil
}

func tooNew(next KeyInfo) error {
	return fault.Newf(fault.Conflict, ReasonKeyTooNew,
		"The next key was published at %s. Services keep the published keys for an hour, so it may sign from %s on, or at once for a service that looks again.",
		next.CreatedAt.UTC().Format(time.RFC3339), next.KnownFrom().UTC().Format(time.RFC3339))
}

// withNext returns the keys of this moment, the newest of the family not signing
// yet; if there is no such key, it is made. The first key of a family signs at once,
// though others keep the keys from before: to them its tokens have a name that they
// don't know, which is better than no tokens for those who asked for the family.
func (s *KeySet) withNext(ctx context.Context, act storage.Act, f family) (*view, error) {
	v, err := s.load(ctx)
	if err != nil {
		return nil, err
	}
	generation, from := 1, act.At
	if keys := v.lines[f.algorithm]; len(keys) > 0 {
		if keys[0].activeFrom.After(s.with.Ambient.Now()) {
			return v, nil
		}
		generation, from = keys[0].generation+1, s.turn(keys[0].activeFrom)
	}
	if err := s.add(ctx, act, f, generation, from); err != nil {
		return nil, err
	}
	if generation == 1 {
		return s.withNext(ctx, act, f)
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
func (s *KeySet) add(ctx context.Context, act storage.Act, f family, generation int, activeFrom time.Time) error {
	row, err := s.makeKey(f, generation, act.At, activeFrom)
	if err != nil {
		return err
	}
	if err := s.with.Store.AddSigningKey(ctx, act, row); err != nil && !fault.Is(err, fault.Conflict) {
		return err
	}
	return nil
}

// retired returns the lowest generation that is still needed, or 0 when all
// are.
func (s *KeySet) retired(keys line) int {
	now := s.with.Ambient.Now()
	for _, successor := range keys[:len(keys)-1] {
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

// due returns the next time at which Maintain has something to do with the keys:
// the next one's turn, or the retirement of a former one.
func (s *KeySet) due(keys line) time.Time {
	now, due := s.with.Ambient.Now(), keys[0].activeFrom
	for _, successor := range keys[:len(keys)-1] {
		if at := s.retirement(successor); at.After(now) && at.Before(due) {
			due = at
		}
	}
	return due
}
