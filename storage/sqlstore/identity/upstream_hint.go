package identity

import (
	"context"

	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	insertHint = `
INSERT INTO upstream_hints (session_id, hint) VALUES (:id, :hint)`

	deleteHint = `
DELETE FROM upstream_hints WHERE session_id = :id`
)

// keepHint keeps what an upstream is told when the session's person signs out there.
func (t Tx) keepHint(ctx context.Context, sessionID string, hint []byte) error {
	if hint == nil {
		return nil
	}
	_, err := t.Exec(ctx, insertHint, engine.Args{"id": sessionID, "hint": hint})
	return err
}

// renewHint forgets what was kept of the sign-in before.
func (t Tx) renewHint(ctx context.Context, sessionID string, hint []byte) error {
	if _, err := t.Exec(ctx, deleteHint, engine.Args{"id": sessionID}); err != nil {
		return err
	}
	return t.keepHint(ctx, sessionID, hint)
}
