package fetched

import (
	"cmp"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/portico-id/portico/internal/pattern"
)

// anew is how long at least a document is not asked for what it lacks.
const anew = time.Minute

// document is one of them.
type document[T any] struct {
	fetching chan struct{} // full while somebody fetches it

	mu    sync.Mutex // guards what follows
	kept  T
	there bool          // it was fetched
	at    time.Duration // when, by a clock that nobody sets, as until
	until time.Duration
	ended error // why what was there counts no more; nil: it does
}

// empty reports whether nothing is known of the document, and nobody fetches it.
func (d *document[T]) empty() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.there && d.ended == nil && len(d.fetching) == 0
}

// look returns the document, and whether it will do as it is.
func (d *document[T]) look(has func(T) bool, now time.Duration) (kept T, good bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.kept, now < d.until && (has(d.kept) || now-d.at < anew)
}

// last returns the document as it is after whoever fetched it, or why there is none.
func (d *document[T]) last(now, most time.Duration, err error) (kept T, _ error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil && d.ended != nil {
		return kept, d.ended // that nobody answers now makes it no better
	}
	if err != nil && (!d.there || now-d.at >= most) {
		return kept, err
	}
	return d.kept, nil
}

// orEnded is why there is no document where it can't be fetched.
func (d *document[T]) orEnded(err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return cmp.Or(d.ended, err)
}

func (d *document[T]) keep(kept T, now, life time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept, d.there, d.at, d.until, d.ended = kept, true, now, now+life, nil
}

// end has nothing of the document count until there is one again that does.
func (d *document[T]) end(failure error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept, d.there, d.until, d.ended = *new(T), false, 0, failure
}

var maxAgeForm = pattern.Of(`(?:^|[,\s])max-age=(\d{1,9})`)

// maxAge is how long an answer may be kept by its own word; 0: it does not say.
func maxAge(header http.Header) time.Duration {
	found := maxAgeForm().FindStringSubmatch(header.Get("Cache-Control"))
	if found == nil {
		return 0
	}
	seconds, _ := strconv.Atoi(found[1])
	return time.Duration(seconds) * time.Second
}
