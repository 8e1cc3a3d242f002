package blobtest

import (
	"errors"
	"io"
	"slices"
	"testing/iotest"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage/blobstore"
)

func storedChecks() []check {
	return []check{
		{"any range within the bytes can be read, over the borders of parts too", ranges},
		{"a Reader reads from anywhere", reader},
		{"what is deleted is gone", deleted},
		{"List goes through everything once, page by page", list},
		{"what is in quarantine is neither listed nor read", quarantine},
	}
}

func ranges(w *W) {
	key, upload := w.Begin()
	body := slices.Concat(Bytes(blobstore.MinPart, 1), Bytes(blobstore.MinPart, 2), Bytes(3, 3))
	w.Put(key, upload, 1, body[:blobstore.MinPart])
	w.Put(key, upload, 2, body[blobstore.MinPart:2*blobstore.MinPart])
	w.Put(key, upload, 3, body[2*blobstore.MinPart:])
	w.Complete(key, upload)
	size := int64(len(body))
	for _, r := range [][2]int64{
		{0, 0}, {0, 1}, {1, 1}, {0, size}, {size, 0}, {size - 1, 1}, {blobstore.MinPart - 1, 2},
		{blobstore.MinPart, 1}, {blobstore.MinPart - 2, blobstore.MinPart + 4}, {size - 3, 3}, {size - 4, 2},
	} {
		if !slices.Equal(body[r[0]:r[0]+r[1]], w.Read(key, r[0], r[1])) {
			w.Errorf("other bytes came back from %v", r)
		}
	}
	if !slices.Equal(body[size-5:], w.Read(key, size-5, -1)) {
		w.Error("other bytes came back from the end")
	}
	for _, r := range [][2]int64{{-1, 1}, {0, size + 1}, {size, 1}, {size + 1, 0}, {size + 1, -1}} {
		_, err := w.Store.Open(w.Ctx(), key, r[0], r[1])
		w.Refused(err, fault.Invalid, "")
	}
}

func reader(w *W) {
	body := Bytes(10_000, 1)
	key := w.Store1(body)
	r := blobstore.NewReader(w.Ctx(), w.Store, key, int64(len(body)))
	w.Must(iotest.TestReader(r, body))
	at, err := r.Seek(-3, io.SeekEnd)
	w.Must(err)
	rest, err := io.ReadAll(r)
	w.Must(err)
	w.Equal(int64(9997), at)
	w.Equal(body[9997:], rest)
	w.Must(r.Close())
	longer := blobstore.NewReader(w.Ctx(), w.Store, key, int64(len(body)+1))
	if _, err := io.ReadAll(longer); !errors.Is(err, io.ErrUnexpectedEOF) {
		w.Errorf("bytes that end early are read to the end: %v", err)
	}
}

func deleted(w *W) {
	key, other := w.Store1([]byte("bytes")), w.Store1([]byte("other"))
	w.Must(w.Store.Delete(w.Ctx(), key))
	w.Must(w.Store.Delete(w.Ctx(), key))
	w.Must(w.Store.Delete(w.Ctx(), w.Ambient.UID()))
	_, err := w.Store.Stat(w.Ctx(), key)
	w.Refused(err, fault.NotFound, "")
	_, err = w.Store.Open(w.Ctx(), key, 0, -1)
	w.Refused(err, fault.NotFound, "")
	w.Equal("other", string(w.Read(other, 0, -1)))
}

func list(w *W) {
	want := map[string]int64{}
	for i := range 7 {
		want[w.Store1(Bytes(i, 1))] = int64(i)
	}
	key, upload := w.Begin()
	w.Put(key, upload, 1, []byte("not stored yet"))
	for _, limit := range []int{1, 3, 7, 100} {
		got, after := map[string]int64{}, ""
		for {
			page, err := w.Store.List(w.Ctx(), after, limit)
			w.Must(err)
			for _, info := range page {
				got[info.Key] = info.Size
				if info.StoredAt.Before(w.earlier()) || info.StoredAt.After(w.later()) {
					w.Errorf("stored at %s", info.StoredAt)
				}
			}
			if len(page) < limit {
				break
			}
			after = page[len(page)-1].Key
		}
		w.Equal(want, got)
	}
}

func quarantine(w *W) {
	key, other := w.Store1([]byte("bytes")), w.Store1([]byte("other"))
	w.Must(w.Store.Quarantine(w.Ctx(), key))
	_, err := w.Store.Open(w.Ctx(), key, 0, -1)
	w.Refused(err, fault.NotFound, "")
	w.Refused(w.Store.Quarantine(w.Ctx(), key), fault.NotFound, "")
	page, err := w.Store.List(w.Ctx(), "", 10)
	w.Must(err)
	if len(page) != 1 || page[0].Key != other {
		w.Errorf("listed: %v", page)
	}
}
