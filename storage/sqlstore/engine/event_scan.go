package engine

import (
	"cmp"
	"context"
	"math"
	"strconv"

	"github.com/portico-id/portico/storage"
)

// scannedRow is an event that was looked at: one that is looked for, or the last.
type scannedRow struct {
	eventRow
	Hit     bool
	Scanned int
}

const (
	scanEvents = `
WITH scan AS (SELECT seq, coalesce(position, 0) AS position, ` + eventColumns + `
	FROM events WHERE project_id = :project AND project_id <> '' AND seq < :before ORDER BY seq DESC LIMIT :window),
hits AS (SELECT seq FROM scan WHERE `

	endScan = ` ORDER BY seq DESC LIMIT :limit)
SELECT scan.*, scan.seq IN (SELECT seq FROM hits) AS hit, (SELECT count(*) FROM scan) AS scanned FROM scan
WHERE scan.seq IN (SELECT seq FROM hits) OR scan.seq = (SELECT min(seq) FROM scan)
ORDER BY scan.seq DESC`

	// Of a folder, and of what lies below it now or was moved out of there. "0" follows "/".
	eventBelow = `
(subject = :folder OR EXISTS (` + belowTop + ` AND f.uid = scan.folder_id)
	OR kind IN ('item.moved', 'folder.moved') AND EXISTS (` + belowTop + `
		AND f.uid = (SELECT {entry as text} FROM {entries of}scan.data{at}:from{entries end})))`

	belowTop = `SELECT 1 FROM folders t JOIN folder_paths top ON top.folder_id = t.id, folders f JOIN folder_paths fp
	ON fp.folder_id = f.id WHERE t.uid = :folder AND fp.path >= top.path
	AND fp.path < substr(top.path, 1, length(top.path) - 1) || '0'`
)

// ListEventsIn implements storage.EventStore.
func (s Journal) ListEventsIn(ctx context.Context, in storage.EventsIn,
	page storage.PageRequest) ([]storage.Event, string, error) {
	limit, err := PageLimit(page)
	if err != nil {
		return nil, "", err
	}
	window := cmp.Or(in.Window, storage.EventWindow)
	arg := Args{"project": in.ProjectID, "folder": in.FolderID, "user": in.UserID, "from": `$."from"`,
		"window": window, "limit": limit, "before": int64(math.MaxInt64)}
	if page.After != "" {
		if arg["before"], err = strconv.ParseInt(page.After, 10, 64); err != nil {
			return nil, "", BadCursor()
		}
	}
	wanted := "(:user = '' OR user_id = :user)"
	if in.FolderID != "" {
		wanted += " AND " + eventBelow
	}
	rows, err := All[scannedRow](ctx, s.db, scanEvents+wanted+endScan, arg)
	if err != nil || len(rows) == 0 {
		return nil, "", err
	}
	last, events := rows[len(rows)-1], []storage.Event(nil)
	for _, row := range rows {
		if row.Hit {
			events = append(events, row.record())
		}
	}
	next := ""
	switch {
	case len(events) == limit && events[limit-1].Seq != last.Seq, len(events) == limit && last.Scanned == window:
		next = strconv.FormatInt(events[limit-1].Seq, 10)
	case last.Scanned == window:
		next = strconv.FormatInt(last.Seq, 10)
	}
	return events, next, nil
}
