package dataapi_test

import (
	"archive/zip"
	"bytes"
	"image"
	_ "image/jpeg" // what small pictures are
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/storage"
)

// brought uploads a file into Outer, or a version of it, and returns the addresses of
// its page and of its newest version.
func (p peoplesPages) brought(name, body string) (item, version string) {
	p.Helper()
	folder := p.pagesOf(thing{"Outer", p.outer, p.report})["folder"]
	got := p.uploads(p.editor, folder+"/upload?form="+p.Ambient.Token(), "version", name, body)
	p.Equal(http.StatusSeeOther, got.Code)
	found, err := p.Store.ListContents(p.Context(), p.tower.ID, p.outer, storage.ContentsQuery{}, storage.DataPage{})
	p.Must(err)
	for _, i := range found.Items {
		if i.Item.Name == name {
			project := "/files/projects/" + p.tower.ID
			return project + "/items/" + itemURN(i.Item.ID),
				project + "/versions/" + url.PathEscape(versionURN(i.Item.ID, strconv.Itoa(i.Tip.Number)))
		}
	}
	p.Fatalf("%s is not there", name)
	return "", ""
}

// aPicture is a PNG with so many pixels on each side.
func aPicture(w *world, side int) string {
	w.Helper()
	var out bytes.Buffer
	w.Must(png.Encode(&out, image.NewGray(image.Rect(0, 0, side, side))))
	return out.String()
}

const aPDF = "%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"

// Rule: FILES-12
func TestAPageShowsOfBytesWhatIsHarmlessAndSavesTheRest(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		const script = "<script>alert(1)</script>"
		long := strings.Repeat("é", 200_000)
		for _, c := range []struct {
			name, body, view, media string
			inline                  bool
		}{
			{"notes.txt", "one " + script, "<pre tabindex=\"0\">one &lt;script&gt;", "text/plain; charset=utf-8", true},
			{"long.txt", long, "This is the beginning", "text/plain; charset=utf-8", true},
			{"plan.pdf", aPDF, "<iframe src=", "application/pdf", true},
			{"polyglot.pdf", aPDF + script, "<iframe src=", "application/pdf", true},
			{"site.png", aPicture(w, 3), "<img src=", "image/png", true},
			{"page.txt", "<!DOCTYPE html><html>" + script + "</html>", "not shown here", "application/octet-stream", false},
			{"drawing.png", `<svg xmlns="http://www.w3.org/2000/svg">` + script + `</svg>`, "not shown here",
				"application/octet-stream", false},
			{"tree.pdf", `<?xml version="1.0"?><a>` + script + `</a>`, "not shown here", "application/octet-stream", false},
			{"'\x60onload=alert(1).ifc", "ISO-10303-21;\x00", "not shown here", "application/octet-stream", false},
		} {
			_, version := p.brought(c.name, c.body)
			page := p.open(s.editor, version)
			body := page.Body.String()
			if page.Code != http.StatusOK || !strings.Contains(body, c.view) || strings.Contains(body, script) {
				t.Errorf("%s: %d\n%s", c.name, page.Code, body)
			}
			for path, inline := range map[string]bool{"/bytes": false, "/shown": c.inline} {
				got := p.open(s.editor, version+path)
				shown := strings.HasPrefix(got.Header().Get("Content-Disposition"), "inline")
				if got.Code != http.StatusOK || got.Body.String() != c.body || shown != inline ||
					got.Header().Get("Content-Type") != c.media || got.Header().Get("X-Content-Type-Options") != "nosniff" {
					t.Errorf("%s%s: %d, %v, %d bytes", c.name, path, got.Code, got.Header(), got.Body.Len())
				}
				policy := got.Header().Get("Content-Security-Policy")
				framed := strings.Contains(policy, "frame-ancestors 'self'")
				if framed != (c.media == "application/pdf" && inline) || strings.Contains(policy, "sandbox") == framed {
					t.Errorf("%s%s: %s", c.name, path, policy)
				}
			}
			small := p.open(s.editor, version+"/picture")
			if is := strings.HasPrefix(c.media, "image/"); (small.Code == http.StatusOK) != is ||
				is && small.Header().Get("Content-Type") != "image/jpeg" {
				t.Errorf("%s, made small: %d %v", c.name, small.Code, small.Header())
			}
		}
	})
}

// Rule: FILES-12
func TestAPictureThatCantBeMadeSmallIsLeftToTheBrowser(t *testing.T) {
	s := newSQLiteScene(t)
	p := s.pages()
	_, animated := p.brought("a.gif", "GIF89a\x01\x00\x01\x00\x00\x00\x00;")
	if got := p.open(s.editor, animated+"/picture"); got.Code != http.StatusTemporaryRedirect ||
		got.Header().Get("Location") != animated+"/shown" {
		t.Errorf("a GIF: %d %v", got.Code, got.Header())
	}
	_, version := p.brought("b.png", aPicture(s.world, 2))
	first := p.open(s.editor, version+"/picture")
	for _, has := range []string{first.Header().Get("ETag"), `"another", W/` + first.Header().Get("ETag"), "*"} {
		again := httptest.NewRequest(http.MethodGet, version+"/picture", nil)
		again.Header.Set("If-None-Match", has)
		if got := p.serve(s.editor, again); got.Code != http.StatusNotModified || first.Code != http.StatusOK {
			t.Errorf("a PNG: %d, and then %d to who has %s", first.Code, got.Code, has)
		}
	}
}

// Rule: FILES-12
func TestAnInfectedFileIsNeitherShownNorSavedAndThePageSaysWhy(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		item, version := p.brought("notes.txt", "the words")
		if body := p.open(s.editor, version).Body.String(); !strings.Contains(body, "the words") {
			t.Fatalf("a clean one: %s", body)
		}
		found, err := s.Store.ListContents(s.Context(), s.tower.ID, s.outer, storage.ContentsQuery{}, storage.DataPage{})
		s.Must(err)
		for _, i := range found.Items {
			if i.Item.Name == "notes.txt" {
				s.infected(i)
			}
		}
		second := strings.Replace(version, "version=1", "version=2", 1)
		got := p.open(s.editor, second)
		if body := got.Body.String(); got.Code != http.StatusOK || strings.Contains(body, "the words") ||
			!strings.Contains(body, "nobody gets it") {
			t.Errorf("%d\n%s", got.Code, body)
		}
		if body := p.open(s.editor, item+"/compare").Body.String(); !strings.Contains(body, "nobody gets it") {
			t.Errorf("compared: %s", body)
		}
		for _, path := range []string{"/bytes", "/shown"} {
			if got := p.open(s.editor, second+path); got.Code != http.StatusForbidden ||
				strings.Contains(got.Body.String(), "the words") {
				t.Errorf("%s: %d", path, got.Code)
			}
		}
	})
}

// infected adds a version with the same bytes, in which the scanner finds something
// after that.
func (s *scene) infected(i storage.ItemWithTip) {
	s.Helper()
	object, err := s.Store.FindObject(s.Context(), i.Tip.Bucket, i.Tip.ObjectKey)
	s.Must(err)
	bytes := object.Bytes
	bytes.Blob, bytes.Scan, bytes.Finding = "of the infected", storage.ScanPending, ""
	object.Key, object.State, object.Bytes = "infected", "", storage.Bytes{}
	s.Must(s.Store.ReserveObject(s.Context(), s.by(s.editor), object))
	_, err = s.Store.StoreBytes(s.Context(), s.by(s.editor), object.Bucket, object.Key, bytes)
	s.Must(err)
	_, err = s.Store.AddVersion(s.Context(), s.by(s.editor), s.tower.ID, i.Item.ID, storage.NewVersion{
		Name: "notes.txt", Bucket: object.Bucket, ObjectKey: object.Key, Extension: i.Tip.Extension})
	s.Must(err)
	s.Must(s.Store.EndScan(s.Context(), s.Operator().Act, object.Bucket, object.Key, "Eicar"))
}

// The levels are those that the API has for the same bytes.
//
// Rule: FILES-13
func TestBytesAreForThoseWhoMayDownloadOnPagesToo(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		item, version := p.brought("notes.txt", "the words")
		folder := s.pagesOf(thing{"Outer", s.outer, s.report})["folder"]
		for _, name := range []string{"outsider", "other hub", "deep viewer", "viewer", "downloader", "publisher",
			"collaborator", "editor", "project admin"} {
			who := s.writersOnce(name)
			standing := standings()[name]
			page := http.StatusOK
			switch {
			case standing.everything != 0:
				page = standing.everything
			case standing.levels["Outer"] == storage.LevelNone:
				page = http.StatusForbidden
			}
			takes := standing.levels["Outer"] >= storage.LevelDownload
			got := p.open(who.user, version)
			if got.Code != page || strings.Contains(got.Body.String(), "the words") != takes {
				t.Errorf("%s opens it: %d\n%s", name, got.Code, got.Body)
			}
			if body := got.Body.String(); page == http.StatusOK && !takes && !strings.Contains(body, "not read it") {
				t.Errorf("%s is not told why: %s", name, body)
			}
			for _, path := range []string{version + "/bytes", version + "/shown"} {
				if got := p.open(who.user, path); (got.Code == http.StatusOK) != takes ||
					strings.Contains(got.Body.String(), "the words") != takes {
					t.Errorf("%s opens %s: %d", name, path, got.Code)
				}
			}
			for _, path := range []string{item + "/compare", folder + "/search?q=notes"} {
				if got := p.open(who.user, path); got.Code != page {
					t.Errorf("%s opens %s: %d instead of %d", name, path, got.Code, page)
				}
			}
			if got := p.press(who.user, folder+"/zip"); (got.Code == http.StatusSeeOther) != takes {
				t.Errorf("%s packs the folder: %d", name, got.Code)
			}
		}
	})
}

// Rule: FILES-14
func TestAFolderIsOneZIPFileForWhoeverHadItMadeAsLongAsTheyMay(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		p.brought("notes.txt", "the words")
		folder := s.pagesOf(thing{"Outer", s.outer, s.report})["folder"]
		made := p.press(s.editor, folder+"/zip")
		w.Equal(http.StatusSeeOther, made.Code)
		address := made.Header().Get("Location")
		got := p.open(s.editor, address)
		w.Equal("application/zip", got.Header().Get("Content-Type"))
		read, err := zip.NewReader(bytes.NewReader(got.Body.Bytes()), int64(got.Body.Len()))
		w.Must(err)
		file, err := read.Open("Outer/notes.txt")
		w.Must(err)
		body, err := io.ReadAll(file)
		w.Must(err)
		w.Equal("the words", string(body))

		if got := p.open(s.hubAdmin, address); got.Code != http.StatusGone {
			t.Errorf("somebody else's: %d", got.Code)
		}
		if got := p.open("", address); got.Code != http.StatusSeeOther {
			t.Errorf("nobody's: %d", got.Code)
		}
		s.grant(storage.FolderGrant{FolderID: s.outer, UserID: s.editor, Level: storage.LevelView})
		if got := p.open(s.editor, address); got.Code == http.StatusOK {
			t.Error("a right was taken away, and the file is still there")
		}
		bare := s.folder(s.outer, "Bare")
		if got := p.press(s.hubAdmin, "/files/projects/"+s.tower.ID+"/folders/"+folderURN(bare)+"/zip"); got.Code !=
			http.StatusSeeOther {
			t.Errorf("an empty folder: %d\n%s", got.Code, got.Body)
		}
	})
}

// Rule: FILES-15
func TestFilesAreFoundByTheirNamesInAFolderAndBelow(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		folder := s.pagesOf(thing{"Outer", s.outer, s.report})["folder"]
		for typed, want := range map[string]string{
			"DEEP": "deep.txt", "report": "report.txt", "buried": "", "deleted": "", "plan": "", "%": "", "": "",
			"<script>": "",
		} {
			got := p.open(s.viewer, folder+"/search?q="+url.QueryEscape(typed))
			body := got.Body.String()
			if found := strings.Contains(body, `id="found"`); got.Code != http.StatusOK || found != (want != "") ||
				!strings.Contains(body, ">"+want+"<") || strings.Contains(body, "<script>") {
				t.Errorf("%q: %d\n%s", typed, got.Code, body)
			}
		}
		if body := p.open(s.viewer, folder+"/search?q=deep").Body.String(); !strings.Contains(body, "<bdi>Inner</bdi>") {
			t.Errorf("where it lies is not said: %s", body)
		}
		for n := range 60 {
			s.item(s.outer, "many "+strconv.Itoa(n)+".txt")
		}
		seen := 0
		for next := folder + "/search?q=many"; next != ""; {
			body := p.open(s.viewer, next).Body.String()
			seen += strings.Count(body, `<a class="name"`)
			_, rest, _ := strings.Cut(body, `id="next" class="button" href="`)
			next, _, _ = strings.Cut(rest, `"`)
			next = strings.ReplaceAll(next, "&amp;", "&")
		}
		w.Equal(60, seen)
		if got := p.open(s.viewer, folder+"/search?q=many&after=forged"); got.Code == http.StatusOK {
			t.Error("a forged cursor leads somewhere")
		}
	})
}

// Rule: FILES-16
func TestTwoVersionsAreComparedByWhatTheyHold(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		p.brought("notes.txt", "first\nsecond\nthird\n")
		p.brought("notes.txt", "first\n<b>2nd</b>\nthird\n")
		item, _ := p.brought("notes.txt", "first\n<b>2nd</b>\nthird\n")
		page := func(query string) string {
			got := p.open(s.editor, item+"/compare"+query)
			w.Equal(http.StatusOK, got.Code)
			return got.Body.String()
		}
		for query, says := range map[string]string{
			"?older=1&newer=2": "<del>second</del>\n<ins>&lt;b&gt;2nd&lt;/b&gt;</ins>\n<span>third</span>",
			"?older=2&newer=1": "<del>&lt;b&gt;2nd&lt;/b&gt;</del>\n<ins>second</ins>",
			"":                 "hold the same bytes",
		} {
			if body := page(query); !strings.Contains(body, says) {
				t.Errorf("%q: %s", query, body)
			}
		}
		for _, query := range []string{"?older=9", "?newer=x", "?older=0", "?older=-1"} {
			if got := p.open(s.editor, item+"/compare"+query); got.Code != http.StatusNotFound {
				t.Errorf("%q: %d", query, got.Code)
			}
		}
		p.brought("site.png", aPicture(w, 2))
		pictures, _ := p.brought("site.png", aPicture(w, 3))
		if body := p.open(s.editor, pictures+"/compare").Body.String(); strings.Count(body, "<img src=") != 2 {
			t.Errorf("pictures: %s", body)
		}
		p.brought("model.ifc", "\x00\x01")
		model, _ := p.brought("model.ifc", "\x00\x02")
		if body := p.open(s.editor, model+"/compare").Body.String(); !strings.Contains(body, "above is what is known") {
			t.Errorf("others: %s", body)
		}
		viewer := p.open(s.viewer, item+"/compare?older=1&newer=2").Body.String()
		if strings.Contains(viewer, "second") || !strings.Contains(viewer, "not read it") {
			t.Errorf("who may not read it: %s", viewer)
		}
	})
}

// Rule: FILES-28
func TestAListShowsPicturesSmallOnceMadeToThoseWhoMayReadThem(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		blobs := s.blobs()
		p := s.pagesOver(s.Store, blobs, nil)
		_, version := p.brought("site.png", aPicture(w, 600))
		_, broken := p.brought("broken.png", aPicture(w, 600)[:200])
		_, note := p.brought("note.txt", "no picture")
		folder := p.pagesOf(thing{"Outer", s.outer, s.report})["folder"]
		if body := p.open(s.editor, folder).Body.String(); !strings.Contains(body,
			`<img class="thumb" src="`+version+`/thumbnail" alt="" width="40" height="40" loading="lazy">`) ||
			strings.Contains(body, note+"/thumbnail") {
			t.Errorf("the list\n%s", body)
		}
		if body := p.open(s.viewer, folder).Body.String(); strings.Contains(body, "/thumbnail") {
			t.Error("a picture is offered to who may not read it")
		}
		got := p.open(s.editor, version+"/thumbnail")
		small, kind, err := image.Decode(bytes.NewReader(got.Body.Bytes()))
		if err != nil || kind != "jpeg" || small.Bounds().Dx() != 80 || got.Body.Len() > 2_000 {
			t.Errorf("%d: %v, %s of %d bytes", got.Code, err, kind, got.Body.Len())
		}
		for path, code := range map[string]int{broken: http.StatusNotFound, note: http.StatusNotFound} {
			for range 2 {
				if got := p.open(s.editor, path+"/thumbnail"); got.Code != code {
					t.Errorf("%s: %d", path, got.Code)
				}
			}
		}
		for user, code := range map[string]int{s.viewer: http.StatusForbidden, s.outsider: http.StatusNotFound} {
			if got := p.open(user, version+"/thumbnail"); got.Code != code || got.Body.Len() < 100 {
				t.Errorf("%s: %d", user, got.Code)
			}
		}
		object := p.objectOf(version)
		s.Must(blobs.Delete(t.Context(), object.Blob))
		if again := p.open(s.editor, version+"/thumbnail"); again.Body.String() != got.Body.String() {
			t.Errorf("it was made a second time: %d", again.Code)
		}
	})
}

// objectOf are the bytes of the version with the page.
func (p peoplesPages) objectOf(page string) storage.Object {
	p.Helper()
	name, err := url.PathUnescape(page[strings.LastIndexByte(page, '/')+1:])
	p.Must(err)
	ref, ok := urn.Space("portico").VersionRef(name)
	p.Equal(true, ok)
	_, _, _, version, err := p.Store.FindVersion(p.Context(), storage.Caller{}, p.tower.ID, ref)
	p.Must(err)
	object, err := p.Store.FindObject(p.Context(), version.Bucket, version.ObjectKey)
	p.Must(err)
	return object
}
