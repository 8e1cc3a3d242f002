package objects_test

import (
	"context"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/portico-id/portico/storage/blobstore"
)

// held is a store whose first reader waits, once it has opened the bytes.
type held struct {
	blobstore.Store
	first        *atomic.Bool
	opened, goOn chan struct{}
}

func holding(store blobstore.Store) held {
	s := held{store, new(atomic.Bool), make(chan struct{}), make(chan struct{})}
	s.first.Store(true)
	return s
}

func (s held) Open(ctx context.Context, key string, from, length int64) (io.ReadCloser, error) {
	body, err := s.Store.Open(ctx, key, from, length)
	if s.first.CompareAndSwap(true, false) {
		close(s.opened)
		<-s.goOn
	}
	return body, err
}

// Whoever names a wrong checksum takes nobody's bytes away, whoever is first.
//
// Rules: OBJ-8, OBJ-9
func TestAWrongChecksumBesideACompletionTakesNothingAway(t *testing.T) {
	sum, wrongSum := hexSum([]byte("bytes")), hexSum([]byte("other"))
	for name, tt := range map[string]struct {
		slow, fast string
		first      int // what the fast one gets
	}{
		"the right one is first": {wrongSum, sum, http.StatusOK},
		"the wrong one is first": {sum, wrongSum, http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			store := holding(files(t))
			w := newWorld(t, sqliteURL(t), store)
			path := w.reserve("file.bin")
			begun := w.begin(path, 1)
			w.put(begun.URLs[0], []byte("bytes"))
			complete := func(sum string) answer {
				return w.call(publisher, "POST", path+"/signeds3upload", map[string]any{
					"uploadKey": begun.UploadKey, "sha256": sum})
			}
			var slow answer
			var work sync.WaitGroup
			work.Go(func() { slow = complete(tt.slow) })
			<-store.opened
			fast := complete(tt.fast)
			close(store.goOn)
			work.Wait()
			w.Equal(tt.first, fast.Status)
			got := w.call(publisher, "GET", path, nil)
			if tt.first == http.StatusOK {
				w.Equal(http.StatusBadRequest, slow.Status)
				w.Equal("bytes", string(got.Body))
			} else { // the upload has ended: nothing says that there are bytes
				w.Equal([]int{http.StatusNotFound, http.StatusNotFound}, []int{slow.Status, got.Status})
			}
		})
	}
}
