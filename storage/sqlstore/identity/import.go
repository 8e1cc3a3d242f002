package identity

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	insertImport = `
INSERT INTO imports (id, user_id, file, at) VALUES (:id, :user_id, :file, :at)`

	selectImport = `
SELECT id, user_id, file, at FROM imports WHERE id = :id AND user_id = :user_id AND at > :since`

	deleteImport = `
DELETE FROM imports WHERE id = :id`

	selectEmailKeys    = `SELECT email_key FROM users WHERE email_key IN (?)`
	selectUsernameKeys = `SELECT username_key FROM users WHERE username_key IN (?)`
)

// KeepImport implements storage.ImportStore.
func (s *Identity) KeepImport(ctx context.Context, file storage.Import) error {
	_, err := s.db.WriteOne(ctx, insertImport, file)
	return err
}

// FindImport implements storage.ImportStore.
func (s *Identity) FindImport(ctx context.Context, userID, id string, now time.Time) (storage.Import, error) {
	return engine.Find[storage.Import](ctx, s.db, "file", selectImport,
		engine.Args{"id": id, "user_id": userID, "since": now.Add(-storage.KeepImports)})
}

// DropImport implements storage.ImportStore.
func (s *Identity) DropImport(ctx context.Context, id string) error {
	_, err := s.db.WriteOne(ctx, deleteImport, engine.Args{"id": id})
	return err
}

// FindLogins implements storage.ImportStore.
func (s *Identity) FindLogins(ctx context.Context, logins []string) (map[string]bool, error) {
	byKey, keys := map[string][]string{}, make([]string, len(logins))
	for i, login := range logins {
		keys[i] = textkey.Fold(login)
		byKey[keys[i]] = append(byKey[keys[i]], login)
	}
	found := map[string]bool{}
	for _, query := range []string{selectEmailKeys, selectUsernameKeys} {
		var taken []string
		if err := engine.ReadAmong(ctx, s.db, &taken, query, keys); err != nil {
			return nil, engine.AsFault(err)
		}
		for _, key := range taken {
			for _, login := range byKey[key] {
				found[login] = true
			}
		}
	}
	return found, nil
}

// CreateUsers implements storage.ImportStore. Who is in the way is looked for
// before; of two imports at the same moment the unique index lets one through.
func (s *Identity) CreateUsers(ctx context.Context, act storage.Act, users []storage.User) error {
	rows := make([]userRow, len(users))
	ids := make([]string, len(users))
	for i, u := range users {
		rows[i], ids[i] = newUserRow(u), u.ID
	}
	return s.write(ctx, func(tx Tx) error {
		if err := tx.noneTaken(ctx, rows); err != nil {
			return err
		}
		table, err := engine.TableOf(tx.Tx, "users", userColumns+", "+userKeyColumns+", password_hash", rows)
		if err != nil {
			return err
		}
		if err := tx.InsertAll(ctx, table); err != nil {
			return err
		}
		return tx.AuditAll(ctx, act, "user.created", ids)
	})
}

// noneTaken is a Conflict when somebody has an address or a name of the rows, or two
// of them have.
func (t Tx) noneTaken(ctx context.Context, rows []userRow) error {
	var emails, names []string
	for _, r := range rows {
		emails = append(emails, r.EmailKey)
		if r.UsernameKey != nil {
			names = append(names, *r.UsernameKey)
		}
	}
	for _, kind := range []struct {
		query string
		keys  []string
		taken error
	}{{selectEmailKeys, emails, emailTaken()}, {selectUsernameKeys, names, usernameTaken()}} {
		var taken []string
		if err := engine.Among(ctx, t, &taken, kind.query, kind.keys); err != nil {
			return err
		}
		seen := map[string]bool{}
		for _, key := range kind.keys {
			if seen[key] || len(taken) > 0 {
				return kind.taken
			}
			seen[key] = true
		}
	}
	return nil
}
