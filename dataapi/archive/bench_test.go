package archive_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/datatest"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// BenchmarkArchive packs a folder of 70 000 files of 72 KiB, 5 GB in all, and
// reads the archive: whole, and from its middle on. One time is enough: -benchtime 1x.
func BenchmarkArchive(b *testing.B) {
	for name, place := range map[string]struct {
		database func(testing.TB) string
		blobs    func(testing.TB) blobstore.Store
	}{"sqlite, files": {sqlitetest.URL, files}, "postgres, S3": {pgtest.URL, s3}} {
		b.Run(name, func(b *testing.B) {
			w := &world{World: datatest.New(b, place.database(b)), Blobs: place.blobs(b)}
			server := w.Listen()
			server.Config.Handler = w.handler(false) // nobody keeps what is sent
			server.Start()
			b.Cleanup(server.Close)
			w.people()
			w.large(70_000, 72<<10)
			for b.Loop() {
				w.measure(b)
			}
		})
	}
}

// large fills the folder with files whose bytes are those of a hundred.
func (w *world) large(n, size int) {
	w.Helper()
	var sources []string
	body := make([]byte, size)
	for i := range 100 {
		_, _ = rand.NewChaCha8([32]byte{byte(i)}).Read(body)
		sources = append(sources, w.file(w.Top, fmt.Sprintf("source %d.bin", i), string(body)))
	}
	folders := make([]storage.Folder, 700)
	for i := range folders {
		folders[i] = w.folder(w.Top.ID, fmt.Sprintf("Folder %d", i))
	}
	var all sync.WaitGroup
	for part := range 8 {
		all.Go(func() {
			for i := part; i < n-len(sources); i += 8 {
				name := fmt.Sprintf("Drawing %d.bin", i)
				_, err := w.Store.CreateItem(w.Context(), w.Operator(), w.Project.ID,
					storage.Item{ID: w.Ambient.UID(), FolderID: folders[i%len(folders)].ID, Name: name},
					storage.NewVersion{Name: name, CopyFrom: &storage.VersionRef{ItemID: sources[i%len(sources)], Number: 1}})
				if err != nil {
					w.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func (w *world) measure(b *testing.B) {
	began := time.Now()
	m := w.pack(reader, w.Top)
	b.ReportMetric(time.Since(began).Seconds(), "s-to-pack")
	peak := new(runtime.MemStats)
	take := func(headers ...string) (float64, time.Duration) {
		request, err := http.NewRequestWithContext(b.Context(), "GET", m.URL, nil)
		w.Must(err)
		for i := 0; i < len(headers); i += 2 {
			request.Header.Set(headers[i], headers[i+1])
		}
		began := time.Now()
		got, err := http.DefaultClient.Do(request)
		w.Must(err)
		defer func() { _ = got.Body.Close() }()
		first := time.Since(began)
		buffer, total, next := make([]byte, 1<<20), int64(0), int64(0)
		for {
			n, err := got.Body.Read(buffer)
			total += int64(n)
			if total >= next {
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				if now.HeapInuse > peak.HeapInuse {
					*peak = now
				}
				next += 256 << 20
			}
			if err == io.EOF {
				break
			}
			w.Must(err)
		}
		return float64(total) / 1e6 / time.Since(began).Seconds(), first
	}
	runtime.GC()
	rate, first := take()
	b.ReportMetric(rate, "MB/s")
	b.ReportMetric(float64(first.Milliseconds()), "ms-first")
	_, first = take("Range", fmt.Sprintf("bytes=%d-%d", m.Size/2, m.Size/2+1000))
	b.ReportMetric(float64(first.Milliseconds()), "ms-middle")
	b.ReportMetric(float64(peak.HeapInuse)/1e6, "MB-heap")
	b.ReportMetric(float64(m.Size)/1e9, "GB")
}
