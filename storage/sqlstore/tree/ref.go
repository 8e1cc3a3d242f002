package tree

import (
	"context"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

type refRow struct {
	ID          int64  `db:"id"`
	FromFolder  string `db:"from_folder"`
	FromItem    string `db:"from_item"`
	FromVersion int    `db:"from_version"`
	ToFolder    string `db:"to_folder"`
	ToItem      string `db:"to_item"`
	ToVersion   int    `db:"to_version"`
	hubs.ExtensionRow
	CreatedAt engine.Instant `db:"created_at"`
	CreatedBy string         `db:"created_by"`
}

const (
	selectRefs = `
SELECT r.id, coalesce(ff.uid, '') AS from_folder, coalesce(fi.uid, '') AS from_item, r.from_version,
	coalesce(tf.uid, '') AS to_folder, coalesce(ti.uid, '') AS to_item, r.to_version,
	r.extension_type, r.extension_version, r.extension_data, r.created_at, r.created_by
FROM refs r
LEFT JOIN folders ff ON ff.id = r.from_folder_id LEFT JOIN items fi ON fi.id = r.from_item_id
LEFT JOIN folders tf ON tf.id = r.to_folder_id LEFT JOIN items ti ON ti.id = r.to_item_id`

	insertRef = `
INSERT INTO refs (from_folder_id, from_item_id, from_version, to_folder_id, to_item_id, to_version,
	extension_type, extension_version, extension_data, created_at, created_by)
VALUES (:from_folder_id, :from_item_id, :from_version, :to_folder_id, :to_item_id, :to_version,
	:extension_type, :extension_version, :extension_data, :created_at, :created_by)
ON CONFLICT DO NOTHING`

	deleteRef = `
DELETE FROM refs
WHERE coalesce(from_folder_id, 0) = coalesce(cast(:from_folder_id AS bigint), 0)
	AND coalesce(from_item_id, 0) = coalesce(cast(:from_item_id AS bigint), 0) AND from_version = :from_version
	AND coalesce(to_folder_id, 0) = coalesce(cast(:to_folder_id AS bigint), 0)
	AND coalesce(to_item_id, 0) = coalesce(cast(:to_item_id AS bigint), 0) AND to_version = :to_version
	AND extension_type = :extension_type`
)

func (r refRow) record() storage.Ref {
	return storage.Ref{
		From:      storage.End{FolderID: r.FromFolder, ItemID: r.FromItem, Version: r.FromVersion},
		To:        storage.End{FolderID: r.ToFolder, ItemID: r.ToItem, Version: r.ToVersion},
		Extension: r.ExtensionRow.Record(), CreatedAt: r.CreatedAt.Time, CreatedBy: r.CreatedBy,
	}
}

// ListRefs implements storage.RefStore. The cursor is the id of the last one.
func (s *Tree) ListRefs(ctx context.Context, projectID string, end storage.End, query storage.RefQuery, page storage.PageRequest) ([]storage.Ref, string, error) {
	limit, err := engine.PageLimit(page)
	if err != nil {
		return nil, "", err
	}
	f := engine.NewFilter()
	findRefs(f, projectID, end, query)
	if page.After != "" {
		after, err := engine.ParseNumber(page.After)
		if err != nil {
			return nil, "", err
		}
		f.Add("r.id > " + f.Bind(after))
	}
	if f.Err != nil {
		return nil, "", f.Err
	}
	var rows []refRow
	text := selectRefs + f.Clause() + "\nORDER BY r.id LIMIT " + f.Bind(limit+1)
	if err := s.db.List(ctx, &rows, text, f.Args); err != nil {
		return nil, "", engine.AsFault(err)
	}
	rows, next := engine.CutPage(rows, limit, func(r refRow) string { return strconv.FormatInt(r.ID, 10) })
	return engine.Records(rows, refRow.record), next, nil
}

// findRefs keeps the references of an end.
func findRefs(f *engine.Filter, projectID string, end storage.End, query storage.RefQuery) {
	var sides []string
	if !query.NoOutward {
		sides = append(sides, refSide(f, "r.from_", "r.to_", "tf", "ti", projectID, end, query))
	}
	if !query.NoInward {
		sides = append(sides, refSide(f, "r.to_", "r.from_", "ff", "fi", projectID, end, query))
	}
	if len(sides) == 0 {
		sides = []string{"1 = 0"}
	}
	f.Add("(" + strings.Join(sides, " OR ") + ")")
	f.Text("r.extension_type", query.ExtensionTypes)
}

// refSide is the condition for those that have the end on one side, and on the
// other, whose folder and item have the given tables, what the query wants.
func refSide(f *engine.Filter, mine, other, folder, item, projectID string, end storage.End, query storage.RefQuery) string {
	all := []string{atEnd(f, mine, end, projectID)}
	if query.NoFolders {
		all = append(all, other+"folder_id IS NULL")
	}
	if query.NoItems {
		all = append(all, "("+other+"item_id IS NULL OR "+other+"version > 0)")
	}
	if query.NoVersions {
		all = append(all, other+"version = 0")
	}
	if query.ByEnd {
		ends := []string{"1 = 0"}
		for _, e := range query.Ends {
			if e.FolderID != "" {
				ends = append(ends, folder+".uid = "+f.Bind(e.FolderID))
				continue
			}
			ends = append(ends, "("+item+".uid = "+f.Bind(e.ItemID)+" AND "+other+"version = "+f.Bind(e.Version)+")")
		}
		all = append(all, "("+strings.Join(ends, " OR ")+")")
	}
	return "(" + strings.Join(all, " AND ") + ")"
}

// AddRefs implements storage.RefStore.
func (s *Tree) AddRefs(ctx context.Context, change storage.Change, projectID string, from storage.End, refs []storage.Ref) error {
	return s.inOpenProject(ctx, projectID, hubs.Together, func(tx tx, project hubs.ProjectRow) error {
		for _, ref := range refs {
			ref.From = from
			if ref.From == ref.To {
				return fault.New(fault.Invalid, storage.ReasonSameEnd, "A reference leads to something else.")
			}
			if err := tx.changeRef(ctx, change, project, ref, insertRef, storage.EventRefAdded); err != nil {
				return err
			}
		}
		return nil
	})
}

// RemoveRefs implements storage.RefStore.
func (s *Tree) RemoveRefs(ctx context.Context, change storage.Change, projectID string, refs []storage.Ref) error {
	return s.inOpenProject(ctx, projectID, hubs.Together, func(tx tx, project hubs.ProjectRow) error {
		for _, ref := range refs {
			err := tx.changeRef(ctx, change, project, ref, deleteRef, storage.EventRefRemoved)
			if fault.Is(err, fault.NotFound) {
				continue // it went with one of its ends
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// changeRef runs a statement on one reference, and tells of it when that has
// changed something.
func (t tx) changeRef(ctx context.Context, change storage.Change, project hubs.ProjectRow, ref storage.Ref, query, kind string) error {
	from, err := t.end(ctx, project, ref.From)
	if err != nil {
		return err
	}
	to, err := t.end(ctx, project, ref.To)
	if err != nil {
		return err
	}
	extension := hubs.NewExtensionRow(ref.Extension)
	n, err := t.Exec(ctx, query, engine.Args{
		"from_folder_id": from.FolderID, "from_item_id": from.ItemID, "from_version": from.Version,
		"to_folder_id": to.FolderID, "to_item_id": to.ItemID, "to_version": to.Version,
		"extension_type": extension.Type, "extension_version": extension.Version, "extension_data": extension.Data,
		"created_at": engine.At(change.At), "created_by": change.Caller.UserID,
	})
	if err != nil || n == 0 {
		return err
	}
	return t.Tell(ctx, change, kind, project.About(from.Subject, from.Folder),
		engine.Detail{"from": endName(ref.From), "to": endName(ref.To), "type": ref.Extension.Type})
}
