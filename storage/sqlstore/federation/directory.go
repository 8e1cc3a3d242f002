package federation

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	insertDirectory = `
INSERT INTO directories (upstream_id, people, groups, changed, missing, skipped, outcome, detail)
VALUES (:id, 0, 0, 0, 0, 0, '', '')`

	selectNamesakes = `
SELECT id FROM scim_connections WHERE name_key = :name_key AND id <> :id`

	deleteConnection = `
DELETE FROM scim_connections WHERE id = :id`

	// Its people are of no directory from then on.
	forgetDomain = `
UPDATE users SET profile = {profile without ldap_domain}, updated_at = :at
WHERE id IN (SELECT user_id FROM scim_users WHERE connection_id = :id)`

	walkColumns = `began_at, ended_at, outcome, detail, people, groups, changed, missing, skipped`

	selectWalk = `
SELECT upstream_id, ` + walkColumns + ` FROM directories WHERE upstream_id = :id`

	fromDirectoryPeople = `
SELECT i.upstream_id, i.issuer, i.subject, i.user_id, i.email, i.linked_at, i.last_at, i.ended_at,
	s.user_id IS NOT NULL AS owned, coalesce(s.active, i.ended_at IS NULL) AS active, coalesce(s.document, '') AS document
FROM upstream_identities i
LEFT JOIN scim_users s ON s.user_id = i.user_id AND s.connection_id = i.upstream_id
WHERE i.upstream_id = `

	selectDirectoryPeople = fromDirectoryPeople + `? AND i.issuer = ? AND i.subject IN (?)`

	listDirectoryPeople = fromDirectoryPeople + `:id AND i.ended_at IS NULL AND i.subject > :after
ORDER BY i.subject LIMIT :limit`
)

var (
	connectionColumns = `name, name_key, domains, group_prefix, disabled`

	insertConnection = engine.Insert("scim_connections", "id, created_at, "+connectionColumns) + `
ON CONFLICT DO NOTHING`

	updateConnection = `
UPDATE scim_connections SET ` + engine.Assign(connectionColumns) + ` WHERE id = :id`

	selectDirectories = `
SELECT d.upstream_id, ` + engine.InTable("d", walkColumns) + `, c.group_prefix,
	(SELECT count(*) FROM upstream_identities i WHERE i.upstream_id = d.upstream_id AND i.ended_at IS NULL) AS connected
FROM directories d JOIN scim_connections c ON c.id = d.upstream_id`

	updateWalk = `
UPDATE directories SET ` + engine.Assign(walkColumns) + ` WHERE upstream_id = :upstream_id`
)

// connectionRow is the connection to which the people of a directory belong.
type connectionRow struct {
	storage.SCIMConnection
	NameKey string
}

func newConnectionRow(c storage.SCIMConnection) connectionRow {
	return connectionRow{c, textkey.Fold(c.Name)}
}

// personRow is a person of a directory.
type personRow struct {
	storage.UpstreamIdentity
	Owned, Active bool
	Document      string
}

func (r personRow) record() storage.DirectoryPerson {
	return storage.DirectoryPerson{UpstreamIdentity: r.UpstreamIdentity, Owned: r.Owned, Active: r.Active,
		Document: []byte(r.Document)}
}

func takenName() *fault.Error {
	return fault.New(fault.Conflict, storage.ReasonDirectoryNameTaken, "Another directory or connection has this name.")
}

// CreateDirectory implements storage.DirectoryStore.
func (s *Federation) CreateDirectory(ctx context.Context, act storage.Act, upstream storage.Upstream,
	connection storage.SCIMConnection) error {
	return s.write(ctx, func(t tx) error {
		if err := t.insertUpstream(ctx, act, upstream); err != nil {
			return err
		}
		if err := t.ExecOne(ctx, takenName(), insertConnection, newConnectionRow(connection)); err != nil {
			return err
		}
		_, err := t.Exec(ctx, insertDirectory, engine.Args{"id": upstream.ID})
		return err
	})
}

// UpdateDirectory implements storage.DirectoryStore.
func (s *Federation) UpdateDirectory(ctx context.Context, act storage.Act, upstream storage.Upstream,
	connection storage.SCIMConnection, disabled *bool) error {
	return s.end(ctx, func(ctx context.Context, t tx) error {
		if err := t.updateUpstream(ctx, act, upstream, storage.UpstreamEnds{Disabled: disabled}); err != nil {
			return err
		}
		var others []string
		if err := t.List(ctx, &others, selectNamesakes, newConnectionRow(connection)); err != nil {
			return err
		}
		if len(others) > 0 {
			return takenName()
		}
		return t.ExecOne(ctx, engine.Absent("directory"), updateConnection, newConnectionRow(connection))
	})
}

// DeleteDirectory implements storage.DirectoryStore.
func (s *Federation) DeleteDirectory(ctx context.Context, act storage.Act, id string) error {
	return s.end(ctx, func(ctx context.Context, t tx) error {
		if err := t.deleteUpstream(ctx, act, id); err != nil {
			return err
		}
		return t.ExecEach(ctx, engine.Args{"id": id, "at": act.At}, forgetDomain, deleteConnection)
	})
}

// FindDirectories implements storage.DirectoryStore.
func (s *Federation) FindDirectories(ctx context.Context, ids []string) ([]storage.Directory, error) {
	f := engine.NewFilter()
	f.Add(f.Among("d.upstream_id", ids))
	return engine.All[storage.Directory](ctx, s.db, selectDirectories+f.Clause(), f.Args)
}

// NoteWalk implements storage.DirectoryStore.
func (s *Federation) NoteWalk(ctx context.Context, act storage.Act, walk storage.DirectoryWalk) error {
	return s.write(ctx, func(t tx) error {
		var last storage.DirectoryWalk
		if err := t.Get(ctx, &last, selectWalk, engine.Args{"id": walk.UpstreamID}); err != nil {
			return engine.OrAbsentRow(err, "directory")
		}
		if _, err := t.Exec(ctx, updateWalk, walk); err != nil {
			return err
		}
		if walk.Outcome == last.Outcome || walk.Outcome == storage.WalkDone {
			return nil
		}
		return t.Audit(ctx, act, "directory.walk_"+walk.Outcome, walk.UpstreamID,
			engine.Detail{"missing": walk.Missing, "people": walk.People, "why": walk.Detail})
	})
}

// FindDirectoryPeople implements storage.DirectoryStore.
func (s *Federation) FindDirectoryPeople(ctx context.Context, id, issuer string,
	subjects []string) ([]storage.DirectoryPerson, error) {
	var rows []personRow
	err := engine.ReadAmong(ctx, s.db, &rows, selectDirectoryPeople, subjects, id, issuer)
	return engine.Records(rows, personRow.record), engine.AsFault(err)
}

// ListDirectoryPeople implements storage.DirectoryStore.
func (s *Federation) ListDirectoryPeople(ctx context.Context, id, after string,
	limit int) ([]storage.DirectoryPerson, error) {
	rows, err := engine.All[personRow](ctx, s.db, listDirectoryPeople,
		engine.Args{"id": id, "after": after, "limit": limit})
	return engine.Records(rows, personRow.record), err
}
