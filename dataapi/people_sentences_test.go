package dataapi_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/dataapi/objects"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// Rule: FILES-21
func TestWhatASlowStoreDidNotTakeIsNotLost(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		blobs, slow := s.blobs(), fault.New(fault.Unavailable, "", "The database does not answer.")
		stalls := s.pagesOver(stuck{readable{s.Store}, refusing{slow}}, blobs, nil)
		again := s.pagesOver(s.Store, blobs, nil)
		on := s.pagesOf(thing{"Outer", s.outer, s.report})

		for path, typed := range map[string]string{on["item"] + "/name": "final.txt", on["folder"] + "/new": "Later"} {
			got := stalls.press(s.editor, path, "name", typed)
			if body := got.Body.String(); got.Code < 400 || !strings.Contains(body, `value="`+typed+`"`) ||
				!strings.Contains(body, "Nothing is lost") {
				t.Errorf("%s: %d\n%s", path, got.Code, body)
			}
			if got := again.press(s.editor, path, "name", typed); got.Code != http.StatusSeeOther {
				t.Errorf("%s, again: %d", path, got.Code)
			}
		}

		got := stalls.uploads(s.editor, on["folder"]+"/upload?form=one", "version", "a.txt", "bytes")
		if got.Code < 400 || !strings.Contains(got.Body.String(), "Nothing is lost") {
			t.Errorf("a file: %d\n%s", got.Code, got.Body)
		}
		if got := again.uploads(s.editor, on["folder"]+"/upload?form=one", "version", "a.txt", "bytes"); got.Code !=
			http.StatusSeeOther || !strings.Contains(s.inOuter(), "a.txt 1 5") {
			t.Errorf("a file, again: %d %s", got.Code, s.inOuter())
		}

		to := again.begins(s.editor, "b.txt", "version")
		again.part(s.editor, to, 1, "bytes")
		var said struct{ Problem string }
		if code := stalls.asks(s.editor, "POST", to, "same=version&size=5", &said); code != http.StatusServiceUnavailable {
			t.Errorf("finishing: %d", code)
		}
		if code := again.finishes(s.editor, to, "version", 5); code != http.StatusOK ||
			!strings.Contains(s.inOuter(), "b.txt 1 5") {
			t.Errorf("finishing again: %d %s", code, s.inOuter())
		}
	})
}

// stumbling is a place for bytes that is slow to take a part, so many times.
type stumbling struct {
	blobstore.Store
	left *int
}

func (s stumbling) PutPart(ctx context.Context, key, upload string, number int, body io.Reader,
	size int64) (blobstore.Part, error) {
	if *s.left--; *s.left >= 0 {
		_, _ = io.CopyN(io.Discard, body, size/2)
		return blobstore.Part{}, fault.New(fault.Unavailable, "", "The object store does not answer as it should.")
	}
	return s.Store.PutPart(ctx, key, upload, number, body, size)
}

// A form sends nothing twice: what it brought is tried again by the server.
//
// Rule: FILES-21
func TestAPartThatASlowStoreDidNotTakeIsGivenToItAgain(t *testing.T) {
	s := newSQLiteScene(t)
	for times, want := range map[int]int{1: http.StatusSeeOther, 100: http.StatusUnprocessableEntity} {
		p := s.pagesOver(s.Store, stumbling{s.blobs(), &times}, nil)
		name := fmt.Sprintf("%d.txt", want)
		got := p.uploads(s.editor, s.pagesOf(thing{"Outer", s.outer, s.report})["folder"]+"/upload", "version", name, "bytes")
		if got.Code != want || strings.Contains(s.inOuter(), name+" 1 5") != (want == http.StatusSeeOther) {
			t.Errorf("%d %s\n%s", got.Code, s.inOuter(), got.Body)
		}
		if said := strings.Contains(got.Body.String(), "Nothing is lost"); said != (want != http.StatusSeeOther) {
			t.Errorf("%d: it says so: %v", got.Code, said)
		}
	}
}

// Rule: FILES-7
func TestAFormThatEndsInTheMiddleOfAFileBringsNone(t *testing.T) {
	s := newSQLiteScene(t)
	p := s.pages()
	for name, size := range map[string]int{"short.txt": 100, "long.txt": objects.PartSize + 100} {
		body := "--mark\r\nContent-Disposition: form-data; name=\"files\"; filename=\"" + name + "\"\r\n\r\n" +
			strings.Repeat("x", size)
		for _, end := range []string{"", "\r\n--mark--\r\n"} {
			want := map[bool]int{true: http.StatusBadRequest, false: http.StatusSeeOther}[end == ""]
			r := httptest.NewRequest(http.MethodPost, s.pagesOf(thing{"Outer", s.outer, s.report})["folder"]+"/upload",
				strings.NewReader(body+end))
			r.Header.Set("Content-Type", "multipart/form-data; boundary=mark")
			if got := p.serve(s.editor, r); got.Code != want || strings.Contains(s.inOuter(), name) != (end != "") {
				t.Errorf("%s, ending in %q: %d, %s", name, end, got.Code, s.inOuter())
			}
		}
	}
}

// begins begins an upload into Outer, and returns its address.
func (p peoplesPages) begins(user, name, same string) string {
	p.Helper()
	var begun struct{ URL string }
	code := p.asks(user, "POST", p.pagesOf(thing{"Outer", p.outer, p.report})["folder"]+"/uploads",
		url.Values{"name": {name}, "same": {same}}.Encode(), &begun)
	p.Equal(http.StatusOK, code)
	return begun.URL
}

// beginsVersion begins an upload of the next version of a file.
func (p peoplesPages) beginsVersion(user, item, name string) string {
	p.Helper()
	var begun struct{ URL string }
	code := p.asks(user, "POST", item+"/uploads", url.Values{"name": {name}, "same": {"version"}}.Encode(), &begun)
	p.Equal(http.StatusOK, code)
	return begun.URL
}

func (p peoplesPages) part(user, to string, n int, body string) int {
	p.Helper()
	var none struct{}
	return p.asks(user, "PUT", fmt.Sprintf("%s/%d", to, n), body, &none)
}

func (p peoplesPages) finishes(user, to, same string, size int) int {
	p.Helper()
	r := httptest.NewRequest(http.MethodPost, to, strings.NewReader(fmt.Sprintf("same=%s&size=%d", same, size)))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	got := p.serve(user, r)
	if got.Code != http.StatusOK {
		p.Logf("%s: %s", to, got.Body)
	}
	return got.Code
}

// Rule: FILES-21
func TestANameThatIsTakenWhileAFileIsSentCostsNobodyTheirBytes(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		for same, want := range map[string]string{
			"version": "version.pdf 2 6", "both": "both (2).pdf 1 6, both.pdf 1 5", "skip": "skip.pdf 1 5",
		} {
			name := same + ".pdf"
			mine, theirs := p.begins(s.editor, name, same), p.begins(s.hubAdmin, name, same)
			p.part(s.editor, mine, 1, "mine..")
			p.part(s.hubAdmin, theirs, 1, "their")
			w.Equal(http.StatusOK, p.finishes(s.hubAdmin, theirs, same, 5))
			w.Equal(http.StatusOK, p.finishes(s.editor, mine, same, 6))
			if got := s.inOuter(); !strings.Contains(got, want) {
				t.Errorf("%s: %s", same, got)
			}
		}
	})
}

// Rule: FILES-21
func TestARightThatIsWithdrawnWhileAFileIsSentLeavesWhatHasCome(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		to := p.begins(s.editor, "long.txt", "version")
		w.Equal(http.StatusOK, p.part(s.editor, to, 1, "bytes"))
		s.grant(storage.FolderGrant{FolderID: s.outer, UserID: s.editor, Level: storage.LevelView})
		if code := p.part(s.editor, to, 2, "more"); code != http.StatusUnprocessableEntity {
			t.Errorf("a part without the right: %d", code)
		}
		if code := p.finishes(s.editor, to, "version", 5); code != http.StatusUnprocessableEntity ||
			strings.Contains(s.inOuter(), "long.txt") {
			t.Errorf("finishing without the right: %d", code)
		}
		s.grant(storage.FolderGrant{FolderID: s.outer, UserID: s.editor, Level: storage.LevelEdit})
		if code := p.finishes(s.editor, to, "version", 5); code != http.StatusOK ||
			!strings.Contains(s.inOuter(), "long.txt 1 5") {
			t.Errorf("with the right again: %d %s", code, s.inOuter())
		}
	})
}

// Whoever cancels what they send would have no room for as long as it waited for them.
//
// Rule: OBJ-60
func TestWhatIsCancelledWhileItIsSentTakesNoRoom(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		w.Must(s.Store.SetLimits(s.Context(), s.Operator(), s.tower.ID, storage.Limits{Quota: 100}))
		uploads := []string{}
		for i, want := range []int{http.StatusOK, http.StatusOK, http.StatusUnprocessableEntity} {
			uploads = append(uploads, p.begins(s.editor, fmt.Sprint(i, ".txt"), "version"))
			w.Equal(want, p.part(s.editor, uploads[i], 1, strings.Repeat("b", 100)))
		}
		for by, want := range map[string]int{s.viewer: http.StatusUnprocessableEntity, s.editor: http.StatusOK} {
			var none struct{}
			w.Equal(want, p.asks(by, "DELETE", uploads[0], "", &none))
		}
		w.Equal(http.StatusUnprocessableEntity, p.finishes(s.editor, uploads[0], "version", 100))
		w.Equal(http.StatusOK, p.part(s.editor, uploads[2], 1, strings.Repeat("b", 100)))
	})
}

// interrupted is a place for bytes in which something happens before and after those of an
// upload are made one, and which then ends no upload any more.
type interrupted struct {
	blobstore.Store
	before func()
	after  func() error
}

func (s *interrupted) Complete(ctx context.Context, key, upload string, parts []blobstore.Part) error {
	s.before()
	return cmp.Or(s.Store.Complete(ctx, key, upload, parts), s.after())
}

func (s *interrupted) Abort(context.Context, string, string) error { return nil }

// Bytes that are one already, and of no file yet, would be set aside for somebody to look at.
//
// Rule: OBJ-60
func TestWhatIsCancelledWhileItIsMadeAFileLeavesNoBytes(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		bytes := &interrupted{Store: s.blobs()}
		p := s.pagesOver(s.Store, bytes, nil)
		to, none, silent := "", struct{}{}, fault.New(fault.Unavailable, "", "The store says nothing.")
		cancel := func() { w.Equal(http.StatusOK, p.asks(s.editor, "DELETE", to, "", &none)) }
		for when, tt := range map[string]struct {
			before func()
			after  func() error
			last   func()
			status int
		}{
			"while the bytes become one": {cancel, func() error { return nil }, func() {}, http.StatusUnprocessableEntity},
			"while they are read":        {func() {}, func() error { cancel(); return nil }, func() {}, http.StatusNotFound},
			"after the store was silent": {func() {}, func() error { return silent }, cancel, http.StatusServiceUnavailable},
		} {
			to = p.begins(s.editor, when+".txt", "version")
			bytes.before, bytes.after = tt.before, tt.after
			w.Equal(http.StatusOK, p.part(s.editor, to, 1, "bytes"))
			w.Equal(tt.status, p.finishes(s.editor, to, "version", 5))
			tt.last()
			if left, err := bytes.List(t.Context(), "", 2); err != nil || len(left) > 0 {
				t.Errorf("%s: %v are left, %v", when, left, err)
			}
		}
	})
}

// Rule: FILES-21
func TestWhatSpeaksAgainstAFileWhileItIsSentIsSaidAndNotTriedAgain(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		item := s.pagesOf(thing{"Outer", s.outer, s.report})["item"]
		limited := func(quota int64) {
			w.Must(s.Store.SetLimits(s.Context(), s.Operator(), s.tower.ID, storage.Limits{Quota: quota}))
		}
		pressed := func(path string) { w.Equal(http.StatusSeeOther, p.press(s.hubAdmin, path).Code) }
		for _, c := range []struct {
			name          string
			before, after func()
		}{
			{"less room is left than the file needs", func() { limited(1) }, func() { limited(0) }},
			{"somebody has reserved the file", func() { pressed(item + "/reserve") }, func() { pressed(item + "/release") }},
			{"the project's room is used up", func() { limited(1) }, func() { limited(0) }},
		} {
			name := c.name
			to := p.beginsVersion(s.editor, item, "report.txt")
			w.Equal(http.StatusOK, p.part(s.editor, to, 1, "bytes"))
			c.before()
			if code := p.finishes(s.editor, to, "version", 5); code != http.StatusUnprocessableEntity {
				t.Errorf("%s: %d", name, code)
			}
			c.after()
			if code := p.finishes(s.editor, to, "version", 5); code != http.StatusOK {
				t.Errorf("%s, and then not any more: %d", name, code)
			}
		}
		if here := s.inOuter(); !strings.Contains(here, "report.txt 6 5") {
			t.Errorf("what came is not there: %s", here)
		}
	})
}

// Rule: FILES-21
func TestAFileThatTheScannerHasNotLookedAtSaysSoAndIsThereAfterwards(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pagesOver(s.Store, s.blobs(), objects.NewScanner(objects.ScannerOptions{})) // it does nothing yet
		item, version := p.brought("notes.txt", "the words")
		for _, path := range []string{version, version + "/bytes", version + "/shown"} {
			if got := p.open(s.editor, path); strings.Contains(got.Body.String(), "the words") ||
				(got.Code == http.StatusOK) != (path == version) {
				t.Errorf("%s: %d\n%s", path, got.Code, got.Body)
			}
		}
		if body := p.open(s.editor, version).Body.String(); !strings.Contains(body, "has not looked at this file yet") {
			t.Errorf("the page: %s", body)
		}
		p.brought("notes.txt", "the words, again")
		if body := p.open(s.editor, item+"/compare").Body.String(); !strings.Contains(body, "has not looked") {
			t.Errorf("compared: %s", body)
		}
		waiting, err := s.Store.ClaimScans(s.Context(), s.Ambient.Now(), s.Ambient.Now().Add(time.Hour), 10)
		s.Must(err)
		for _, object := range waiting {
			s.Must(s.Store.EndScan(s.Context(), s.Operator().Act, object.Bucket, object.Key, ""))
		}
		if body := p.open(s.editor, version).Body.String(); !strings.Contains(body, "the words") {
			t.Errorf("afterwards: %s", body)
		}
	})
}
