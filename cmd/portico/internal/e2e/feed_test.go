package e2e

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/storage"
)

// soakFeedVariable sets for how many seconds the feed test writes; make
// soak-feed sets it to a minute.
const soakFeedVariable = "PORTICO_SOAK_FEED"

const (
	quickFeed   = 3 * time.Second
	feedWriters = 16
	feedReaders = 4
	feedItems   = 5 // fewer than writers, so that they meet
	feedHolders = 3 // who keep transactions open
)

func soakFeed(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv(soakFeedVariable)
	if text == "" {
		return quickFeed
	}
	seconds, err := strconv.Atoi(text)
	if err != nil || seconds < 1 {
		t.Fatalf("%s=%s: expected a number of seconds from 1", soakFeedVariable, text)
	}
	return time.Duration(seconds) * time.Second
}

// Rules: FEED-10, FEED-11
func TestEveryReaderOfTheFeedSeesEveryChangeOnceInOneOrder(t *testing.T) {
	inTurn(t, func(t *testing.T, database string) {
		y := newYard(t, database)
		items := y.copies(feedItems)
		over := make(chan struct{}) // the writing is
		var writing, reading sync.WaitGroup
		added := make([]map[string]int, feedWriters)
		for i := range added {
			added[i] = map[string]int{}
			writing.Go(func() {
				for n := i; !y.Failed() && !closed(over); n++ {
					item := items[n%feedItems]
					y.addVersion(item)
					added[i][item]++
				}
			})
		}
		if strings.HasPrefix(database, "postgres") {
			for i := range feedHolders {
				writing.Go(func() { y.hold(database, i, over) })
			}
		}
		done := make(chan struct{}) // everything is written
		readers := make([][]change, feedReaders)
		for i := range readers {
			reading.Go(func() { readers[i] = y.follow(i%2 == 0, done) })
		}
		y.writeFor(soakFeed(t), over)
		writing.Wait()
		close(done)
		reading.Wait()
		if !t.Failed() {
			y.judgeFeed(readers, added)
		}
	})
}

func closed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// copies makes items to be changed.
func (y *yard) copies(n int) []string {
	h := &hand{yard: y, folders: []*kept{{uid: y.files}}}
	for range n {
		h.addItem()
	}
	var uids []string
	for _, item := range h.items {
		uids = append(uids, item.uid)
	}
	return uids
}

func (y *yard) addVersion(item string) {
	y.insist(http.MethodPost, y.all("versions")+"?copyFrom="+url.QueryEscape(versionURN(item, 1)), http.StatusCreated,
		object{"data": object{"type": "versions"}})
}

// writeFor lets the writers write for so long, and kills the server twice.
func (y *yard) writeFor(d time.Duration, over chan struct{}) {
	for range 2 {
		<-time.After(d / 3)
		y.mu.Lock()
		y.down = true
		y.mu.Unlock()
		y.process.kill()
		y.process = y.spawn()
		y.mu.Lock()
		y.down = false
		y.mu.Unlock()
		y.up.Broadcast()
	}
	<-time.After(d / 3)
	close(over)
}

// hold writes events in transactions that stay open for some time, as a slow
// writer would.
func (y *yard) hold(database string, number int, over chan struct{}) {
	db, err := sql.Open("postgres", database)
	y.must(err)
	defer db.Close()
	for n := 0; !closed(over) && !y.Failed(); n++ {
		tx, err := db.BeginTx(y.Context(), nil)
		y.must(err)
		_, err = tx.ExecContext(y.Context(), `INSERT INTO events (kind, subject, hub_id, project_id, folder_id, at, actor_kind, actor_id, request_id, address,
			client_id, user_id, on_behalf, data)
			SELECT 'folder.updated', $1, hub_id, project_id, '', at, 'system', '', $2, '', '', '', false, ''
			FROM events WHERE project_id = $3 ORDER BY seq LIMIT 1`, y.files,
			fmt.Sprintf("held by %d, %d", number, n), y.project)
		y.must(err)
		<-time.After(time.Duration(50+(number*211+n*97)%700) * time.Millisecond)
		y.must(tx.Commit())
	}
}

// change is one of the feed.
type change struct {
	ID         string
	Attributes struct {
		Kind    string
		Subject struct{ ID string }
	}
}

// follow reads the feed from its beginning until everything was read, waiting
// for changes or not.
func (y *yard) follow(waits bool, done chan struct{}) []change {
	var all []change
	for cursor := ""; !y.Failed(); {
		last := closed(done) && y.stamped()
		y.await()
		parameters := url.Values{}
		if cursor != "" {
			parameters.Set("cursor", cursor)
		}
		if waits {
			parameters.Set("wait", "1")
		}
		r, err := http.NewRequestWithContext(y.Context(), http.MethodGet, y.URL+y.all("changes?"+parameters.Encode()), nil)
		y.must(err)
		r.Header.Set("Authorization", "Bearer "+y.token)
		got, err := try(y.plain, r)
		if err != nil || got.Status == http.StatusServiceUnavailable {
			continue // it was killed: the same again
		}
		var page struct {
			Data []change
			Meta struct{ Cursor string }
		}
		if got.Status != http.StatusOK || json.Unmarshal([]byte(got.Body), &page) != nil {
			y.Errorf("%d %s", got.Status, got.Body)
			return nil
		}
		all, cursor = append(all, page.Data...), page.Meta.Cursor
		if last && len(page.Data) == 0 {
			return all
		}
	}
	return all
}

// stamped reports whether everything has its position.
func (y *yard) stamped() bool {
	newest, _, err := y.store.ListEvents(y.Context(), storage.EventQuery{ProjectID: y.project}, storage.PageRequest{})
	y.must(err)
	return !slices.ContainsFunc(newest, func(e storage.Event) bool { return e.Position == 0 })
}

// judgeFeed compares what the readers saw with each other and with what was
// written.
func (y *yard) judgeFeed(readers [][]change, added []map[string]int) {
	first := readers[0]
	for i, other := range readers {
		if diff := cmp.Diff(first, other); diff != "" {
			y.Errorf("what reader %d saw (-first +other):\n%s", i, diff)
		}
	}
	written := map[string]int{}
	for page := (storage.PageRequest{}); ; {
		events, next, err := y.store.ListEvents(y.Context(), storage.EventQuery{ProjectID: y.project}, page)
		y.must(err)
		for _, e := range events {
			if e.Kind != storage.EventMemberSet {
				written[strconv.FormatInt(e.Position, 10)]++
			}
		}
		if page.After = next; next == "" {
			break
		}
	}
	seen, newest, before := map[string]int{}, map[string]int{}, int64(0)
	for _, c := range first {
		seen[c.ID]++
		position, err := strconv.ParseInt(c.ID, 10, 64)
		y.must(err)
		if position <= before {
			y.Errorf("%d comes after %d", position, before)
		}
		before = position
		item, number, _ := strings.Cut(strings.TrimPrefix(c.Attributes.Subject.ID, "urn:portico:fs.file:vf."), "?version=")
		if c.Attributes.Kind != storage.EventVersionAdded {
			continue
		}
		n, err := strconv.Atoi(number)
		y.must(err)
		if n != max(1, newest[item])+1 {
			y.Errorf("version %d of %s comes after %d", n, item, newest[item])
		}
		newest[item] = n
	}
	if diff := cmp.Diff(written, seen); diff != "" {
		y.Errorf("events (-written +seen):\n%s", diff)
	}
	acknowledged := 0
	for item, n := range newest {
		told := 0
		for _, by := range added {
			told += by[item]
		}
		if told > n-1 {
			y.Errorf("%d versions were added to %s, and the feed tells of %d", told, item, n-1)
		}
		acknowledged += told
	}
	y.Logf("%d changes, %d versions acknowledged, each reader saw all of them", len(first), acknowledged)
}
