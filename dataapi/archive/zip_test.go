package archive

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// shelfStore has the pages of one archive, whose files are zeros: no test can
// wait for real ones of this size.
type shelfStore struct {
	Store
	pages []storage.ArchivePage
}

func (s shelfStore) FindArchivePage(_ context.Context, a storage.Archive, at int64) (storage.ArchivePage, error) {
	last := s.pages[0]
	for _, p := range s.pages {
		if at < a.Central && p.Start <= at || at >= a.Central && p.Central <= at {
			last = p
		}
	}
	return last, nil
}

func (shelfStore) FindEnds(context.Context, storage.Caller, string,
	[]storage.End) (storage.Place, []storage.Found, error) {
	return storage.Place{
		Hub: storage.Hub{Active: true}, Project: storage.Project{Active: true},
		Standing: storage.Standing{Caller: storage.Caller{UserID: "U"}, AppLevel: storage.LevelControl,
			AppActsFor: true, UserEnabled: true,
			HubMember: true, HubAdmin: true},
	}, nil, nil
}

func (shelfStore) AnyInfected(context.Context, []string) (bool, error) { return false, nil }

type zeros struct{ blobstore.Store }

func (zeros) Open(context.Context, string, int64, int64) (io.ReadCloser, error) {
	return io.NopCloser(endless{}), nil
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// anywhere reads an archive at any place.
type anywhere struct {
	mu sync.Mutex
	r  *reader
}

func (a *anywhere) ReadAt(p []byte, at int64) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, err := a.r.Seek(at, io.SeekStart); err != nil {
		return 0, err
	}
	return io.ReadFull(a.r, p)
}

// layOut makes an archive of the entries.
func layOut(t *testing.T, entries []entry) *reader {
	t.Helper()
	pages, length, directory, err := pagesOf(entries)
	if err != nil {
		t.Fatal(err)
	}
	archive := storage.Archive{Files: len(entries), Central: length,
		Size: length + directory + endLength(int64(len(entries)), length)}
	rules := &Rules{store: shelfStore{pages: pages}, blobs: zeros{}, ambient: ambient.System()}
	return &reader{ctx: t.Context(), rules: rules, archive: archive,
		who: reading{still: func(context.Context) error { return nil }}}
}

// Rule: ZIP-8
func TestLargeArchivesAreReadAsTheyAreWritten(t *testing.T) {
	entries := []entry{
		{Path: "a/5 GiB", Size: 5 << 30, CRC32: 7, Time: 1_700_000_000, Blob: "b"},
		{Path: "a/most of the old", Size: fits32 - 1, Blob: "b"},
		{Path: "a/first of the new", Size: fits32, Blob: "b"},
	}
	for i := range fits16 {
		entries = append(entries, textEntry(fmt.Sprintf("a/%d", i), fmt.Sprint(i), 0))
	}
	r := layOut(t, entries)
	got, err := zip.NewReader(&anywhere{r: r}, r.archive.Size)
	if err != nil || len(got.File) != len(entries) {
		t.Fatal(err)
	}
	for i, f := range got.File {
		if e := entries[i]; f.Name != e.Path || f.UncompressedSize64 != uint64(e.Size) || f.CRC32 != e.CRC32 {
			t.Fatalf("%d: %+v, want %+v", i, f.FileHeader, e)
		}
	}
	for _, i := range []int{3, 4, len(entries) - 1} { // behind more than the old format can tell
		from, err := got.File[i].Open()
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(from); err != nil || string(text) != string(entries[i].Text) {
			t.Errorf("%d: %q, %v", i, text, err)
		}
	}
	if got.File[0].Modified.Unix() != 1_700_000_000 {
		t.Errorf("changed at %v", got.File[0].Modified)
	}
}

// Rule: ZIP-8
func TestSmallArchivesNeedNoZIP64(t *testing.T) {
	r := layOut(t, []entry{{Path: "a/folder/"}, textEntry("a/file.txt", "text", 0)})
	all, err := io.ReadAll(r)
	if err != nil || int64(len(all)) != r.archive.Size {
		t.Fatalf("%d of %d bytes, %v", len(all), r.archive.Size, err)
	}
	for _, mark := range []uint32{end64Mark, locatorMark} {
		if bytes.Contains(all, little(nil, mark)) {
			t.Errorf("%x is there", mark)
		}
	}
}

// Rule: ZIP-1
func TestNamesFitEverySystemAndStayApart(t *testing.T) {
	for name, want := range map[string]string{
		"plan.pdf": "plan.pdf", "": "_", ".": "_", "..": "_", "../../etc/passwd": ".._.._etc_passwd", `C:\x`: "C__x",
		"a\x00b\n": "a_b_", "end.": "end_", "end ": "end_", "CON": "CON_", "con.tar.gz": "con_.tar.gz",
		"Lpt1.txt":    "Lpt1_.txt",
		"console.txt": "console.txt", "aux .txt": "aux _.txt", "bad\xffutf": "bad_utf",
		strings.Repeat("图", 120):                                       strings.Repeat("图", 85),
		strings.Repeat("图", 90) + ".tar.gz":                            strings.Repeat("图", 84) + ".gz",
		"con." + strings.Repeat("ب", 150):                              "con_." + strings.Repeat("ب", 125),
		strings.Repeat("a", 254) + ".b":                                strings.Repeat("a", 253) + ".b",
		strings.Repeat("é", 120) + " " + strings.Repeat(".", 20) + "x": strings.Repeat("é", 120) + ".x",
	} {
		if got := fit(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	taken := names{}
	var got []string
	for _, name := range []string{"A.txt", "a.TXT", "a.txt", "b", "B", "a (2).txt"} {
		got = append(got, taken.give(name))
	}
	if want := "A.txt, a (2).TXT, a (3).txt, b, B (2), a (2) (2).txt"; strings.Join(got, ", ") != want {
		t.Errorf("%q, want %s", got, want)
	}
	for _, end := range []string{".pdf", "图.pdf", "", "图"} { // apart by what does not fit
		if got := taken.give(strings.Repeat("图", 90) + end); len(got) > 255 {
			t.Errorf("%d bytes: %q", len(got), got)
		}
	}
	if len(taken) != 10 {
		t.Errorf("%d names of 10", len(taken))
	}
}

// Rule: ZIP-7
func TestAStreamThatIsDoneGivesItsPlaceBack(t *testing.T) {
	var s streams
	var done []func()
	for range maxStreams {
		end, err := s.begin("U")
		if err != nil {
			t.Fatal(err)
		}
		done = append(done, end)
	}
	if _, err := s.begin("U"); err == nil {
		t.Error("one more begins")
	}
	for _, end := range done {
		end()
	}
	if _, err := s.begin("U"); err != nil || len(s.now) != 1 {
		t.Errorf("%v, %v", err, s.now)
	}
}

// silent is a place for bytes that says nothing.
type silent struct{ blobstore.Store }

func (silent) Open(ctx context.Context, _ string, _, _ int64) (io.ReadCloser, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// It holds one of the places in which archives are made.
//
// Rule: ZIP-10
func TestSumsOfAStoreThatIsSilentAreWaitedForNoLongerThanSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(Options{Blobs: silent{}, Ambient: ambient.System()})
		if err := r.sum(t.Context(), []storage.PackedFile{{Stored: true, Bytes: storage.Bytes{Blob: "blob"}}}); err == nil {
			t.Error("the sum is known")
		}
	})
}
