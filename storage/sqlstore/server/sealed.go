package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// sealedColumn is where the boxes of a column are.
type sealedColumn struct {
	table, box string
	key        []string // up to three columns of texts, or one of bytes
	bytes      bool
	bound      string
	moves      string // what tells whoever read the row before, where they would put the whole back
}

// sealedColumns are all of them.
func sealedColumns() map[storage.SealedColumn]sealedColumn {
	ofSession := "(SELECT upstream_id FROM login_sessions WHERE id = session_id)"
	return map[storage.SealedColumn]sealedColumn{
		storage.SealedSigningKeys:      {"signing_keys", "sealed", []string{"kid"}, false, "kid", ""},
		storage.SealedOtherSigningKeys: {"other_signing_keys", "sealed", []string{"kid"}, false, "kid", ""},
		storage.SealedAuthenticators:   {"authenticators", "secret", []string{"user_id"}, false, "user_id", ""},
		storage.SealedWebhooks:         {"webhooks", "secret", []string{"uid"}, false, "uid", ""},
		storage.SealedUpstreams:        {"upstreams", "secret", []string{"id"}, false, "id", ", updated_at = updated_at + 1"},
		storage.SealedHints:            {"upstream_hints", "hint", []string{"session_id"}, false, ofSession, ""},
		storage.SealedRechecks: {"upstream_rechecks", "token", []string{"upstream_id", "issuer", "subject"}, false,
			"upstream_id || ' ' || subject", ""},
		storage.SealedMails: {"mails", "sealed", []string{"uid"}, false, "uid", ""},
		storage.SealedForms: {"sent_forms", "page", []string{"key"}, true, "key", ""},
	}
}

// sealedRow is a box with its key.
type sealedRow struct{ K0, K1, K2, Bound, Box []byte }

// args are the parts of a key, by name.
func (c sealedColumn) args(key []string) engine.Args {
	args := engine.Args{}
	for i := range c.key {
		part := ""
		if i < len(key) {
			part = key[i]
		}
		args[fmt.Sprint("k", i)] = any(part)
		if c.bytes {
			args[fmt.Sprint("k", i)] = []byte(part)
		}
	}
	return args
}

func (c sealedColumn) list() string {
	columns, marks := "", ""
	for i := range c.key {
		columns += fmt.Sprintf("%s AS k%d, ", c.key[i], i)
		marks += fmt.Sprintf(", :k%d", i)
	}
	key := strings.Join(c.key, ", ")
	return "\nSELECT " + columns + c.bound + " AS bound, " + c.box + " AS box\nFROM " + c.table +
		" WHERE " + c.box + " IS NOT NULL AND (" + key + ") > (" + marks[2:] + ")\nORDER BY " + key + " LIMIT :limit"
}

func (c sealedColumn) replace() string {
	same := ""
	for i := range c.key {
		same += fmt.Sprintf("%s = :k%d AND ", c.key[i], i)
	}
	return "\nUPDATE " + c.table + " SET " + c.box + " = :fresh" + c.moves + " WHERE " + same + c.box + " = :was"
}

// ListSealed implements storage.SealedStore.
func (s *Server) ListSealed(ctx context.Context, column storage.SealedColumn, after []string,
	limit int) ([]storage.SealedBox, error) {
	c := sealedColumns()[column]
	args := c.args(after)
	args["limit"] = limit
	rows, err := engine.All[sealedRow](ctx, s.db, c.list(), args)
	return engine.Records(rows, func(r sealedRow) storage.SealedBox {
		key := []string{string(r.K0), string(r.K1), string(r.K2)}
		return storage.SealedBox{Key: key[:len(c.key)], Bound: r.Bound, Box: r.Box}
	}), err
}

// Reseal implements storage.SealedStore.
func (s *Server) Reseal(ctx context.Context, column storage.SealedColumn, was storage.SealedBox, fresh []byte) error {
	c := sealedColumns()[column]
	args := c.args(was.Key)
	args["was"], args["fresh"] = was.Box, fresh
	_, err := s.db.WriteOne(ctx, c.replace(), args)
	return err
}
