package tree

import (
	"context"
	"strconv"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

type hyperlinkRow struct {
	ID       int64  `db:"id"`
	UID      string `db:"uid"`
	Href     string `db:"href"`
	MimeType string `db:"mime_type"`
	hubs.ExtensionRow
	CreatedAt engine.Instant `db:"created_at"`
	CreatedBy string         `db:"created_by"`
}

const (
	selectHyperlinks = `
SELECT l.id, l.uid, l.href, l.mime_type, l.extension_type, l.extension_version, l.extension_data, l.created_at, l.created_by
FROM links l`

	insertHyperlink = `
INSERT INTO links (uid, folder_id, item_id, version, href, mime_type, extension_type, extension_version, extension_data,
	created_at, created_by)
VALUES (:uid, :folder_id, :item_id, :version, :href, :mime_type, :extension_type, :extension_version, :extension_data,
	:created_at, :created_by)`

	deleteHyperlink = `
DELETE FROM links WHERE uid = :uid AND coalesce(folder_id, 0) = coalesce(cast(:folder_id AS bigint), 0)
	AND coalesce(item_id, 0) = coalesce(cast(:item_id AS bigint), 0) AND version = :version`
)

func (r hyperlinkRow) record() storage.Link {
	return storage.Link{
		ID: r.UID, Href: r.Href, MimeType: r.MimeType, Extension: r.ExtensionRow.Record(),
		CreatedAt: r.CreatedAt.Time, CreatedBy: r.CreatedBy,
	}
}

// ListLinks implements storage.LinkStore. The cursor is the id of the last one.
func (s *Tree) ListLinks(ctx context.Context, projectID string, of storage.End, page storage.PageRequest) ([]storage.Link, string, error) {
	limit, err := engine.PageLimit(page)
	if err != nil {
		return nil, "", err
	}
	f := engine.NewFilter()
	f.Add(atEnd(f, "l.", of, projectID))
	if page.After != "" {
		after, err := engine.ParseNumber(page.After)
		if err != nil {
			return nil, "", err
		}
		f.Add("l.id > " + f.Bind(after))
	}
	var rows []hyperlinkRow
	if err := s.db.List(ctx, &rows, selectHyperlinks+f.Clause()+"\nORDER BY l.id LIMIT "+f.Bind(limit+1), f.Args); err != nil {
		return nil, "", engine.AsFault(err)
	}
	rows, next := engine.CutPage(rows, limit, func(r hyperlinkRow) string { return strconv.FormatInt(r.ID, 10) })
	return engine.Records(rows, hyperlinkRow.record), next, nil
}

// FindLinks implements storage.LinkStore.
func (s *Tree) FindLinks(ctx context.Context, projectID string, of storage.End, ids []string) ([]storage.Link, error) {
	f := engine.NewFilter()
	f.Add(atEnd(f, "l.", of, projectID))
	f.Add(f.Among("l.uid", ids))
	var rows []hyperlinkRow
	err := s.db.List(ctx, &rows, selectHyperlinks+f.Clause()+"\nORDER BY l.id", f.Args)
	return engine.Records(rows, hyperlinkRow.record), engine.AsFault(err)
}

// AddLinks implements storage.LinkStore.
func (s *Tree) AddLinks(ctx context.Context, change storage.Change, projectID string, of storage.End, links []storage.Link) error {
	return s.inOpenProject(ctx, projectID, hubs.Together, func(tx tx, project hubs.ProjectRow) error {
		end, err := tx.end(ctx, project, of)
		if err != nil {
			return err
		}
		for _, link := range links {
			extension := hubs.NewExtensionRow(link.Extension)
			arg := hyperlinkArgs(end, link.ID)
			arg["href"], arg["mime_type"] = link.Href, link.MimeType
			arg["extension_type"], arg["extension_version"], arg["extension_data"] = extension.Type, extension.Version, extension.Data
			arg["created_at"], arg["created_by"] = engine.At(change.At), change.Caller.UserID
			if _, err := tx.Exec(ctx, insertHyperlink, arg); err != nil {
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
func (s *Tree) RemoveLinks(ctx context.Context, change storage.Change, projectID string, of storage.End, ids []string) error {
	return s.inOpenProject(ctx, projectID, hubs.Together, func(tx tx, project hubs.ProjectRow) error {
		end, err := tx.end(ctx, project, of)
		if err != nil {
			return err
		}
		for _, id := range ids {
			n, err := tx.Exec(ctx, deleteHyperlink, hyperlinkArgs(end, id))
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

func hyperlinkArgs(end endRow, id string) engine.Args {
	return engine.Args{"uid": id, "folder_id": end.FolderID, "item_id": end.ItemID, "version": end.Version}
}

func (t tx) tellOfLink(ctx context.Context, change storage.Change, project hubs.ProjectRow, end endRow, id, kind string) error {
	return t.Tell(ctx, change, kind, project.About(end.Subject, end.Folder), engine.Detail{"link": id, "version": end.Version})
}
