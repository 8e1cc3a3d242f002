package objects_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

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

// looks is a scanner that does with the bytes of each file what it is told.
type looks func(ctx context.Context, body string) error

// Scan implements objects.Antivirus.
func (l looks) Scan(ctx context.Context, body io.Reader) (string, error) {
	text, err := io.ReadAll(body)
	if err == nil {
		err = l(ctx, string(text))
	}
	return "", err
}

// scanning looks at what is uploaded until the function that it returns is called.
func (w *world) scanning(look looks) (stop func()) {
	w.scanned(false)
	w.scanner.Antivirus = look
	ctx, cancel := context.WithCancel(w.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.scanner.Run(ctx)
	}()
	return func() { cancel(); <-done }
}

// due are the names of the files that wait for a scan then.
func (w *world) due(then time.Time) (names []string) {
	w.Helper()
	waiting, err := w.Store.ClaimScans(w.Context(), then, then, 10)
	w.Must(err)
	for _, object := range waiting {
		names = append(names, object.Name)
	}
	return names
}

// Rule: OBJ-59
func TestAFileThatIsScannedForLongHoldsUpNoOther(t *testing.T) {
	w := here(t)
	begun := make(chan struct{})
	stop := w.scanning(func(ctx context.Context, body string) error {
		if body != "large" {
			return nil
		}
		close(begun)
		<-ctx.Done()
		return ctx.Err()
	})
	w.upload("large.txt", []byte("large"))
	<-begun
	path := w.upload("small.txt", []byte("small"))
	for range 1000 {
		if w.call(publisher, "GET", path, nil).Status != http.StatusLocked {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	w.Equal("small", string(w.call(publisher, "GET", path, nil).Body))
	stop()
	w.Equal([]string{"large.txt"}, w.due(w.Ambient.Now())) // for the next server
}

// Rule: OBJ-59
func TestAFileWhoseScannerIsAwayIsTriedAgainSoon(t *testing.T) {
	w := here(t)
	tried := make(chan struct{}, 10)
	defer w.scanning(func(_ context.Context, body string) error {
		tried <- struct{}{}
		if body == "odd" {
			return errors.New("clamd says no")
		}
		return &net.OpError{Op: "dial", Err: errors.New("nobody listens")}
	})()
	w.upload("one.txt", []byte("one"))
	w.upload("odd.txt", []byte("odd"))
	<-tried
	<-tried
	var soon []string
	for range 1000 {
		if soon = w.due(w.Ambient.Now().Add(time.Minute)); soon != nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	w.Equal([]string{"one.txt"}, soon)
	w.Equal([]string{"one.txt", "odd.txt"}, w.due(w.Ambient.Now().Add(storage.ScanWithin)))
}
