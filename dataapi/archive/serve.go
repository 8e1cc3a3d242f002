package archive

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// maxStreams is how many archives one owner takes at a time from one server.
const maxStreams = 2

// streams counts who takes how many.
type streams struct {
	mu  sync.Mutex
	now map[string]int
}

// begin counts one more, until done.
func (s *streams) begin(owner string) (done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		s.now = map[string]int{}
	}
	if s.now[owner] >= maxStreams {
		return nil, fault.Newf(fault.TooMany, "archive_streams",
			"You are downloading %d archives already: wait until one of them is there.", maxStreams).After(5 * time.Second)
	}
	s.now[owner]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.now[owner]--; s.now[owner] == 0 {
			delete(s.now, owner)
		}
	}, nil
}

// reading is who reads an archive.
type reading struct {
	who storage.Caller

	// still asks whether what they came with, a token or a session, stands.
	still func(context.Context) error
}

// Serve answers with the bytes of an archive, or a range of them. It is for the
// one that it was made for; still is asked now and while they read whether what
// they came with stands. Gone.
func (r *Rules) Serve(w http.ResponseWriter, q *http.Request, id string, who storage.Caller,
	still func(context.Context) error) error {
	archive, err := r.store.FindArchive(q.Context(), id, r.ambient.Now())
	if fault.Is(err, fault.NotFound) || err == nil && archive.Owner != ownerOf(who) {
		return ended()
	}
	if err != nil {
		return err
	}
	body := &reader{ctx: q.Context(), rules: r, archive: archive, who: reading{who, still}}
	if err := body.load(); err != nil { // what can be refused is refused before anything is said
		return err
	}
	if err := r.answers(q.Context(), body.page); err != nil {
		return err
	}
	done, err := r.streams.begin(archive.Owner)
	if err != nil {
		return err
	}
	defer done()
	defer body.Close()
	header := w.Header()
	header.Set("Content-Type", "application/zip")
	header.Set("Content-Disposition", httpio.Disposition(false, archive.Name))
	header.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("ETag", `"`+archive.ID+`"`)
	header.Set("Cache-Control", "private, no-cache")
	out, rest := httpio.Leisurely(w)
	defer rest()
	// A body that ends early is seen: the length was announced.
	httpio.ServeContent(out, q, archive.CreatedAt, body)
	return nil
}

// answers reports, by the first bytes of a page, whether the place of bytes answers.
func (r *Rules) answers(ctx context.Context, p page) error {
	for _, e := range p.entries {
		if e.Blob != "" {
			return blobstore.Answers(ctx, r.blobs, e.Blob)
		}
	}
	return nil
}

// stillMay asks whether a reader still may have what is on a page. When
// something of it was hidden, moved out of their sight or found infected, the
// archive ends: it could only be had with a hole.
func (r *Rules) stillMay(ctx context.Context, reads reading, archive storage.Archive, p page) error {
	if err := reads.still(ctx); err != nil {
		return err
	}
	var ends []storage.End
	var blobs []string
	for _, e := range p.entries {
		if e.Item != "" || e.Folder != "" {
			ends = append(ends, storage.End{FolderID: e.Folder, ItemID: e.Item})
		}
		if e.Blob != "" {
			blobs = append(blobs, e.Blob)
		}
	}
	place, found, err := r.store.FindEnds(ctx, reads.who, archive.ProjectID, ends)
	if err != nil {
		return err
	}
	infected, err := r.store.AnyInfected(ctx, blobs)
	if err != nil {
		return err
	}
	if access.Enter(place) == nil && !infected && allForThem(place, found) {
		return nil
	}
	return errors.Join(ended(), r.store.EndArchive(ctx, archive.ID))
}

func allForThem(place storage.Place, found []storage.Found) bool {
	for _, f := range found {
		if !access.Shows(place, f) || access.At(place, f).Standing.Level() < storage.LevelDownload {
			return false
		}
	}
	return true
}

func ended() error {
	return fault.New(fault.Gone, reasonEnded,
		"This archive has ended, or something in it was taken away: ask for another.")
}
