package archive_test

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/datatest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// plans fills the folder with what is awkward to pack, and returns what an
// archive of it has, by path.
func (w *world) plans() map[string]string {
	w.Helper()
	want := map[string]string{}
	add := func(folder storage.Folder, path, name, body string) {
		w.file(folder, name, body)
		want["Drawings/"+path] = body
	}
	long := strings.Repeat("é", 120) + ".txt"
	for name, path := range map[string]string{
		"01 Ground floor.pdf": "01 Ground floor.pdf", "empty.txt": "empty.txt", "# % & + ; ' é.txt": "# % & + ; ' é.txt",
		"😀 خطة.txt": "😀 خطة.txt", "CON": "CON_", "nul.txt": "nul_.txt", "trailing. ": "trailing_", "a:b.txt": "a_b.txt",
		"a_b.txt": "a_b (2).txt", long: long, "Ground": "Ground (2)",
	} {
		body := "of " + name
		if name == "empty.txt" {
			body = ""
		}
		add(w.Top, path, name, body)
	}
	longer := strings.Repeat("图", 84)
	add(w.folder(w.Top.ID, longer+"图纸"), longer+"图/"+longer+".md", longer+"图纸.md", "of a long name")
	ground := w.folder(w.Top.ID, "Ground")
	add(w.folder(ground.ID, "Doors"), "Ground/Doors/d.bin", "d.bin", strings.Repeat("door", 70_000))
	w.folder(ground.ID, "Nothing")
	want["Drawings/Ground/Nothing/"] = ""
	return want
}

// unzipped are the files of an archive, by path, as Go reads them.
func unzipped(w *world, body []byte) map[string]string {
	w.Helper()
	r, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	w.Must(err)
	got := map[string]string{}
	for _, f := range r.File {
		from, err := f.Open()
		w.Must(err)
		all, err := io.ReadAll(from)
		w.Must(err)
		got[f.Name] = string(all)
	}
	return got
}

// Rule: ZIP-1
func TestAFolderIsPackedAsEveryProgramUnpacksIt(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		want := w.plans()
		m := w.pack(reader, w.Top)
		w.Equal("Drawings.zip", m.Name)
		got := w.send("GET", m.URL, nil)
		w.Equal([]string{strconv.FormatInt(m.Size, 10), "application/zip", "bytes",
			`attachment; filename="Drawings.zip"; filename*=UTF-8''Drawings.zip`}, []string{got.Header.Get("Content-Length"),
			got.Header.Get("Content-Type"), got.Header.Get("Accept-Ranges"), got.Header.Get("Content-Disposition")})
		files := unzipped(w, got.Body)
		w.Equal(want, files)
		w.Equal(len(want), m.Files)
		others(w, got.Body)
	})
}

// others has programs that others wrote test the archive and unpack it.
func others(w *world, body []byte) {
	w.Helper()
	file := filepath.Join(w.TempDir(), "a.zip")
	w.Must(os.WriteFile(file, body, 0o600))
	seven := "7zz"
	if _, err := exec.LookPath(seven); err != nil {
		seven = "7z"
	}
	const python = `import sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
assert [i.filename for i in z.infolist()] == sorted(i.filename for i in z.infolist())`
	for _, command := range [][]string{
		{"unzip", "-t", file}, {seven, "t", file}, {"bsdtar", "-tf", file},
		{"bsdtar", "-xf", file, "-C", w.TempDir()}, {"python3", "-c", python, file},
	} {
		run := exec.CommandContext(w.Context(), command[0], command[1:]...)
		run.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
		if out, err := run.CombinedOutput(); err != nil || bytes.Contains(bytes.ToLower(out), []byte("warning")) {
			w.Errorf("%v: %v\n%s", command, err, out)
		}
	}
}

// Rule: ZIP-2
func TestAnArchiveGoesOnWhereItBrokeWhateverHappensMeanwhile(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		first := w.file(w.Top, "a.txt", "first")
		w.file(w.folder(w.Top.ID, "Below"), "b.txt", "second")
		m := w.pack(reader, w.Top)
		whole := w.send("GET", m.URL, nil)
		// The folder goes on: the list does not.
		_, err := w.Store.AddVersion(t.Context(), w.Operator(), w.Project.ID, first,
			storage.NewVersion{Name: "a2.txt", Bucket: "b", ObjectKey: w.object("newer", storage.ScanNone, false),
				RenameItem: true})
		w.Must(err)
		w.file(w.Top, "c.txt", "third")
		for from := range len(whole.Body) {
			got := w.send("GET", m.URL, nil, "Range", "bytes="+strconv.Itoa(from)+"-", "If-Range", whole.Header.Get("ETag"))
			if got.Status != http.StatusPartialContent || !bytes.Equal(got.Body, whole.Body[from:]) {
				t.Fatalf("from %d: %d, %d bytes", from, got.Status, len(got.Body))
			}
		}
		middle := w.send("GET", m.URL, nil, "Range", "bytes=10-20")
		w.Equal(whole.Body[10:21], middle.Body)
		w.Equal(http.StatusRequestedRangeNotSatisfiable, w.send("GET", m.URL, nil, "Range", "bytes=99999-").Status)
		w.Equal(http.StatusNotModified, w.send("GET", m.URL, nil, "If-None-Match", whole.Header.Get("ETag")).Status)
		w.Equal(http.StatusOK, w.send("GET", m.URL, nil, "Range", "bytes=5-", "If-Range", `"another"`).Status)
		w.Equal(http.StatusPreconditionFailed, w.send("GET", m.URL, nil, "If-Match", `"another"`).Status)
		w.Equal(http.StatusOK, w.send("GET", m.URL, nil, "If-Match", whole.Header.Get("ETag")).Status)
		head := w.send("HEAD", m.URL, nil)
		w.Equal(whole.Header.Get("Content-Length"), head.Header.Get("Content-Length"))
		again := w.send("GET", w.pack(reader, w.Top).URL, nil)
		w.Equal([]string{"Drawings/Below/b.txt", "Drawings/a2.txt", "Drawings/c.txt"},
			slices.Sorted(maps.Keys(unzipped(w, again.Body))))
	})
}

// Rule: ZIP-3
func TestWhatCannotBePackedIsNamedAndNothingHiddenIs(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		w.file(w.Top, "good.txt", "good")
		w.hide(w.file(w.Top, "secret.txt", "secret"))
		below := w.folder(w.Top.ID, "Secret folder")
		w.file(below, "inside.txt", "secret")
		yes := true
		_, err := w.Store.UpdateFolder(t.Context(), w.Operator(), w.Project.ID, below.ID, storage.FolderPatch{Hidden: &yes})
		w.Must(err)
		w.item(w.Top, "waiting.txt", w.object("waiting", storage.ScanPending, false))
		bad := w.object("bad", storage.ScanPending, false)
		w.item(w.Top, "bad.txt", bad)
		w.Must(w.Store.EndScan(t.Context(), w.Operator().Act, "b", bad, "Eicar"))
		w.item(w.Top, "without.txt", "")
		w.file(w.Top, "_missing.txt", "of somebody")
		for _, user := range []string{reader, editor} {
			m := w.pack(user, w.Top)
			got := w.send("GET", m.URL, nil)
			w.Equal(map[string]string{
				"Drawings/good.txt": "good", "Drawings/_missing (2).txt": "of somebody",
				"Drawings/_missing.txt": "Drawings/bad.txt: The virus scanner has found Eicar in it.\r\n" +
					"Drawings/waiting.txt: The virus scanner has not looked at it yet.\r\nDrawings/without.txt: It has no bytes.\r\n",
			}, unzipped(w, got.Body))
			w.Equal(3, m.Missing)
			if bytes.Contains(got.Body, []byte("ecret")) {
				t.Error("something hidden is told")
			}
		}
	})
}

// Rule: ZIP-4
func TestAChoiceIsPackedAlone(t *testing.T) {
	w := here(t)
	one := w.file(w.Top, "one.txt", "1")
	w.file(w.Top, "two.txt", "2")
	below := w.folder(w.Top.ID, "Below")
	deep := w.file(below, "deep.txt", "3")
	chosen := wanted{Folder: folderURN + w.Top.ID, Folders: []string{folderURN + below.ID},
		Items: []string{itemURN + one, itemURN + one}}
	got := w.send("GET", w.made(w.ask(reader, chosen)).URL, nil)
	w.Equal(map[string]string{"Drawings/one.txt": "1", "Drawings/Below/deep.txt": "3"}, unzipped(w, got.Body))
	w.refused(w.ask(reader, wanted{Folder: folderURN + w.Top.ID, Items: []string{itemURN + deep}}),
		404, "chosen_not_found")
	for _, wrong := range []any{
		wanted{Folder: "x"}, wanted{Folder: folderURN + w.Top.ID, Items: []string{"x"}},
		map[string]any{"folder": folderURN + w.Top.ID, "items": []string{}},
		wanted{Folder: folderURN + w.Top.ID, Folders: slices.Repeat([]string{folderURN + below.ID}, 1001)},
	} {
		w.refused(w.ask(reader, wrong), 422, "invalid_field")
	}
	w.Equal(400, w.ask(reader, "x").Status)
	w.Equal(415, w.send("POST", w.URL+"/files/v1/projects/"+w.Project.ID+"/archives", []byte("{}"),
		"Authorization", "Bearer "+w.Token(app, reader, read), "Content-Type", "text/plain").Status)
	w.Equal(413, w.ask(reader, strings.Repeat("x", 2<<20)).Status)
}

// Rule: ZIP-5
func TestWhoMayNotDownloadTheFolderGetsNoArchiveOfIt(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		w.file(w.Top, "a.txt", "a")
		for level, want := range map[storage.Level]int{
			storage.LevelView: 403, storage.LevelDownload: 201, storage.LevelPublish: 201, storage.LevelCollaborate: 201,
			storage.LevelEdit: 201, storage.LevelControl: 201,
		} {
			user := w.User(strings.Repeat(strconv.Itoa(int(level)), 16))
			w.grant(w.Top, user, level)
			if got := w.ask(user, wanted{Folder: folderURN + w.Top.ID}); got.Status != want {
				t.Errorf("level %d: %d %s, want %d", level, got.Status, got.Body, want)
			}
		}
		w.refused(w.ask(outsider, wanted{Folder: folderURN + w.Top.ID}), 404, "project_not_found")
		w.refused(w.ask(reader, wanted{Folder: folderURN + w.Ambient.UID()}), 404, "folder_not_found")
		beside := w.folder(w.Project.RootFolderID, "Beside")
		w.refused(w.ask(reader, wanted{Folder: folderURN + beside.ID}), 403, "no_permission")
		w.refused(w.ask(reader, wanted{Folder: folderURN + w.Project.RootFolderID}), 403, "no_permission")
		yes := true
		_, err := w.Store.UpdateFolder(t.Context(), w.Operator(), w.Project.ID, w.Top.ID, storage.FolderPatch{Hidden: &yes})
		w.Must(err)
		w.refused(w.ask(editor, wanted{Folder: folderURN + w.Top.ID}), 404, "folder_not_found")
		w.Equal(401, w.send("POST", w.URL+"/files/v1/projects/"+w.Project.ID+"/archives", []byte("{}")).Status)
	})
}

// Rule: ZIP-6
func TestAnArchiveEndsWithTheRightToAnythingInIt(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		for name, take := range map[string]func(item string){
			"hidden": w.hide,
			"moved out of sight": func(item string) {
				beside := w.folder(w.Project.RootFolderID, "Beside").ID
				_, err := w.Store.UpdateItem(t.Context(), w.Operator(), w.Project.ID, item, storage.ItemPatch{FolderID: &beside})
				w.Must(err)
			},
			"no right any more": func(string) {
				w.Must(w.Store.RemoveFolderGrant(t.Context(), w.Operator(), w.Project.ID,
					storage.FolderGrant{FolderID: w.Top.ID, UserID: reader}))
			},
		} {
			t.Run(name, func(t *testing.T) {
				w.grant(w.Top, reader, storage.LevelDownload)
				item := w.file(w.Top, name+".txt", "bytes")
				m := w.pack(reader, w.Top)
				w.Equal(200, w.send("GET", m.URL, nil).Status)
				take(item)
				for range 2 {
					w.refused(w.send("GET", m.URL, nil, "Range", "bytes=40-"), 410, "archive_ended")
				}
			})
		}
	})
}

// Rule: ZIP-6
func TestAnArchiveEndsWithAFindingInAnythingInIt(t *testing.T) {
	w := &world{World: datatest.New(t, sqlitetest.URL(t)), Blobs: files(t)}
	w.serve(false)
	w.people()
	key := w.object("bytes", storage.ScanPending, false)
	w.item(w.Top, "a.txt", key)
	m := w.pack(reader, w.Top)
	w.Equal(map[string]string{"Drawings/a.txt": "bytes"}, unzipped(w, w.send("GET", m.URL, nil).Body))
	w.Must(w.Store.EndScan(t.Context(), w.Operator().Act, "b", key, "Eicar"))
	w.refused(w.send("GET", m.URL, nil), 410, "archive_ended")
}

// Rule: ZIP-6
func TestAnAddressOfAnArchiveIsForWhomItWasMade(t *testing.T) {
	w := here(t)
	w.file(w.Top, "a.txt", "a")
	m := w.pack(reader, w.Top)
	w.refused(w.send("GET", m.URL+"x", nil), 403, "address_invalid")
	w.Wait(storage.ArchiveLifetime - time.Minute)
	w.Equal(200, w.send("GET", m.URL, nil).Status)
	w.Wait(time.Minute)
	w.refused(w.send("GET", m.URL, nil), 410, "archive_ended")
	m = w.pack(reader, w.Top)
	w.Must(w.Store.SetUserDisabled(t.Context(), w.Operator().Act, reader, true))
	w.refused(w.send("GET", m.URL, nil), 403, "address_invalid")
}

// slow is a place for bytes that takes its time.
type slow struct {
	blobstore.Store
	wait func()
}

func (s slow) Open(ctx context.Context, key string, from, length int64) (io.ReadCloser, error) {
	s.wait()
	return s.Store.Open(ctx, key, from, length)
}

// Rule: OBJ-57
func TestSumsThatTakeLongAreMadeBitByBit(t *testing.T) {
	w := &world{World: datatest.New(t, sqlitetest.URL(t))}
	w.Blobs = slow{files(t), func() { w.Wait(time.Minute) }}
	w.serve(true)
	w.people()
	for _, name := range []string{"a", "b"} {
		w.item(w.Top, name, w.object(name, storage.ScanNone, true))
	}
	body := wanted{Folder: folderURN + w.Top.ID}
	got := w.ask(reader, body)
	w.refused(got, 503, "archive_preparing")
	w.Equal("1", got.Header.Get("Retry-After"))
	w.made(w.ask(reader, body)) // the first is not read again
}

// Rule: ZIP-10
func TestWhoHangsUpBeforeTheirTurnHasNothingPacked(t *testing.T) {
	w := here(t)
	begun, goOn := make(chan struct{}, 2), make(chan struct{})
	w.Blobs = slow{w.Blobs, func() { begun <- struct{}{}; <-goOn }}
	w.item(w.Top, "a", w.object("a", storage.ScanNone, true))
	h := w.handler(true)
	ask := func(ctx context.Context) *httptest.ResponseRecorder {
		body := strings.NewReader(`{"folder":"` + folderURN + w.Top.ID + `"}`)
		r := httptest.NewRequestWithContext(ctx, "POST", "/files/v1/projects/"+w.Project.ID+"/archives", body)
		r.Header.Set("Authorization", "Bearer "+w.Token(app, reader, read))
		r.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		return answer
	}
	var first sync.WaitGroup
	hungUp, hangUp := context.WithCancel(t.Context())
	for range 2 {
		first.Go(func() {
			if got := ask(hungUp); got.Code != http.StatusCreated { // what was begun goes on to its end
				t.Errorf("%d %s", got.Code, got.Body)
			}
		})
		<-begun
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		if got := ask(hungUp); got.Code == http.StatusCreated {
			t.Errorf("%d %s", got.Code, got.Body)
		}
	}()
	time.Sleep(300 * time.Millisecond) // it waits for its turn by now
	hangUp()
	select {
	case <-gone:
	case <-time.After(10 * time.Second):
		t.Error("who has hung up waits for their turn")
	}
	close(goOn)
	first.Wait()
	<-gone
}

// Rule: ZIP-7
func TestNobodyTakesMoreThanTwoArchivesAtATime(t *testing.T) {
	w := here(t)
	w.file(w.Top, "large.bin", strings.Repeat("bytes of a file that no buffer takes", 1_000_000))
	m := w.pack(reader, w.Top)
	for range 2 {
		request, err := http.NewRequestWithContext(t.Context(), "GET", m.URL, nil)
		w.Must(err)
		got, err := http.DefaultClient.Do(request)
		w.Must(err)
		defer func() { _ = got.Body.Close() }()
		w.Equal(200, got.StatusCode)
	}
	got := w.send("GET", m.URL, nil)
	w.refused(got, 429, "archive_streams")
	w.Equal("5", got.Header.Get("Retry-After"))
	w.Equal(200, w.send("GET", w.pack(editor, w.Top).URL, nil).Status)
}

// Rule: OBJ-57
func TestSumsOfBytesFromBeforeAreMadeWithTheFirstArchive(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		key := w.object("from before", storage.ScanNone, true)
		w.item(w.Top, "old.txt", key)
		got := w.send("GET", w.pack(reader, w.Top).URL, nil)
		w.Equal(map[string]string{"Drawings/old.txt": "from before"}, unzipped(w, got.Body))
		object, err := w.Store.FindObject(t.Context(), "b", key)
		w.Must(err)
		w.Equal(4, len(object.CRC32))
	})
}
