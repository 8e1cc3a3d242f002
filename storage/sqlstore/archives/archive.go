package archives

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// archiveRow is an archive with the keys of the tables.
type archiveRow struct {
	ProjectKey int64
	storage.Archive
}

type pageRow struct {
	ArchiveID string
	storage.ArchivePage
}

const (
	archiveColumns = `id, owner, name, files, missing, size, central, created_at, expires_at`

	pageColumns = `start, central, entries`

	selectProjectKey = `
SELECT id FROM projects WHERE uid = :uid`

	dropOldest = `
DELETE FROM archives WHERE owner = :owner AND id NOT IN (
	SELECT id FROM archives WHERE owner = :owner ORDER BY created_at DESC, id LIMIT :limit)`

	selectPage = `
SELECT ` + pageColumns + ` FROM archive_pages WHERE archive_id = :id AND start <= :at ORDER BY start DESC LIMIT 1`

	selectCentralPage = `
SELECT ` + pageColumns + ` FROM archive_pages WHERE archive_id = :id AND central <= :at ORDER BY central DESC LIMIT 1`

	deleteArchive = `
DELETE FROM archives WHERE id = :id`

	selectAnyInfected = `
SELECT blob FROM objects WHERE blob IN (?) AND scan = 'infected'`
)

var (
	insertArchive = engine.Insert("archives", "project_id=project_key, "+archiveColumns)
	insertPage    = engine.Insert("archive_pages", "archive_id, "+pageColumns)

	selectArchive = `
SELECT p.uid AS project_id, ` + engine.InTable("a", archiveColumns) + `
FROM archives a JOIN projects p ON p.id = a.project_id
WHERE a.id = :id AND a.expires_at > :now`

	sweepArchives = engine.Sweeping("archives", "id", "expires_at <= :before")
)

// CreateArchive implements storage.ArchiveStore.
func (s *Archives) CreateArchive(ctx context.Context, archive storage.Archive, pages []storage.ArchivePage) error {
	return s.db.Write(ctx, func(t engine.Tx) error {
		row := archiveRow{Archive: archive}
		if err := t.Get(ctx, &row.ProjectKey, selectProjectKey, engine.Args{"uid": archive.ProjectID}); err != nil {
			return engine.OrAbsentRow(err, "project")
		}
		if _, err := t.Exec(ctx, insertArchive, row); err != nil {
			return err
		}
		for _, page := range pages {
			if _, err := t.Exec(ctx, insertPage, pageRow{archive.ID, page}); err != nil {
				return err
			}
		}
		_, err := t.Exec(ctx, dropOldest, engine.Args{"owner": archive.Owner, "limit": storage.MaxArchives})
		return err
	})
}

// FindArchive implements storage.ArchiveStore.
func (s *Archives) FindArchive(ctx context.Context, id string, now time.Time) (storage.Archive, error) {
	return engine.Find[storage.Archive](ctx, s.db, "archive", selectArchive, engine.Args{"id": id, "now": now})
}

// FindArchivePage implements storage.ArchiveStore.
func (s *Archives) FindArchivePage(ctx context.Context, archive storage.Archive,
	at int64) (storage.ArchivePage, error) {
	query := selectPage
	if at >= archive.Central {
		query = selectCentralPage
	}
	return engine.Find[storage.ArchivePage](ctx, s.db, "archive", query, engine.Args{"id": archive.ID, "at": at})
}

// EndArchive implements storage.ArchiveStore.
func (s *Archives) EndArchive(ctx context.Context, id string) error {
	_, err := s.db.WriteOne(ctx, deleteArchive, engine.Args{"id": id})
	return err
}

// SweepArchives implements storage.ArchiveStore.
func (s *Archives) SweepArchives(ctx context.Context, now time.Time, limit int) (int, error) {
	return s.db.Sweep(ctx, sweepArchives, engine.Args{"before": now.Add(-storage.KeepSpent), "limit": limit})
}

// AnyInfected implements storage.ArchiveStore.
func (s *Archives) AnyInfected(ctx context.Context, blobs []string) (bool, error) {
	var found []string
	err := engine.ReadAmong(ctx, s.db, &found, selectAnyInfected, blobs)
	return len(found) > 0, engine.AsFault(err)
}

func chosenAbsent(what string) error {
	return fault.Newf(fault.NotFound, "chosen_not_found", "One of the chosen %ss is not in the folder.", what)
}
