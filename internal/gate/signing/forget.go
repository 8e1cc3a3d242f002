package signing

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
)

// ReasonKeysOpen is the reason of the Conflict of forgetting keys that are of use.
const ReasonKeysOpen = "keys_open"

// Forget removes the keys before the one that signs, of each algorithm: their tokens are
// refused from then on, here at once and within a second elsewhere. It is for keys that
// somebody else has.
func (s *KeySet) Forget(ctx context.Context, act storage.Act) error {
	v, err := s.load(ctx)
	if err != nil {
		return err
	}
	for _, f := range families {
		active := v.lines[f.algorithm].active(act.At)
		if active == nil {
			continue
		}
		if err := s.with.Store.DeleteSigningKeys(ctx, act, f.algorithm, active.generation); err != nil {
			return err
		}
	}
	_, err = s.load(ctx)
	return err
}

// ForgetSealed removes all keys, for a server whose secret is lost: Open makes others, and
// no token of before is good any more. Conflict (ReasonKeysOpen) while the secret opens
// any of them.
func ForgetSealed(ctx context.Context, options Options, act storage.Act) error {
	rows, err := options.Store.ListSigningKeys(ctx)
	if err != nil {
		return err
	}
	if len(rows) > 0 && CheckSecret(options.Ring, rows) == nil {
		return fault.New(fault.Conflict, ReasonKeysOpen,
			"The secret opens the signing keys, so there is no need to forget them: rotate them.")
	}
	newest := map[string]int{}
	for _, row := range rows {
		newest[row.Algorithm] = max(newest[row.Algorithm], row.Generation)
	}
	for algorithm, generation := range newest {
		if err := options.Store.DeleteSigningKeys(ctx, act, algorithm, generation+1); err != nil {
			return err
		}
	}
	return nil
}

// CheckSecret refuses a ring that opens none of the keys that there are: it is of another
// secret than the server's, which could not open what is sealed by it.
func CheckSecret(ring *sealing.Ring, rows []storage.SigningKey) error {
	for _, row := range rows {
		if _, _, err := ring.Open(sealLabel, row.Sealed, []byte(row.KID)); err == nil {
			return nil
		}
	}
	if len(rows) > 0 {
		return errSealed
	}
	return nil
}
