package clients

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	insertClientFailure = `
INSERT INTO client_failures (client_id, at, kind, got, expected, times, request_id, address)
SELECT id, cast(:at AS bigint), cast(:kind AS text), cast(:got AS text), cast(:expected AS text),
	cast(:times AS bigint), cast(:request_id AS text), cast(:address AS text)
FROM clients WHERE id = :client_id`

	deleteOldClientFailures = `
DELETE FROM client_failures WHERE client_id = :client_id AND id <= (
	SELECT id FROM client_failures WHERE client_id = :client_id ORDER BY id DESC LIMIT 1 OFFSET :keep)`

	selectClientFailures = `
SELECT client_id, at, kind, got, expected, times, request_id, address
FROM client_failures WHERE client_id = :client_id AND at >= :since ORDER BY id DESC`
)

// RecordClientFailures implements storage.ClientFailureStore. The clients are
// taken in the order of their ids, so that two of these can't lock each other
// out, and what was refused as it came.
func (s *Clients) RecordClientFailures(ctx context.Context, failures []storage.ClientFailure) error {
	failures = slices.Clone(failures)
	slices.SortStableFunc(failures, func(a, b storage.ClientFailure) int {
		return cmp.Or(cmp.Compare(a.ClientID, b.ClientID), a.At.Compare(b.At))
	})
	return s.write(ctx, func(tx tx) error {
		for i, failure := range failures {
			if _, err := tx.Exec(ctx, insertClientFailure, failure); err != nil {
				return err
			}
			if i+1 < len(failures) && failures[i+1].ClientID == failure.ClientID {
				continue
			}
			arg := engine.Args{"client_id": failure.ClientID, "keep": storage.MaxClientFailures}
			if _, err := tx.Exec(ctx, deleteOldClientFailures, arg); err != nil {
				return err
			}
		}
		return nil
	})
}

// ListClientFailures implements storage.ClientFailureStore.
func (s *Clients) ListClientFailures(ctx context.Context, clientID string,
	since time.Time) ([]storage.ClientFailure, error) {
	return engine.All[storage.ClientFailure](ctx, s.db, selectClientFailures,
		engine.Args{"client_id": clientID, "since": since})
}
