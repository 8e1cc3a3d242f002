package scim

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	insertCall = `
INSERT INTO scim_calls (connection_id, at, method, path, status, detail, request_id)
SELECT id, cast(:at AS bigint), cast(:method AS text), cast(:path AS text), cast(:status AS bigint),
	cast(:detail AS text), cast(:request_id AS text)
FROM scim_connections WHERE id = :connection_id`

	deleteOldCalls = `
DELETE FROM scim_calls WHERE connection_id = :connection_id AND id <= (
	SELECT id FROM scim_calls WHERE connection_id = :connection_id ORDER BY id DESC LIMIT 1 OFFSET :keep)`

	markTokenUsed = `
UPDATE scim_tokens SET last_used_at = :at WHERE id = :id AND coalesce(last_used_at, 0) < :at`

	selectCalls = `
SELECT connection_id, at, method, path, status, detail, request_id
FROM scim_calls WHERE connection_id = :connection_id ORDER BY id DESC`
)

// RecordSCIMCalls implements storage.SCIMStore. Connections and tokens are taken in
// the order of their ids, so that two of these can't lock each other out.
func (s *SCIM) RecordSCIMCalls(ctx context.Context, calls []storage.SCIMCall, used map[string]time.Time) error {
	calls = slices.Clone(calls)
	slices.SortStableFunc(calls, func(a, b storage.SCIMCall) int {
		return strings.Compare(a.ConnectionID,
			b.ConnectionID)
	})
	return s.write(ctx, func(tx tx) error {
		for i, call := range calls {
			if _, err := tx.Exec(ctx, insertCall, call); err != nil {
				return err
			}
			if i+1 < len(calls) && calls[i+1].ConnectionID == call.ConnectionID {
				continue
			}
			arg := engine.Args{"connection_id": call.ConnectionID, "keep": storage.MaxSCIMCalls}
			if _, err := tx.Exec(ctx, deleteOldCalls, arg); err != nil {
				return err
			}
		}
		for _, id := range slices.Sorted(maps.Keys(used)) {
			if _, err := tx.Exec(ctx, markTokenUsed, engine.Args{"id": id, "at": used[id]}); err != nil {
				return err
			}
		}
		return nil
	})
}

// ListSCIMCalls implements storage.SCIMStore.
func (s *SCIM) ListSCIMCalls(ctx context.Context, connectionID string) ([]storage.SCIMCall, error) {
	return engine.All[storage.SCIMCall](ctx, s.db, selectCalls, engine.Args{"connection_id": connectionID})
}
