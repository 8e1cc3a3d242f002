package e2e

import (
	"fmt"
	"html"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage"
)

// soakFolderVariable sets how many files are in a folder that is shown; make
// soak-folder sets it to the full size.
const soakFolderVariable = "PORTICO_SOAK_FOLDER"

const (
	quickFolder = 1200

	// swift is what a page of such a folder takes at most, of 100 pages 95.
	swift = 100 * time.Millisecond

	// flatGrowth is what a server may take more than after all pages were shown once.
	flatGrowth = 40_000_000
)

func soakFolder(t *testing.T) (files int, whole bool) {
	t.Helper()
	text := os.Getenv(soakFolderVariable)
	if text == "" {
		return quickFolder, false
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < quickFolder {
		t.Fatalf("%s=%s: expected a number from %d", soakFolderVariable, text, quickFolder)
	}
	return n, true
}

// crammed puts so many files into the yard's folder.
func (y *yard) crammed(n int) {
	y.Helper()
	source := ambient.System()
	change := storage.Change{Act: storage.Act{At: source.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}}
	files := func(yield func(storage.BulkItem) bool) {
		for i := range n {
			if !yield(storage.BulkItem{ID: source.UID(), Folder: -1, CreatedAt: source.Now(), Versions: 1,
				Name: fmt.Sprintf("A drawing with a rather long name, %06d.pdf", i), MimeType: "application/pdf",
				FileType: "pdf", Size: 123_456}) {
				return
			}
		}
	}
	tree := storage.BulkTree{Into: y.files, Folders: func(func(storage.BulkFolder) bool) {}, Items: files}
	y.must(y.store.LoadTree(y.Context(), change, y.project, tree))
}

var (
	rowOf  = regexp.MustCompile(`A drawing with a rather long name, (\d+)\.pdf</bdi>`)
	nextOf = regexp.MustCompile(`id="next"[^>]* href="([^"]*)"`)
)

// Rule: FILES-22
func TestAFolderOfVeryManyFilesIsShownAtOnceInLittleMemory(t *testing.T) {
	inTurn(t, func(t *testing.T, database string) {
		y := newYard(t, database)
		n, whole := soakFolder(t)
		y.crammed(n)
		y.person("crane@example.test")
		y.command("", "member", "add", "--project", y.project, "--user", "crane@example.test", "--role", "admin")
		v := y.signedIn("crane@example.test")
		folder := "/files/projects/" + y.project + "/folders/" + folderURN(y.files)
		v.leafs(folder, n) // fills what the engine keeps in memory
		before, began := residentPeak(y.site), time.Now()
		took, last := v.leafs(folder, n)
		walked, grown := time.Since(began), residentPeak(y.site)-before
		heaviest := 0
		for _, path := range []string{folder, last, folder + "/search?q=drawing", folder + "/search?q=" + strconv.Itoa(n-1)} {
			weight, _ := v.weigh(path)
			heaviest = max(heaviest, weight)
		}
		slices.Sort(took)
		p95 := took[len(took)*95/100]
		t.Logf("%d files, %d pages in %v: median %v, p95 %v, most %v; at most %d bytes a page; memory %d MB, grown by %d MB",
			n, len(took), walked.Round(time.Millisecond), took[len(took)/2], p95, took[len(took)-1], heaviest,
			residentPeak(y.site)/1_000_000, grown/1_000_000)
		if heaviest >= maxWeight {
			t.Errorf("a page has %d bytes", heaviest)
		}
		if whole && p95 > swift {
			t.Errorf("95 of 100 pages take up to %v", p95)
		}
		if grown > flatGrowth {
			t.Errorf("the server has taken %d bytes more", grown)
		}
		if strings.Contains(v.fetch("GET", folder+"/search?q=nothing-like-it").Body, `id="found"`) {
			t.Error("something is found that is not there")
		}
	})
}

// leafs goes through all pages of a folder, which must show so many files, and returns
// how long each took, and the last.
func (v *visitor) leafs(folder string, n int) (took []time.Duration, last string) {
	v.Helper()
	seen := 0
	for path := folder; path != ""; {
		start := time.Now()
		got := v.fetch("GET", path)
		took = append(took, time.Since(start))
		rows := rowOf.FindAllStringSubmatch(got.Body, -1)
		if got.Status != http.StatusOK || len(rows) > 100 {
			v.Fatalf("%s: %d, %d rows", path, got.Status, len(rows))
		}
		seen += len(rows)
		last, path = path, ""
		if next := nextOf.FindStringSubmatch(got.Body); next != nil {
			path = html.UnescapeString(next[1])
		}
	}
	if seen != n {
		v.Errorf("%d of %d files were shown", seen, n)
	}
	return took, last
}
