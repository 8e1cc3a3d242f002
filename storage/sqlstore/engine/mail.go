package engine

import (
	"context"

	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
)

const insertMail = `
INSERT INTO mails (uid, kind, user_id, address, address_key, words, sealed, taken, created_at, attempts, last_status, failure, next_at)
VALUES (:uid, :kind, :user_id, :address, :address_key, :words, :sealed, 0, :at, 0, 0, '', :at)`

// post keeps the mails of the act, once in a transaction.
func (t Tx) post(ctx context.Context, act storage.Act) error {
	if *t.posted {
		return nil
	}
	*t.posted = true
	for _, m := range act.Mails {
		_, err := t.Exec(ctx, insertMail, Args{
			"uid": m.UID, "kind": m.Kind, "user_id": m.UserID, "address": m.To, "address_key": textkey.Fold(m.To),
			"words": m.Words, "sealed": m.Link, "at": act.At,
		})
		if err != nil {
			return err
		}
	}
	return nil
}
