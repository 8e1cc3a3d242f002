package blobtest

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"testing/iotest"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage/blobstore"
)

func uploadChecks() []check {
	return []check{
		{"stored bytes are the parts by number, whatever order they came in", partsInOrder},
		{"a part that is put again replaces the one before", partAgain},
		{"an object may be empty", emptyObject},
		{"completing again changes nothing", completeAgain},
		{"completing names the parts that there are, else it is refused", completeOthers},
		{"an upload that never began, was aborted or completed takes no parts", endedUploads},
		{"a part whose body ends early is not kept", shortPart},
		{"a part takes so many bytes of its body, and none of what comes behind them", exactPart},
		{"numbers and keys that can't be are refused", badArguments},
		{"tidying removes what saw nothing since, and nothing else", tidy},
		{"a sum is of all the bytes", sum},
	}
}

func partsInOrder(w *W) {
	first, second, third := Bytes(blobstore.MinPart, 1), Bytes(blobstore.MinPart+7, 2), Bytes(11, 3)
	key, upload := w.Begin()
	three := w.Put(key, upload, 3, third)
	one := w.Put(key, upload, 1, first)
	two := w.Put(key, upload, 2, second)
	parts, err := w.Store.Parts(w.Ctx(), key, upload)
	w.Must(err)
	w.Equal([]blobstore.Part{one, two, three}, parts)
	w.Equal([]int64{blobstore.MinPart, blobstore.MinPart + 7, 11}, []int64{one.Size, two.Size, three.Size})
	_, err = w.Store.Stat(w.Ctx(), key)
	w.Refused(err, fault.NotFound, "")
	w.Must(w.Store.Complete(w.Ctx(), key, upload, parts))
	if !bytes.Equal(w.Read(key, 0, -1), bytes.Join([][]byte{first, second, third}, nil)) {
		w.Error("other bytes came back")
	}
}

func partAgain(w *W) {
	key, upload := w.Begin()
	before := w.Put(key, upload, 1, []byte("before"))
	after := w.Put(key, upload, 1, []byte("after!!"))
	if before.ETag == after.ETag {
		w.Error("the tag stays when the bytes change")
	}
	err := w.Store.Complete(w.Ctx(), key, upload, []blobstore.Part{before})
	w.Refused(err, fault.Conflict, blobstore.ReasonPartsChanged)
	w.Complete(key, upload)
	w.Equal("after!!", string(w.Read(key, 0, -1)))
}

func emptyObject(w *W) {
	key := w.Store1(nil)
	info, err := w.Store.Stat(w.Ctx(), key)
	w.Must(err)
	w.Equal(int64(0), info.Size)
	w.Equal(0, len(w.Read(key, 0, -1)))
}

func completeAgain(w *W) {
	key, upload := w.Begin()
	part := w.Put(key, upload, 1, []byte("bytes"))
	for range 3 {
		w.Must(w.Store.Complete(w.Ctx(), key, upload, []blobstore.Part{part}))
		w.Equal("bytes", string(w.Read(key, 0, -1)))
	}
}

func completeOthers(w *W) {
	key, upload := w.Begin()
	one, two := w.Put(key, upload, 1, Bytes(blobstore.MinPart, 1)), w.Put(key, upload, 2, []byte("two"))
	for _, named := range [][]blobstore.Part{nil, {one}, {two}, {two, one}, {one, two, {Number: 3, ETag: "x"}}} {
		w.Refused(w.Store.Complete(w.Ctx(), key, upload, named), fault.Conflict, blobstore.ReasonPartsChanged)
	}
	w.Must(w.Store.Complete(w.Ctx(), key, upload, []blobstore.Part{one, two}))
}

func endedUploads(w *W) {
	aborted, upload := w.Begin()
	w.Put(aborted, upload, 1, []byte("bytes"))
	w.Must(w.Store.Abort(w.Ctx(), aborted, upload))
	w.Must(w.Store.Abort(w.Ctx(), aborted, upload))
	completed, done := w.Begin()
	w.Put(completed, done, 1, []byte("bytes"))
	w.Complete(completed, done)
	for name, u := range map[string][2]string{
		"aborted": {aborted, upload}, "completed": {completed, done}, "never begun": {w.Ambient.UID(), upload},
	} {
		_, err := w.Store.PutPart(w.Ctx(), u[0], u[1], 1, bytes.NewReader([]byte("other")), 5)
		w.Refused(err, fault.Gone, blobstore.ReasonUploadEnded)
		_, err = w.Store.Parts(w.Ctx(), u[0], u[1])
		w.Refused(err, fault.Gone, blobstore.ReasonUploadEnded)
		if name != "completed" {
			w.Refused(w.Store.Complete(w.Ctx(), u[0], u[1], nil), fault.Gone, blobstore.ReasonUploadEnded)
		}
	}
	w.Equal("bytes", string(w.Read(completed, 0, -1)))
}

func shortPart(w *W) {
	key, upload := w.Begin()
	for name, body := range map[string]io.Reader{
		"it ends":   bytes.NewReader([]byte("1234")),
		"it breaks": io.MultiReader(bytes.NewReader([]byte("1234")), iotest.ErrReader(errors.New("connection reset"))),
	} {
		_, err := w.Store.PutPart(w.Ctx(), key, upload, 1, body, 5)
		w.Log(name)
		w.Refused(err, fault.Invalid, blobstore.ReasonBodyEnded)
	}
	wrong := fault.New(fault.Forbidden, "wrong", "These are other bytes.")
	_, err := w.Store.PutPart(w.Ctx(), key, upload, 1,
		io.MultiReader(bytes.NewReader([]byte("1234")), iotest.ErrReader(wrong)), 5)
	w.Refused(err, fault.Forbidden, "wrong")
	parts, err := w.Store.Parts(w.Ctx(), key, upload)
	w.Must(err)
	w.Equal(0, len(parts))
	w.Put(key, upload, 1, []byte("12345"))
	w.Complete(key, upload)
}

// exactPart has parts come from one body, as a restore has them.
func exactPart(w *W) {
	all := append(Bytes(2*blobstore.MinPart, 1), "the end"...)
	body := bytes.NewReader(all)
	key, upload := w.Begin()
	for i, size := range []int{blobstore.MinPart, blobstore.MinPart, len("the end")} {
		part, err := w.Store.PutPart(w.Ctx(), key, upload, i+1, onlyReader{body}, int64(size))
		w.Must(err)
		w.Equal(int64(size), part.Size)
	}
	w.Complete(key, upload)
	if !bytes.Equal(w.Read(key, 0, -1), all) {
		w.Error("other bytes came back")
	}
}

// onlyReader hides what else a reader can do.
type onlyReader struct{ io.Reader }

func badArguments(w *W) {
	key, upload := w.Begin()
	for _, number := range []int{-1, 0, blobstore.MaxParts + 1} {
		_, err := w.Store.PutPart(w.Ctx(), key, upload, number, bytes.NewReader(nil), 0)
		w.Refused(err, fault.Invalid, "")
	}
	w.Put(key, upload, blobstore.MaxParts, nil)
	for _, bad := range []string{"", "short", "../../../../etc/passwd", "aaaaaaaaaaaaaaaaaaaa/.",
		"aaaaaaaaaaaaaaaaaaaaa\x00", "aaaaaaaaaaaaaaaaaaaaaaa", "%2e%2e%2faaaaaaaaaaaaa"} {
		w.badKey(bad)
	}
}

// badKey calls every method with the key.
func (w *W) badKey(key string) {
	ctx := w.Ctx()
	for name, try := range map[string]func() error{
		"Begin": func() error { _, err := w.Store.Begin(ctx, key); return err },
		"PutPart": func() error {
			_, err := w.Store.PutPart(ctx, key, "u", 1, bytes.NewReader(nil), 0)
			return err
		},
		"Parts":      func() error { _, err := w.Store.Parts(ctx, key, "u"); return err },
		"Complete":   func() error { return w.Store.Complete(ctx, key, "u", nil) },
		"Abort":      func() error { return w.Store.Abort(ctx, key, "u") },
		"Open":       func() error { _, err := w.Store.Open(ctx, key, 0, -1); return err },
		"Stat":       func() error { _, err := w.Store.Stat(ctx, key); return err },
		"Delete":     func() error { return w.Store.Delete(ctx, key) },
		"Quarantine": func() error { return w.Store.Quarantine(ctx, key) },
	} {
		w.Log(name, key)
		w.Refused(try(), fault.Invalid, blobstore.ReasonBadKey)
	}
}

func tidy(w *W) {
	kept := w.Store1([]byte("stored"))
	key, upload := w.Begin()
	part := w.Put(key, upload, 1, []byte("bytes"))
	w.Must(w.Store.Tidy(w.Ctx(), w.earlier()))
	parts, err := w.Store.Parts(w.Ctx(), key, upload)
	w.Must(err)
	w.Equal([]blobstore.Part{part}, parts)
	w.Must(w.Store.Tidy(w.Ctx(), w.later()))
	_, err = w.Store.Parts(w.Ctx(), key, upload)
	w.Refused(err, fault.Gone, blobstore.ReasonUploadEnded)
	w.Equal("stored", string(w.Read(kept, 0, -1)))
}

func sum(w *W) {
	for _, size := range []int{0, 1, 4096, 4097, blobstore.MinPart + 3} {
		body := Bytes(size, 9)
		var seen int64
		got, err := blobstore.Sum(w.Ctx(), w.Store, w.Store1(body), func(n int64) { seen = n })
		w.Must(err)
		strong, weak := sha256.Sum256(body), sha1.Sum(body)
		w.Equal(blobstore.Digest{Size: int64(size), SHA256: strong[:], SHA1: weak[:],
			CRC32: binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(body)),
			Head:  append([]byte{}, body[:min(size, 4096)]...)}, got)
		w.Equal(int64(size), seen)
	}
	_, err := blobstore.Sum(w.Ctx(), w.Store, w.Ambient.UID(), nil)
	w.Refused(err, fault.NotFound, "")
}
