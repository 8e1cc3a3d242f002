package tree

import (
	"context"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

type refRow struct {
	Key int64
	storage.Ref
}

// refKeys is a reference with the keys of its ends.
type refKeys struct {
	From, To  endRow
	Extension storage.Extension
	CreatedAt time.Time
	CreatedBy string
}

const (
	refColumns = `from_version, to_version, extension_type, extension_version, extension_data, created_at, created_by`

	deleteRef = `
DELETE FROM refs
WHERE coalesce(from_folder_id, 0) = coalesce(cast(:from_folder_id AS bigint), 0)
	AND coalesce(from_item_id, 0) = coalesce(cast(:from_item_id AS bigint), 0) AND from_version = :from_version
	AND coalesce(to_folder_id, 0) = coalesce(cast(:to_folder_id AS bigint), 0)
	AND coalesce(to_item_id, 0) = coalesce(cast(:to_item_id AS bigint), 0) AND to_version = :to_version
	AND extension_type = :extension_type`
)

var (
	selectRefs = `
SELECT r.id AS key, coalesce(ff.uid, '') AS from_folder_id, coalesce(fi.uid, '') AS from_item_id,
	coalesce(tf.uid, '') AS to_folder_id, coalesce(ti.uid, '') AS to_item_id, ` + engine.InTable("r", refColumns) + `
FROM refs r
LEFT JOIN folders ff ON ff.id = r.from_folder_id LEFT JOIN items fi ON fi.id = r.from_item_id
LEFT JOIN folders tf ON tf.id = r.to_folder_id LEFT JOIN items ti ON ti.id = r.to_item_id`

	insertRef = engine.Insert("refs", "from_folder_id, from_item_id, to_folder_id, to_item_id, "+refColumns) + `
ON CONFLICT DO NOTHING`
)

func (r refRow) record() storage.Ref { return r.Ref }

// ListRefs implements storage.RefStore. The cursor is the id of the last one.
func (s *Tree) ListRefs(ctx context.Context, projectID string, end storage.End, query storage.RefQuery,
	page storage.PageRequest) ([]storage.Ref, string, error) {
	f := engine.NewFilter()
	findRefs(f, projectID, end, query)
	rows, next, err := engine.PageByNumber(ctx, s.db, page, selectRefs, f, "r.id", func(r refRow) int64 { return r.Key })
	return engine.Records(rows, refRow.record), next, err
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
func refSide(f *engine.Filter, mine, other, folder, item, projectID string, end storage.End,
	query storage.RefQuery) string {
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
func (s *Tree) AddRefs(ctx context.Context, change storage.Change, projectID string, from storage.End,
	refs []storage.Ref) error {
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
func (t tx) changeRef(ctx context.Context, change storage.Change, project hubs.ProjectRow, ref storage.Ref,
	query, kind string) error {
	from, err := t.end(ctx, project, ref.From)
	if err != nil {
		return err
	}
	to, err := t.end(ctx, project, ref.To)
	if err != nil {
		return err
	}
	n, err := t.Exec(ctx, query, refKeys{from, to, ref.Extension, change.At, change.Caller.UserID})
	if err != nil || n == 0 {
		return err
	}
	return t.Tell(ctx, change, kind, project.About(from.Subject, from.Folder),
		engine.Detail{"from": endName(ref.From), "to": endName(ref.To), "type": ref.Extension.Type})
}
