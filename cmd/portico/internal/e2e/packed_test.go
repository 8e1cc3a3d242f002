package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/storage"
)

// soakPacked sets how many files are in the folder that is packed, of 72 KiB each; make
// soak-zip sets it to the full size.
const soakPacked = "PORTICO_SOAK_PACKED"

const (
	quickPacked   = 300
	packedSize    = 72 << 10
	packedSources = 20 // whose bytes all files have

	// listedSize is what a server may have in memory for each file while an archive is
	// made: its list is, two at a time.
	listedSize = 4 << 10
)

// packed fills the yard's folder with so many files, in folders of a hundred.
func (q *quay) packed(person *visitor, folder string, files int) {
	q.Helper()
	source := ambient.System()
	change := storage.Change{Act: storage.Act{At: source.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}}
	var sources []string
	for n := range packedSources {
		body := []byte(strings.Repeat(fmt.Sprintf("%08d", n), packedSize/8))
		name := fmt.Sprintf("source %d.bin", n)
		if got := person.uploadAs(name, folder+"/upload", "files", body); got.Status != http.StatusSeeOther {
			q.Fatalf("%s: %d\n%s", name, got.Status, got.Body)
		}
		found, err := q.store.ListContents(q.Context(), q.project, q.files, storage.ContentsQuery{Named: name},
			storage.DataPage{})
		q.must(err)
		sources = append(sources, found.Items[0].Item.ID)
	}
	folders := make([]string, files/100)
	for n := range folders {
		made, err := q.store.CreateFolder(q.Context(), change, q.project,
			storage.Folder{ID: source.UID(), ParentID: q.files, Name: fmt.Sprintf("Folder %d", n)})
		q.must(err)
		folders[n] = made.ID
	}
	const hands = 2 // one writes while the other asks
	var all sync.WaitGroup
	for hand := range hands {
		all.Go(func() {
			for n := hand; n < files-packedSources; n += hands {
				name := fmt.Sprintf("Drawing %d.bin", n)
				q.patiently(func() error {
					_, err := q.store.CreateItem(q.Context(), change, q.project,
						storage.Item{ID: source.UID(), FolderID: folders[n%len(folders)], Name: name},
						storage.NewVersion{Name: name, CopyFrom: &storage.VersionRef{ItemID: sources[n%packedSources], Number: 1}})
					return err
				})
			}
		})
	}
	all.Wait()
}

// patiently does what others who write at the moment keep from being done.
func (q *quay) patiently(act func() error) {
	q.Helper()
	err := act()
	for fault.Is(err, fault.Unavailable) {
		err = act()
	}
	if err != nil {
		q.Error(err)
	}
}

// curl gets an address into a file, and goes on where that ends.
func (q *quay) curl(file, address string) {
	q.Helper()
	out, err := exec.CommandContext(q.Context(), "curl", "-sS", "--fail", "-C", "-", "-o", file, address).CombinedOutput()
	if err != nil {
		q.Fatalf("curl: %v: %s", err, out)
	}
}

// curlUpTo is curl that is killed after so many bytes.
func (q *quay) curlUpTo(file, address string, most int64) {
	q.Helper()
	into := must(os.Create(file))
	defer into.Close()
	command := exec.CommandContext(q.Context(), "curl", "-sS", "--fail", address)
	out := must(command.StdoutPipe())
	q.must(command.Start())
	_, err := io.CopyN(into, out, most)
	q.must(err)
	q.must(command.Process.Kill())
	_ = command.Wait()
}

// readsPacked has programs that others wrote test an archive of so many files.
func (q *quay) readsPacked(file string, files int) {
	q.Helper()
	seven := "7zz"
	if _, err := exec.LookPath(seven); err != nil {
		seven = "7z"
	}
	const python = `import sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None and len(z.namelist()) == int(sys.argv[2])`
	for _, command := range [][]string{{"unzip", "-tqq", file}, {seven, "t", file}, {"bsdtar", "-xOf", file},
		{"python3", "-c", python, file, strconv.Itoa(files)}} {
		run := exec.CommandContext(q.Context(), command[0], command[1:]...)
		var said strings.Builder
		run.Env, run.Stderr = append(os.Environ(), "LC_ALL=C.UTF-8"), &said
		if err := run.Run(); err != nil || said.Len() > 0 {
			q.Errorf("%v: %v\n%s", command, err, said.String())
		}
	}
}

// Rule: ZIP-9
func TestAFolderOfVeryManyFilesIsOneZIPFileThatCurlGoesOnWith(t *testing.T) {
	files := quickPacked
	if text := os.Getenv(soakPacked); text != "" {
		files = must(strconv.Atoi(text))
	}
	at := func(name, database string, bucket bool) {
		t.Run(name, func(t *testing.T) {
			q := newQuay(t, database, bucket)
			q.person("crane@example.test")
			q.command("", "member", "add", "--project", q.project, "--user", "crane@example.test", "--role", "admin")
			folder := "/files/projects/" + q.project + "/folders/" + folderURN(q.files)
			q.packed(q.signedIn("crane@example.test"), folder, files)
			before, began := residentPeak(q.site), time.Now()

			got := q.bearing(q.token, http.MethodPost, "/files/v1/projects/"+q.project+"/archives",
				`{"folder":"`+folderURN(q.files)+`"}`)
			var made struct {
				URL   string
				Size  int64
				Files int
			}
			q.must(json.Unmarshal([]byte(got.Body), &made))
			took, listed := time.Since(began), residentPeak(q.site)
			head := must(q.plain.Head(made.URL))
			if head.ContentLength != made.Size || made.Size < int64(files)*packedSize {
				t.Errorf("%d bytes of %d files are announced as %d", made.Size, made.Files, head.ContentLength)
			}
			file := filepath.Join(t.TempDir(), "all.zip")
			q.curlUpTo(file, made.URL, made.Size/3)
			begun := residentPeak(q.site) // with what the engine keeps of what it reads
			began = time.Now()
			q.curl(file, made.URL)
			rest := time.Since(began)
			if came := must(os.Stat(file)).Size(); came != made.Size {
				t.Errorf("%d of %d bytes came", came, made.Size)
			}
			q.readsPacked(file, made.Files)
			grown := residentPeak(q.site) - begun
			t.Logf("%d files, %d MB: listed in %v, with %d MB more; a third with %d MB more, two thirds in %v with %d",
				made.Files, made.Size/1_000_000, took, (listed-before)/1_000_000, (begun-listed)/1_000_000, rest,
				grown/1_000_000)
			if most := int64(flatGrowth + made.Files*listedSize); listed-before > most || grown > flatGrowth {
				t.Errorf("the server has taken %d bytes for the list, and %d more for the bytes", listed-before, grown)
			}
		})
	}
	at("sqlite, files", sqliteURL(t), false)
	at("postgres, S3", pgtest.URL(t), true)
}
