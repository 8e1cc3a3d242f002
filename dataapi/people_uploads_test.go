package dataapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/dataapi/tree"
	"github.com/portico-id/portico/storage"
)

// uploads sends the form of an upload: what to do when a name is there, then files,
// each a name and its bytes.
func (p peoplesPages) uploads(user, path, same string, files ...string) *httptest.ResponseRecorder {
	p.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	p.Must(w.WriteField("same", same))
	for pair := range slices.Chunk(files, 2) {
		part, err := w.CreateFormFile("files", pair[0])
		p.Must(err)
		_, err = part.Write([]byte(pair[1]))
		p.Must(err)
	}
	p.Must(w.Close())
	r := httptest.NewRequest(http.MethodPost, path, &body)
	r.Header.Set("Content-Type", w.FormDataContentType())
	return p.serve(user, r)
}

// inOuter is every file of Outer that is visible, with the number of its newest
// version and its size.
func (s *scene) inOuter() string {
	s.Helper()
	found, err := s.Store.ListContents(s.Context(), s.tower.ID, s.outer, storage.ContentsQuery{}, storage.DataPage{})
	s.Must(err)
	var all []string
	for _, i := range found.Items {
		all = append(all, fmt.Sprintf("%s %d %d", i.Item.Name, i.Tip.Number, i.Tip.Size))
	}
	return strings.Join(all, ", ")
}

// Rule: FILES-7
func TestAFormBringsFilesAndSaysWhatBecameOfEach(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		folder := s.pagesOf(thing{"Outer", s.outer, s.report})["folder"] + "/upload"
		const there = "report.txt 3 0, reserved.txt 1 0"
		for _, c := range []struct {
			name, same, form string
			files            []string
			status           int
			want, says       string
		}{
			{"two new files, one empty", "version", "a", []string{"a.txt", "one", "empty.txt", ""}, http.StatusSeeOther,
				"a.txt 1 3, empty.txt 1 0, " + there, ""},
			{"sent again: nothing twice", "version", "a", []string{"a.txt", "one", "empty.txt", ""}, http.StatusSeeOther,
				"a.txt 1 3, empty.txt 1 0, " + there, ""},
			{"what is chosen after going back, by the same form", "version", "a", []string{"z.txt", "1", "empty.txt", ""},
				http.StatusSeeOther, "a.txt 1 3, empty.txt 1 0, " + there + ", z.txt 1 1", ""},
			{"another text of it", "version", "a", []string{"z.txt", "22", "empty.txt", ""},
				http.StatusSeeOther, "a.txt 1 3, empty.txt 1 0, " + there + ", z.txt 2 2", ""},
			{"and the first of it after all", "version", "a", []string{"z.txt", "1", "empty.txt", ""},
				http.StatusSeeOther, "a.txt 1 3, empty.txt 1 0, " + there + ", z.txt 3 1", ""},
			{"a new version", "version", "b", []string{"A.txt", "three"}, http.StatusSeeOther,
				"a.txt 2 5, empty.txt 1 0, " + there, ""},
			{"both", "both", "c", []string{"a.txt", "1"}, http.StatusSeeOther,
				"a (2).txt 1 1, a.txt 2 5, empty.txt 1 0, " + there, ""},
			{"skipped", "skip", "d", []string{"a.txt", "1234567"}, http.StatusSeeOther,
				"a (2).txt 1 1, a.txt 2 5, empty.txt 1 0, " + there, "?done=skipped"},
			{"one that can't be, and one that can", "version", "e", []string{"a:b.txt", "1", "b.txt", "22"},
				http.StatusUnprocessableEntity, "a (2).txt 1 1, a.txt 2 5, b.txt 1 2, empty.txt 1 0, " + there,
				"A name has 1 to 255 characters"},
			{"none", "version", "f", nil, http.StatusUnprocessableEntity,
				"a (2).txt 1 1, a.txt 2 5, b.txt 1 2, empty.txt 1 0, " + there, "No file was chosen"},
		} {
			if c.form > "a" {
				c.want += ", z.txt 3 1"
			}
			got := p.uploads(s.editor, folder+"?form="+c.form, c.same, c.files...)
			if got.Code != c.status || !strings.Contains(got.Body.String()+got.Header().Get("Location"), c.says) {
				t.Errorf("%s: %d to %q\n%s", c.name, got.Code, got.Header().Get("Location"), got.Body)
			}
			if now := s.inOuter(); now != c.want {
				t.Errorf("%s: %s\nwant %s", c.name, now, c.want)
			}
		}
		item := s.pagesOf(thing{"Outer", s.outer, s.report})["item"] + "/upload"
		if got := p.uploads(s.editor, item, "", "other name.txt", "bytes"); got.Code != http.StatusSeeOther ||
			!strings.Contains(s.inOuter(), "report.txt 4 5") {
			t.Errorf("a version: %d, %s", got.Code, s.inOuter())
		}
		if got := p.uploads(s.viewer, folder, "version", "v.txt", "1"); got.Code != http.StatusUnprocessableEntity ||
			!strings.Contains(got.Body.String(), "or not any more") || strings.Contains(s.inOuter(), "v.txt") {
			t.Errorf("from a viewer: %d\n%s", got.Code, got.Body)
		}
		s.Must(s.Store.SetLimits(s.Context(), s.Operator(), s.tower.ID, storage.Limits{Quota: 20}))
		if got := p.uploads(s.editor, folder, "version", "l.txt", strings.Repeat("x", 30)); got.Code !=
			http.StatusUnprocessableEntity || !strings.Contains(got.Body.String(), "The project is full") {
			t.Errorf("over the quota: %d\n%s", got.Code, got.Body)
		}
	})
}

// Rule: FILES-7
func TestBothAreKeptHoweverManyThereAreAndHoweverLongTheNameIs(t *testing.T) {
	s := newSQLiteScene(t)
	p := s.pages()
	folder := s.pagesOf(thing{"Outer", s.outer, s.report})["folder"] + "/upload"
	s.item(s.outer, "scan.pdf")
	for n := 2; n <= 40; n++ {
		s.item(s.outer, fmt.Sprintf("scan (%d).pdf", n))
	}
	long := strings.Repeat("ä", 251)
	s.item(s.outer, long+".pdf")
	s.item(s.outer, "a."+long)
	for i, c := range []struct{ name, want string }{
		{"Scan.pdf", "Scan (41).pdf"}, {"scan.pdf", "scan (42).pdf"}, {long + ".pdf", long[:2*247] + " (2).pdf"},
		{"a." + long, "a." + long[:2*249] + " (2)"},
	} {
		got := p.uploads(s.editor, fmt.Sprintf("%s?form=f%d", folder, i), "both", c.name, "text")
		if got.Code != http.StatusSeeOther ||
			!slices.Contains(strings.Split(s.inOuter(), ", "), c.want+" 1 4") {
			t.Errorf("%s: %d, no %s in %s\n%s", c.name, got.Code, c.want, s.inOuter(), got.Body)
		}
	}
}

// Rule: FILES-7
func TestAFormWithTooManyFilesSaysWhatItDidNotTake(t *testing.T) {
	w := newWorld(t, sqliteURL(t))
	s := newScene(w)
	p := s.pages()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for n := range 1005 {
		part, err := form.CreateFormFile("files", map[bool]string{true: fmt.Sprintf("n%d.txt", n), false: ""}[n%1001 < 2])
		p.Must(err)
		_, err = io.WriteString(part, "x")
		p.Must(err)
	}
	p.Must(form.Close())
	r := httptest.NewRequest(http.MethodPost,
		s.pagesOf(thing{"Outer", s.outer, s.report})["folder"]+"/upload?form=a", &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	got := p.serve(s.editor, r)
	said := strings.Contains(got.Body.String(), "at most 1,000 files") && strings.Contains(got.Body.String(), "n1.txt")
	if got.Code != http.StatusUnprocessableEntity || !said ||
		s.inOuter() != "n0.txt 1 1, n1.txt 1 1, report.txt 3 0, reserved.txt 1 0" {
		t.Errorf("%d, %s\n%s", got.Code, s.inOuter(), got.Body)
	}
}

// Rule: FILES-8
func TestAFileThatCannotBeLeavesNoFolders(t *testing.T) {
	w := newWorld(t, sqliteURL(t))
	s := newScene(w)
	p := s.pages()
	begin := s.pagesOf(thing{"Outer", s.outer, s.report})["folder"] + "/uploads"
	folders := func() (names []string) {
		found, err := s.Store.ListContents(s.Context(), s.tower.ID, s.outer, storage.ContentsQuery{}, storage.DataPage{})
		s.Must(err)
		for _, f := range found.Folders {
			names = append(names, f.Name)
		}
		return names
	}
	before := folders()
	for _, bad := range []url.Values{
		{"name": {"a:b.ifc"}, "path": {"Deliveries/Week 1"}},
		{"name": {"model.ifc"}, "path": {"Deliveries/Week:1"}},
	} {
		var none struct{}
		if got := p.asks(s.editor, "POST", begin, bad.Encode(), &none); got != http.StatusUnprocessableEntity {
			t.Errorf("%v: %d", bad, got)
		}
	}
	if now := folders(); !slices.Equal(before, now) {
		t.Errorf("the folders are %q, were %q", now, before)
	}
}

// asks sends what the script of a page does, and reads the answer.
func (p peoplesPages) asks(user, method, path, body string, into any) int {
	p.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	got := p.serve(user, r)
	if got.Code == http.StatusOK {
		p.Must(json.Unmarshal(got.Body.Bytes(), into))
	}
	return got.Code
}

// Rule: FILES-8
func TestAnUploadInPartsGoesOnWhereItStopped(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		blobs := s.blobs()
		p := s.pagesOver(s.Store, blobs, nil)
		begin := s.pagesOf(thing{"Outer", s.outer, s.report})["folder"] + "/uploads"
		var begun struct {
			URL  string
			Part int
			Skip bool
		}
		form := url.Values{"name": {"model.ifc"}, "same": {"version"}, "path": {"Deliveries/Week 1"}}.Encode()
		if got := p.asks(s.editor, "POST", begin, form, &begun); got != http.StatusOK || begun.Part == 0 {
			t.Fatalf("beginning: %d %+v", got, begun)
		}
		parts := []string{strings.Repeat("a", begun.Part), "the end"}
		send := func(user string, n int) int {
			var none struct{}
			return p.asks(user, "PUT", fmt.Sprintf("%s/%d", begun.URL, n), parts[n-1], &none)
		}
		if got := send(s.editor, 2); got != http.StatusOK {
			t.Fatalf("part 2: %d", got)
		}
		if got := send(s.viewer, 1); got == http.StatusOK {
			t.Error("somebody else sends a part")
		}
		var done struct{ URL string }
		if got := p.asks(s.editor, "POST", begun.URL, "", &done); got != http.StatusUnprocessableEntity {
			t.Errorf("finished without part 1: %d", got)
		}
		var came struct{ Parts map[int]int64 }
		if got := p.asks(s.editor, "GET", begun.URL, "", &came); got != http.StatusOK || len(came.Parts) != 1 ||
			came.Parts[2] != 7 {
			t.Errorf("what has come: %d %v", got, came)
		}
		if got := p.asks(s.editor, "POST", begun.URL, "size=9", &done); got != http.StatusUnprocessableEntity {
			t.Errorf("finished too short: %d", got)
		}
		if got := send(s.editor, 1); got != http.StatusOK {
			t.Fatalf("part 1: %d", got)
		}
		at := strings.Split(begun.URL, "/")
		upload, err := s.Store.FindUpload(s.Context(), tree.Bucket, at[len(at)-2], at[len(at)-1], s.Ambient.Now())
		s.Must(err)
		stored, err := blobs.Parts(s.Context(), upload.ID, upload.Reference)
		s.Must(err)
		s.Must(blobs.Complete(s.Context(), upload.ID, upload.Reference, stored)) // and the server reads them yet
		var read struct{ Finished bool }
		if got := p.asks(s.editor, "GET", begun.URL, "", &read); got != http.StatusOK || !read.Finished {
			t.Errorf("what has come while it is read: %d %v", got, read)
		}
		var again struct{ URL string }
		if got := p.asks(s.editor, "POST", begun.URL, fmt.Sprintf("same=version&size=%d", begun.Part+7),
			&done); got != http.StatusOK {
			t.Fatalf("finishing: %d", got)
		}
		if got := p.asks(s.editor, "POST", begun.URL, fmt.Sprintf("same=version&size=%d", begun.Part+7),
			&again); got != http.StatusOK {
			t.Errorf("finishing again: %d", got)
		}
		var all struct{ Finished bool }
		if got := p.asks(s.editor, "GET", begun.URL, "", &all); got != http.StatusOK || !all.Finished {
			t.Errorf("what has come of what is finished: %d %v", got, all)
		}
		if got := p.asks(s.viewer, "GET", begun.URL, "", &all); got == http.StatusOK {
			t.Error("somebody else is told what has come")
		}
		shown := p.open(s.editor, done.URL).Body.String()
		if !strings.Contains(shown, "model.ifc") || !strings.Contains(shown, "Week 1") || !strings.Contains(shown, "8 MB") ||
			strings.Contains(shown, ">2</th>") {
			t.Errorf("the file:\n%s", shown)
		}
		if got := p.asks(s.outsider, "POST", begin, form, &begun); got != http.StatusNotFound {
			t.Errorf("an outsider: %d", got)
		}
		publisher := s.writersOnce("publisher").user // who brings files, and adds no version
		for same, want := range map[string]int{"version": http.StatusUnprocessableEntity, "both": http.StatusOK} {
			if got := p.asks(publisher, "POST", begin, "name=report.txt&same="+same, &begun); got != want {
				t.Errorf("a publisher, with the name of a file, to do as %s: %d", same, got)
			}
		}
	})
}
