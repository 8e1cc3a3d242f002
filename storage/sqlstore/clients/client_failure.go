package clients

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

type clientFailureRow struct {
	ClientID  string         `db:"client_id"`
	At        engine.Instant `db:"at"`
	Kind      string         `db:"kind"`
	Got       string         `db:"got"`
	Expected  string         `db:"expected"`
	Times     int            `db:"times"`
	RequestID string         `db:"request_id"`
	Address   string         `db:"address"`
}

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

func newClientFailureRow(f storage.ClientFailure) clientFailureRow {
	return clientFailureRow{
		ClientID: f.ClientID, At: engine.At(f.At), Kind: string(f.Kind), Got: f.Got, Expected: f.Expected,
		Times: f.Times, RequestID: f.RequestID, Address: f.Address,
	}
}

func (r clientFailureRow) record() storage.ClientFailure {
	return storage.ClientFailure{
		ClientID: r.ClientID, At: r.At.Time, Kind: storage.FailureKind(r.Kind), Got: r.Got, Expected: r.Expected,
		Times: r.Times, RequestID: r.RequestID, Address: r.Address,
	}
}

// RecordClientFailures implements storage.ClientFailureStore. The clients are
// taken in the order of their ids, so that two of these can't lock each other
// out.
func (s *Clients) RecordClientFailures(ctx context.Context, failures []storage.ClientFailure) error {
	failures = slices.Clone(failures)
	slices.SortStableFunc(failures, func(a, b storage.ClientFailure) int { return cmp.Compare(a.ClientID, b.ClientID) })
	return s.write(ctx, func(tx tx) error {
		for i, failure := range failures {
			if _, err := tx.Exec(ctx, insertClientFailure, newClientFailureRow(failure)); err != nil {
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
func (s *Clients) ListClientFailures(ctx context.Context, clientID string, since time.Time) ([]storage.ClientFailure, error) {
	var rows []clientFailureRow
	err := s.db.List(ctx, &rows, selectClientFailures, engine.Args{"client_id": clientID, "since": engine.At(since)})
	return engine.Records(rows, clientFailureRow.record), engine.AsFault(err)
}
