package tree

import (
	"context"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

// linkRow is a link with its key and what has it.
type linkRow struct {
	Key int64
	endRow
	storage.Link
}

const (
	linkColumns = `uid=id, href, mime_type, extension_type, extension_version, extension_data, created_at, created_by`

	deleteHyperlink = `
DELETE FROM links WHERE uid = :id AND coalesce(folder_id, 0) = coalesce(cast(:folder_id AS bigint), 0)
	AND coalesce(item_id, 0) = coalesce(cast(:item_id AS bigint), 0) AND version = :version`
)

var (
	insertHyperlink = engine.Insert("links", "folder_id, item_id, version, "+linkColumns)

	selectHyperlinks = `
SELECT l.id AS key, ` + engine.InTable("l", linkColumns) + `
FROM links l`
)

func (r linkRow) record() storage.Link { return r.Link }

// ListLinks implements storage.LinkStore. The cursor is the id of the last one.
func (s *Tree) ListLinks(ctx context.Context, projectID string, of storage.End,
	page storage.PageRequest) ([]storage.Link, string, error) {
	f := engine.NewFilter()
	f.Add(atEnd(f, "l.", of, projectID))
	rows, next, err := engine.PageByNumber(ctx, s.db, page, selectHyperlinks, f, "l.id",
		func(r linkRow) int64 { return r.Key })
	return engine.Records(rows, linkRow.record), next, err
}

// FindLinks implements storage.LinkStore.
func (s *Tree) FindLinks(ctx context.Context, projectID string, of storage.End, ids []string) ([]storage.Link, error) {
	f := engine.NewFilter()
	f.Add(atEnd(f, "l.", of, projectID))
	f.Add(f.Among("l.uid", ids))
	rows, err := engine.All[linkRow](ctx, s.db, selectHyperlinks+f.Clause()+"\nORDER BY l.id", f.Args)
	return engine.Records(rows, linkRow.record), err
}

// AddLinks implements storage.LinkStore.
func (s *Tree) AddLinks(ctx context.Context, change storage.Change, projectID string, of storage.End,
	links []storage.Link) error {
	return s.inOpenProject(ctx, projectID, hubs.Together, func(tx tx, project hubs.ProjectRow) error {
		end, err := tx.end(ctx, project, of)
		if err != nil {
			return err
		}
		for _, link := range links {
			link.CreatedAt, link.CreatedBy = change.At, change.Caller.UserID
			if _, err := tx.Exec(ctx, insertHyperlink, linkRow{endRow: end, Link: link}); err != nil {
				return err
			}
			if err := tx.tellOfLink(ctx, change, project, end, link.ID, storage.EventLinkAdded); err != nil {
				return err
			}
		}
		return nil
	})
}

// RemoveLinks implements storage.LinkStore.
func (s *Tree) RemoveLinks(ctx context.Context, change storage.Change, projectID string,
	of storage.End, ids []string) error {
	return s.inOpenProject(ctx, projectID, hubs.Together, func(tx tx, project hubs.ProjectRow) error {
		end, err := tx.end(ctx, project, of)
		if err != nil {
			return err
		}
		for _, id := range ids {
			n, err := tx.Exec(ctx, deleteHyperlink, linkRow{endRow: end, Link: storage.Link{ID: id}})
			if err != nil {
				return err
			}
			if n == 0 {
				continue
			}
			if err := tx.tellOfLink(ctx, change, project, end, id, storage.EventLinkRemoved); err != nil {
				return err
			}
		}
		return nil
	})
}

func (t tx) tellOfLink(ctx context.Context, change storage.Change, project hubs.ProjectRow, end endRow,
	id, kind string) error {
	return t.Tell(ctx, change, kind, project.About(end.Subject, end.Folder),
		engine.Detail{"link": id, "version": end.Version})
}
