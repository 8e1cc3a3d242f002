package objects_test

import (
	"log/slog"
	"net/http"
	"net/url"
	"testing"

	"github.com/portico-id/portico/dataapi/objects"
	"github.com/portico-id/portico/storage"
)

// scanned puts a scanner before the bytes that never comes to look at them.
func (w *world) scanned(meanwhile bool) {
	w.Helper()
	w.scanner = objects.NewScanner(objects.ScannerOptions{
		Store: w.Store, Blobs: w.Blobs, Ambient: w.Ambient, Log: slog.New(slog.DiscardHandler), Meanwhile: meanwhile,
	})
	w.serve()
}

// Rule: OBJ-53
func TestBytesThatNobodyHasScannedAreLockedAtEveryAddress(t *testing.T) {
	w := here(t)
	w.scanned(true)
	path := w.upload("file.txt", []byte("bytes"))
	where := ok[download](w, w.call(publisher, "GET", path+"/signeds3download", nil))
	w.Equal("bytes", string(w.send("GET", where.URL, nil).Body))
	before, err := url.Parse(where.URL)
	w.Must(err)
	w.scanned(false)
	for _, got := range []answer{
		w.call(publisher, "GET", path, nil), w.call(publisher, "GET", path+"/signeds3download", nil),
		w.send("GET", w.URL+before.EscapedPath(), nil),
	} {
		w.Equal([]any{http.StatusLocked, "2"}, []any{got.Status, got.Header.Get("Retry-After")})
	}
	if details := w.call(publisher, "GET", path+"/details", nil); details.Status != http.StatusOK {
		t.Errorf("details: %d", details.Status)
	}
	act := w.Operator().Act
	w.Must(w.Store.EndScan(t.Context(), act, bucket, keyOf(path), ""))
	w.Equal("bytes", string(w.call(publisher, "GET", path, nil).Body))
	w.scanner = nil
	w.serve()
	other := w.upload("other.txt", []byte("bytes"))
	object, err := w.Store.FindObject(t.Context(), bucket, keyOf(other))
	w.Must(err)
	w.Equal(storage.ScanNone, object.Scan)
}
