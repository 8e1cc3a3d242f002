package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	sqlite3 "modernc.org/sqlite/lib"
)

// lockWait is how long a change waits for others in its project.
const lockWait = 2 * time.Second

// sharing says what else may go on in a project while it changes.
type sharing bool

// Paths are read and extended together, and rewritten alone.
const (
	together sharing = false
	alone    sharing = true
)

// Locks of the project: advisory ones, since they are taken with every change
// and must leave no trace in the table. The first number keeps them apart from
// others in the database.
const (
	lockTogether = `
SELECT id FROM (SELECT id, set_config('lock_timeout', '2s', true), pg_advisory_xact_lock_shared(20560, cast(id AS int))
	FROM projects WHERE uid = :id) l`

	lockAlone = `
SELECT id FROM (SELECT id, set_config('lock_timeout', '2s', true), pg_advisory_xact_lock(20560, cast(id AS int))
	FROM projects WHERE uid = :id) l`
)

// inProject runs an act on the tree of a project that is there, in one
// transaction. Acts that rewrite paths run alone in the project.
func (s *Store) inProject(ctx context.Context, projectID string, how sharing, act func(tx, projectRow) error) error {
	err := s.persist(ctx, func() error {
		return s.attemptSoon(ctx, func(tx tx) error {
			project, err := tx.lockProject(ctx, projectID, how)
			if err != nil {
				return err
			}
			return act(tx, project)
		})
	})
	if tookTooLong(err) {
		return fault.New(fault.Locked, storage.ReasonProjectBusy, "The project is being rearranged. Try again in a moment.").
			After(lockWait).Because(err)
	}
	return err
}

// inOpenProject is inProject for what an archived project refuses.
func (s *Store) inOpenProject(ctx context.Context, projectID string, how sharing, act func(tx, projectRow) error) error {
	return s.inProject(ctx, projectID, how, func(tx tx, project projectRow) error {
		if project.Archived {
			return fault.New(fault.Locked, storage.ReasonProjectArchived, "The project is archived: nothing changes in it.")
		}
		return act(tx, project)
	})
}

// lockProject waits for its turn, and only then reads the project.
func (t tx) lockProject(ctx context.Context, id string, how sharing) (projectRow, error) {
	if t.handle.dialect.rowLocks {
		query := lockTogether
		if how == alone {
			query = lockAlone
		}
		var ids []int64
		if err := t.list(ctx, &ids, query, args{"id": id}); err != nil {
			return projectRow{}, err
		}
	}
	return t.project(ctx, id)
}

// errBusy says that the one connection that writes, or the lock of the file,
// was not free in time.
var errBusy = errors.New("another change is under way")

// attemptSoon is attempt, but on SQLite, where a transaction is the lock, it
// waits no longer than lockWait for its turn: first among ourselves, then for
// other processes.
func (s *Store) attemptSoon(ctx context.Context, act func(tx) error) error {
	if s.writer.dialect.rowLocks {
		return s.attempt(ctx, act)
	}
	soon, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	conn, err := s.writer.db.Connx(soon)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return errBusy
	}
	if err != nil {
		return err
	}
	defer conn.Close()
	t, err := beginSoon(ctx, conn)
	if err != nil {
		return err
	}
	defer t.Rollback() // after a commit it does nothing
	if err := act(tx{sqlx: t, handle: s.writer}); err != nil {
		return err
	}
	return t.Commit()
}

// beginSoon begins a transaction of SQLite, which takes the lock of the file.
func beginSoon(ctx context.Context, conn *sqlx.Conn) (*sqlx.Tx, error) {
	if _, err := conn.ExecContext(ctx, `PRAGMA busy_timeout = 2000`); err != nil {
		return nil, err
	}
	t, err := conn.BeginTxx(ctx, nil)
	if sqliteCode(err)&0xff == sqlite3.SQLITE_BUSY {
		err = errBusy
	}
	_, restored := conn.ExecContext(context.WithoutCancel(ctx), `PRAGMA `+busyTimeout)
	if err == nil && restored != nil {
		return nil, errors.Join(restored, t.Rollback())
	}
	return t, err
}

// tookTooLong reports whether a lock could not be had in time.
func tookTooLong(err error) bool {
	return errors.Is(err, errBusy) || pq.As(err, pqerror.LockNotAvailable) != nil
}

// segment is a folder's part of a path.
func segment(id int64) string { return strconv.FormatInt(id, 36) + "/" }

// pathEnd is the first text that sorts behind everything below the path: "0"
// follows "/".
func pathEnd(path string) string { return strings.TrimSuffix(path, "/") + "0" }

// below reports whether a path is that of the folder at top, or leads into it.
func below(path, top string) bool { return strings.HasPrefix(path, top) }

// depthOf is how deep the folder at the path lies; the root is at 0.
func depthOf(path string) int { return strings.Count(path, "/") - 1 }

// idsOf returns the folders on the path, the root first.
func idsOf(path string) ([]int64, error) {
	var ids []int64
	for part := range strings.SplitSeq(strings.TrimSuffix(path, "/"), "/") {
		id, err := strconv.ParseInt(part, 36, 64)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// spot is a folder as changes in it need to know it.
type spot struct {
	ID      int64  `db:"id"`
	UID     string `db:"uid"`
	Path    string `db:"path"`
	Visible bool   `db:"visible"`
}

const (
	selectSpot = `
SELECT f.id, f.uid, fp.path, fp.visible FROM folders f JOIN folder_paths fp ON fp.folder_id = f.id
WHERE f.uid = :uid AND f.project_id = :project_id`

	insertFolderChange = `
INSERT INTO folder_changes (folder_id, path, at, objects) VALUES (:folder_id, :path, :at, :objects)`

	applyFolderChange = `
UPDATE folders SET rollup_at = CASE WHEN rollup_at < :at THEN :at ELSE rollup_at END,
	object_count = object_count + CASE WHEN id = :folder_id THEN :objects ELSE 0 END
WHERE id IN (
	WITH RECURSIVE up (id, parent_id) AS (
		SELECT b.id, b.parent_id FROM folders b WHERE b.id = :folder_id
		UNION ALL
		SELECT b.id, b.parent_id FROM up JOIN folders b ON b.id = up.parent_id
	)
	SELECT id FROM up)`
)

// parentSpot finds the visible folder that something is to be put into.
func (t tx) parentSpot(ctx context.Context, project projectRow, uid string) (spot, error) {
	var parent spot
	err := t.get(ctx, &parent, selectSpot, args{"uid": uid, "project_id": project.ID})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return spot{}, fault.New(fault.NotFound, storage.ReasonParentAbsent, "There is no such folder in the project.")
	case err != nil:
		return spot{}, err
	case !parent.Visible:
		return spot{}, fault.New(fault.Conflict, storage.ReasonParentHidden, "The folder, or one above it, is hidden.")
	}
	return parent, nil
}

// note lets the folder and all above it know of a change, and that this many
// visible things more (or fewer) lie in the folder. On PostgreSQL that is a row
// for FoldChanges, so that writers don't wait for each other in a busy folder.
func (t tx) note(ctx context.Context, change storage.Change, folder spot, objects int) error {
	query := applyFolderChange
	if t.handle.dialect.foldsLater {
		query = insertFolderChange
	}
	_, err := t.exec(ctx, query, args{
		"folder_id": folder.ID, "path": folder.Path, "at": at(change.At), "objects": objects,
	})
	return err
}

// checkSeen refuses a change of what the caller knows otherwise.
func checkSeen(change storage.Change, revision int64) error {
	if change.Seen != 0 && change.Seen != revision {
		return fault.New(fault.PreconditionFailed, storage.ReasonChanged, "It was changed meanwhile: read it again.")
	}
	return nil
}

func nameTaken(what string) error {
	return fault.Newf(fault.Conflict, storage.ReasonNameTaken, "Another %s in this folder has the name.", what)
}
