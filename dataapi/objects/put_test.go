package objects_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// counted is a store that knows which uploads were given up.
type counted struct {
	blobstore.Store
	begun, ended *atomic.Int32
}

func (c counted) Begin(ctx context.Context, key string) (string, error) {
	c.begun.Add(1)
	return c.Store.Begin(ctx, key)
}

func (c counted) Abort(ctx context.Context, key, upload string) error {
	c.ended.Add(1)
	return c.Store.Abort(ctx, key, upload)
}

// Nobody knows the key of such an upload, so nobody goes on with it, and a client that tries
// again would fill the disk.
//
// Rule: OBJ-11
func TestBytesPutAtOnceThatAFullProjectRefusesAreNotKept(t *testing.T) {
	store := counted{files(t), new(atomic.Int32), new(atomic.Int32)}
	w := newWorld(t, sqliteURL(t), store)
	w.Must(w.Store.SetLimits(w.Context(), w.Operator(), w.Project.ID, storage.Limits{Quota: 12}))
	ok[stored](w, w.call(publisher, "PUT", w.reserve("small.bin"), random(4, 1)))
	path := w.reserve("large.bin")
	w.refused(w.call(publisher, "PUT", path, random(9, 1)), 403, "quota_exceeded",
		"The project may store 12 bytes and has 4: 9 more are too many.")
	w.Equal([]int32{2, 1}, []int32{store.begun.Load(), store.ended.Load()})
	ok[stored](w, w.call(publisher, "PUT", path, random(8, 1)))
	w.Equal([]int32{3, 1}, []int32{store.begun.Load(), store.ended.Load()})
}

// It could never be completed.
//
// Rule: OBJ-13
func TestAFileThatIsLargerThanTheQuotaIsRefusedBeforeItComes(t *testing.T) {
	w := here(t)
	w.Must(w.Store.SetLimits(w.Context(), w.Operator(), w.Project.ID, storage.Limits{Quota: 12}))
	path := w.reserve("large.bin")
	begun := w.begin(path, 2)
	w.refused(w.send("PUT", begun.URLs[0], random(13, 1)), 413, "part_too_large", "At most 12 bytes are taken here, not 13.")
	w.put(begun.URLs[0], random(12, 1))
	w.refused(w.send("PUT", begun.URLs[1], random(1, 1)), 413, "object_size",
		"A file of this project has at most 12 bytes, this one 13.")
	w.refused(w.call(publisher, "PUT", path, random(13, 1)), 413, "part_too_large",
		"At most 12 bytes are taken here, not 13.")
}

// Whoever may upload could fill the disk with what nobody completes.
//
// Rule: OBJ-60
func TestWhatIsNeverCompletedFillsTheDiskTwiceOverAtMost(t *testing.T) {
	w := here(t)
	w.Must(w.Store.SetLimits(w.Context(), w.Operator(), w.Project.ID, storage.Limits{Quota: 12}))
	const wrong = "The project may store 12 bytes, and uploads that were not completed hold too many more."
	paths, begun := []string{}, []signed{}
	for _, name := range []string{"one.bin", "two.bin", "three.bin"} {
		paths = append(paths, w.reserve(name))
		begun = append(begun, w.begin(paths[len(paths)-1], 1))
	}
	w.put(begun[0].URLs[0], random(12, 1))
	w.put(begun[1].URLs[0], random(8, 1))
	w.refused(w.send("PUT", begun[2].URLs[0], random(5, 1)), 403, "quota_exceeded", wrong)
	w.refused(w.call(publisher, "PUT", w.reserve("four.bin"), random(5, 1)), 403, "quota_exceeded", wrong)
	w.refused(w.send("PUT", begun[2].URLs[0], random(4, 1), "Content-MD5", "AAAAAAAAAAAAAAAAAAAAAA=="), 400,
		"checksum_mismatch", "The bytes that came are not those of the checksum: send them again.")
	w.put(begun[2].URLs[0], random(4, 1)) // what broke off counts no more
	ok[stored](w, w.call(publisher, "POST", paths[1]+"/signeds3upload", map[string]any{"uploadKey": begun[1].UploadKey}))
	ok[stored](w, w.call(publisher, "PUT", w.reserve("five.bin"), random(4, 1)))
}
