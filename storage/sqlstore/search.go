package sqlstore

import (
	"context"
	"strconv"
	"strings"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/migrations"
	"github.com/portico-id/portico/storage"
	sqlite3 "modernc.org/sqlite/lib"
)

// fewTips is up to how many matches of one indexed condition are looked up and
// sorted; with more the tree is walked, which meets them soon.
const fewTips = 2000

// searchRow is a tip with the path of its folder.
type searchRow struct {
	itemWithTip
	Path    string `db:"path"`
	Hit     bool   `db:"hit"`
	Scanned int    `db:"scanned"`
}

func (r searchRow) position() position { return position{r.Path, true, r.Item.NameKey, r.Item.ID} }

// search is a search under way. There are three ways through a subtree:
//
//   - where an indexed condition has few matches in the project, they are looked
//     up, and then it is seen which of them lie in the subtree;
//   - else the subtree is walked in its order until the page is full;
//   - and the budget ends a walk in which nothing is met, but for its first step,
//     which is small.
type search struct {
	query   storage.SearchQuery
	project projectRow
	folder  spot
	from    position
	pass    int // how many come before the page
	limit   int
	found   []searchRow
	tx      tx
	ctx     context.Context // of the queries
	soon    context.Context // ends with the budget
	hurried bool            // the queries end with it
}

// position is a place in the order of the tree.
type position struct {
	path   string // of a folder; "": before everything
	inside bool   // behind an item in the folder; else behind all of them
	key    string
	id     int64
}

func (p position) cursor() string {
	if !p.inside {
		return p.path
	}
	return p.path + ":" + nameCursor(strconv.FormatInt(p.id, 10), p.key)
}

func parsePosition(cursor string) (position, error) {
	path, rest, inside := strings.Cut(cursor, ":")
	p := position{path: path, inside: inside}
	if !inside {
		return p, nil
	}
	id, key, err := splitNameCursor(rest)
	if err != nil {
		return p, err
	}
	p.key = key
	if p.id, err = strconv.ParseInt(id, 10, 64); err != nil {
		return p, badCursor()
	}
	return p, nil
}

// Search implements storage.SearchStore.
func (s *Store) Search(ctx context.Context, projectID, folderID string, query storage.SearchQuery, page storage.DataPage) ([]storage.ItemWithTip, string, error) {
	span, err := spanOf(page)
	if err != nil {
		return nil, "", err
	}
	from, err := parsePosition(span.after)
	if err != nil {
		return nil, "", err
	}
	if err := checkSearch(query); err != nil {
		return nil, "", err
	}
	t, done, err := s.beginSearch(ctx)
	if err != nil {
		return nil, "", asFault(err)
	}
	defer done()
	soon, cancel := context.WithTimeout(ctx, query.Budget) // now that no connection has to be waited for
	defer cancel()
	q := &search{query: query, from: from, pass: span.offset, limit: span.limit, tx: t, ctx: ctx, soon: soon}
	next, err := q.find(projectID, folderID)
	if err != nil {
		return nil, "", asFault(err)
	}
	return records(q.found, searchRow.record), next, nil
}

// beginSearch returns a transaction for the queries of a search: so they have one
// connection from beginning to end. On PostgreSQL what has an index is not looked
// for in the whole table, as a planner would who thinks that a value is common
// everywhere because it is common elsewhere.
func (s *Store) beginSearch(ctx context.Context) (tx, func(), error) {
	begun, err := s.reader.db.BeginTxx(ctx, nil)
	if err != nil {
		return tx{}, nil, err
	}
	t := tx{sqlx: begun, handle: s.reader}
	done := func() { _ = begun.Rollback() } // it only reads
	if s.reader.dialect.engine == migrations.Postgres {
		err = t.set(ctx, "enable_seqscan", "off")
	}
	if err != nil {
		done()
	}
	return t, done, err
}

// set changes a setting of PostgreSQL for the rest of the transaction.
func (t tx) set(ctx context.Context, name, value string) error {
	var is []string
	return t.list(ctx, &is, `SELECT set_config(:name, :value, true)`, args{"name": name, "value": value})
}

// hurry lets the queries that follow end with the budget. PostgreSQL would lose
// its connection to a context that ends.
func (q *search) hurry() error {
	if q.hurried {
		return nil
	}
	q.hurried = true
	if q.tx.handle.dialect.engine != migrations.Postgres {
		q.ctx = q.soon
		return nil
	}
	left := max(1, ambient.Left(q.soon).Milliseconds())
	return q.tx.set(q.ctx, "statement_timeout", strconv.FormatInt(left, 10))
}

// list runs a query of the search.
func (q *search) list(dest any, query string, arg any) error {
	return q.tx.list(q.ctx, dest, query, arg)
}

// tooLate reports whether a query was ended because the budget is spent.
func (q *search) tooLate(err error) bool {
	if err == nil || !q.hurried {
		return false
	}
	return pq.As(err, pqerror.QueryCanceled) != nil || q.soon.Err() != nil ||
		sqliteCode(err)&0xff == sqlite3.SQLITE_INTERRUPT
}

const selectSearched = `
SELECT f.id, f.uid, fp.path, fp.visible FROM folders f JOIN folder_paths fp ON fp.folder_id = f.id
WHERE f.uid = :folder_uid AND f.project_id = :project_id`

// find fills found and returns where the next page begins.
func (q *search) find(projectID, folderID string) (string, error) {
	var projects []projectRow
	if err := q.list(&projects, selectProject, args{"id": projectID}); err != nil || len(projects) == 0 {
		return "", err
	}
	q.project = projects[0]
	var folders []spot
	err := q.list(&folders, selectSearched, args{"folder_uid": folderID, "project_id": q.project.ID})
	if err != nil || len(folders) == 0 || !folders[0].Visible {
		return "", err
	}
	q.folder = folders[0]
	few, err := q.fewest()
	if err != nil {
		return "", err
	}
	if few != nil {
		return q.lookUp(few)
	}
	return q.walk()
}

// add takes a hit, and reports whether the page is full.
func (q *search) add(row searchRow) bool {
	if q.query.Fits != nil && !q.query.Fits(row.record()) {
		return false
	}
	if q.pass > 0 {
		q.pass--
		return false
	}
	q.found = append(q.found, row)
	return len(q.found) > q.limit // one more, to know that something follows
}

// cut leaves the page, and returns its cursor.
func (q *search) cut() string {
	var next string
	q.found, next = cutPage(q.found, q.limit, func(r searchRow) string { return r.position().cursor() })
	return next
}

// columns are those of a searchRow, of items i in folders f.
func (q *search) columns(f *filter) string {
	return itemColumns("cast("+f.bind(q.project.UID)+" AS text)", "f.uid") + ", " + versionColumns("v", "o", "tip")
}

// indexed makes the query for what a condition that an index finds matches:
// item ids and version numbers.
type indexed func(*filter) string

// fewest returns the indexed condition with the fewest matches in the project,
// nil when all have many.
func (q *search) fewest() (indexed, error) {
	var best indexed
	least := fewTips + 1
	for _, one := range q.indexed() {
		f := newFilter()
		var counts []int
		err := q.list(&counts, "SELECT count(*) FROM ("+one(f)+" LIMIT "+f.bind(least)+") c", f.args)
		if err != nil {
			return nil, err
		}
		if counts[0] < least {
			least, best = counts[0], one
		}
	}
	return best, nil
}

// lookUp goes through the few.
func (q *search) lookUp(few indexed) (string, error) {
	text, f := q.lookUpQuery(few)
	var rows []searchRow
	if err := q.list(&rows, text, f.args); err != nil {
		return "", err
	}
	for _, row := range rows {
		if q.add(row) {
			break
		}
	}
	return q.cut(), nil
}

func (q *search) lookUpQuery(few indexed) (string, *filter) {
	f := newFilter()
	driver := few(f)
	f.add("i.id = d.item_id AND i.tip = d.number AND fp.folder_id = i.folder_id AND f.id = i.folder_id")
	q.within(f)
	q.conditions(f)
	switch {
	case q.from.inside:
		f.add("(fp.path, i.name_key, i.id) > (" + f.bind(q.from.path) + ", " + f.bind(q.from.key) + ", " + f.bind(q.from.id) + ")")
	case q.from.path != "":
		f.add("fp.path > " + f.bind(q.from.path))
	}
	// CROSS JOIN keeps SQLite from beginning elsewhere.
	text := "SELECT fp.path AS path, " + q.columns(f) + "\nFROM (" + driver + " LIMIT " + f.bind(fewTips+1) +
		") d CROSS JOIN items i CROSS JOIN folder_paths fp CROSS JOIN folders f" + joinTip + f.clause() +
		"\nORDER BY fp.path, i.name_key, i.id"
	if q.query.Fits == nil {
		text += " LIMIT " + f.bind(q.pass+q.limit+1)
	}
	return text, f
}

// within keeps what is visible in the subtree.
func (q *search) within(f *filter) {
	f.add("fp.path >= " + f.bind(q.folder.Path) + " AND fp.path < " + f.bind(pathEnd(q.folder.Path)))
	f.add("fp.visible AND NOT i.hidden")
}

func tooFar() error {
	return fault.New(fault.Invalid, storage.ReasonPageBehind,
		"The pages before this one could not be looked through in time: follow links.next from one to the other.")
}
