package objects_test

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/storage"
)

type download struct {
	Status, URL, SHA1, SHA256 string
	Size                      int64
	Params                    map[string]string
}

// Rule: OBJ-23
func TestRangesAreServedAndEndsPastTheLastByteCut(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		whole := append(random(minPart, 1), []byte("abcde")...)
		path := w.upload("file.bin", whole[:minPart], whole[minPart:])
		size := len(whole)
		get := ok[download](w, w.call(publisher, "GET", path+"/signeds3download", nil)).URL
		for _, r := range []struct {
			asked      string
			from, upTo int
		}{
			{"0-0", 0, 1}, {"0-4", 0, 5}, {fmt.Sprintf("%d-%d", minPart-1, minPart), minPart - 1, minPart + 1},
			{fmt.Sprintf("%d-%d", size-5, size), size - 5, size}, // one past the last, as existing clients ask
			{fmt.Sprintf("%d-%d", size-1, size+1000), size - 1, size}, {fmt.Sprintf("%d-", size-2), size - 2, size},
			{"-3", size - 3, size},
		} {
			for _, got := range []answer{w.call(publisher, "GET", path, nil, "Range", "bytes="+r.asked),
				w.send("GET", get, nil, "Range", "bytes="+r.asked)} {
				want := fmt.Sprintf("bytes %d-%d/%d", r.from, r.upTo-1, size)
				if got.Status != 206 || got.Header.Get("Content-Range") != want || !bytes.Equal(got.Body, whole[r.from:r.upTo]) {
					t.Errorf("%s: %d %s, %d bytes", r.asked, got.Status, got.Header.Get("Content-Range"), len(got.Body))
				}
			}
		}
		for _, past := range []string{fmt.Sprintf("%d-", size), fmt.Sprintf("%d-%d", size+1, size+2)} {
			got := w.call(publisher, "GET", path, nil, "Range", "bytes="+past)
			if got.Status != 416 || got.Header.Get("Content-Range") != fmt.Sprintf("bytes */%d", size) {
				t.Errorf("%s: %d %v", past, got.Status, got.Header)
			}
			if got := w.send("GET", get, nil, "Range", "bytes="+past); got.Status != 416 {
				t.Errorf("%s: %d", past, got.Status)
			}
		}
	})
}

// Rule: OBJ-24
func TestWhatTheClientHasIsNotSentAgain(t *testing.T) {
	w := here(t)
	path := w.upload("file.txt", []byte("bytes"))
	where := ok[download](w, w.call(publisher, "GET", path+"/signeds3download", nil))
	now := w.Ambient.Now()
	for _, header := range [][2]string{
		{"If-None-Match", `"` + where.SHA256 + `"`}, {"If-None-Match", where.SHA1},
		{"If-None-Match", `"x", W/"` + where.SHA256 + `"`},
		{"If-None-Match", "*"}, {"If-Modified-Since", now.Add(time.Minute).Format(http.TimeFormat)},
	} {
		if got := w.call(publisher, "GET", path+"/signeds3download", nil, header[0], header[1]); got.Status != 304 ||
			len(got.Body) > 0 {
			t.Errorf("%v: %d", header, got.Status)
		}
	}
	for _, header := range [][2]string{
		{"If-None-Match", `"other"`}, {"If-Modified-Since", now.Add(-time.Hour).Format(http.TimeFormat)},
		{"If-Modified-Since", "junk"},
	} {
		if got := w.call(publisher, "GET", path+"/signeds3download", nil, header[0], header[1]); got.Status != 200 {
			t.Errorf("%v: %d", header, got.Status)
		}
	}
	for _, got := range []answer{
		w.call(publisher, "GET", path, nil, "If-None-Match", `"`+where.SHA256+`"`),
		w.send("GET", where.URL, nil, "If-None-Match", `"`+where.SHA256+`"`),
	} {
		if got.Status != 304 {
			t.Errorf("%d", got.Status)
		}
	}
}

// Rule: OBJ-24
func TestConditionsThatDoNotHoldAndOddRangesAreAnsweredAsDescribed(t *testing.T) {
	w := here(t)
	path := w.upload("file.txt", []byte("bytes"))
	where := ok[download](w, w.call(publisher, "GET", path+"/signeds3download", nil))
	for _, tt := range []struct {
		name, value string
		status      int
	}{
		{"If-Match", `"other"`, 412}, {"If-Unmodified-Since", w.Ambient.Now().Add(-time.Hour).Format(http.TimeFormat), 412},
		{"Range", "bytes=x", 416}, {"Range", "bytes=0-0,2-3", 206},
	} {
		for _, got := range []answer{
			w.call(publisher, "GET", path, nil, tt.name, tt.value), w.send("GET", where.URL, nil, tt.name, tt.value),
		} {
			if got.Status != tt.status {
				t.Errorf("%s: %s: %d", tt.name, tt.value, got.Status)
			}
		}
	}
}

// hostile are bytes that a browser would run, by names that say otherwise.
var hostile = map[string]string{
	"picture.png": "<!DOCTYPE html><script>alert(1)</script>",
	"page.html":   "<html><body onload=alert(1)></body></html>",
	"image.svg":   `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`,
	"feed.xml":    `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></html>`,
	"script.js":   "#!/usr/bin/env node\nalert(1)",
}

// Rule: OBJ-25
func TestNothingInBytesRunsInABrowser(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		for name, body := range hostile {
			path := w.upload(name, []byte(body))
			where := ok[download](w, w.call(publisher, "GET", path+"/signeds3download", nil))
			answers := []answer{w.call(publisher, "GET", path, nil), w.send("GET", where.URL, nil)}
			for i, got := range answers {
				if got.Status != 200 || got.Header.Get("Content-Type") != "application/octet-stream" ||
					!strings.HasPrefix(got.Header.Get("Content-Disposition"), "attachment; ") {
					t.Errorf("%s: %d %v", name, got.Status, got.Header)
				}
				ours := i == 0 || !w.Signed // a bucket knows no such headers
				if ours && (got.Header.Get("Content-Security-Policy") != "sandbox; default-src 'none'" ||
					got.Header.Get("X-Content-Type-Options") != "nosniff") {
					t.Errorf("%s: %v", name, got.Header)
				}
			}
			for _, wanted := range []string{"text/html", "image/svg+xml", "application/xhtml+xml", "text/xml",
				"text/javascript", "junk"} {
				w.refused(w.call(publisher, "GET", path+"/signeds3download?response-content-type="+url.QueryEscape(wanted), nil),
					400, "bad_input",
					"The type may be application/octet-stream or one of application/pdf, audio/mpeg, audio/wav, image/bmp, image/gif, image/jpeg, image/png, image/webp, text/plain, video/mp4, video/webm.")
			}
			w.refused(w.call(publisher, "GET", path+"?response-content-disposition=inline", nil), 400, "bad_input",
				"Bytes of this type can only be saved, not shown.")
		}
	})
}

// Rule: OBJ-25
func TestAHarmlessFileCanBeShown(t *testing.T) {
	w := here(t)
	path := w.upload("drawing.txt", []byte("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"))
	got := w.call(publisher, "GET", path+"?response-content-disposition="+url.QueryEscape(`inline; filename="a b.pdf"`)+
		"&response-cache-control=max-age=60", nil)
	w.Equal([]string{"application/pdf", `inline; filename="a b.pdf"; filename*=UTF-8''a%20b.pdf`, "max-age=60"},
		[]string{got.Header.Get("Content-Type"), got.Header.Get("Content-Disposition"), got.Header.Get("Cache-Control")})
	got = w.call(publisher, "GET", path+"?response-content-type=text/plain", nil)
	w.Equal([]string{"text/plain; charset=utf-8", "private, no-cache"},
		[]string{got.Header.Get("Content-Type"), got.Header.Get("Cache-Control")})
	for query, reason := range map[string]string{
		"response-content-disposition=form-data":                "The disposition must look like attachment; filename=\"name.txt\".",
		"response-content-disposition=attachment%3B+x%0D%0Ay:z": "The disposition must look like attachment; filename=\"name.txt\".",
		"response-cache-control=x%0D%0Ay:z":                     "This is no value of Cache-Control.",
		"response-cache-control=a&response-cache-control=b":     `"response-cache-control" is there twice, or is not text.`,
	} {
		w.refused(w.call(publisher, "GET", path+"?"+query, nil), 400, "bad_input", reason)
	}
}

// Rule: OBJ-26
func TestANameCannotEndTheHeaderThatItStandsIn(t *testing.T) {
	w := here(t)
	for name, want := range map[string]string{
		"plain.txt":                "attachment; filename=\"plain.txt\"; filename*=UTF-8''plain.txt",
		"a\"; x=\"b.txt":           "attachment; filename=\"a__ x=_b.txt\"; filename*=UTF-8''a%22%3B%20x%3D%22b.txt",
		"a\r\nSet-Cookie: x=1.txt": "attachment; filename=\"a__Set-Cookie: x=1.txt\"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x%3D1.txt",
		"Grüße 日本.pdf":             "attachment; filename=\"Gr__e __.pdf\"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%E6%97%A5%E6%9C%AC.pdf",
		"..\\..\\%00/etc/passwd":   "attachment; filename=\".._..__00_etc_passwd\"; filename*=UTF-8''..%5C..%5C%2500%2Fetc%2Fpasswd",
	} {
		got := w.call(publisher, "GET", w.upload(name, []byte("x")), nil)
		w.Equal(want, got.Header.Get("Content-Disposition"))
		if got.Header.Get("Set-Cookie") != "" {
			t.Errorf("%q sets a cookie", name)
		}
		if _, parameters, err := mime.ParseMediaType(want); err != nil || parameters["filename"] == "" {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Rule: OBJ-22
func TestBytesAreReadByTheLevelOfEveryFolderTheyLieIn(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		path := w.upload("file.txt", []byte("bytes"))
		status := func(user string) int { return w.call(user, "GET", path, nil).Status }
		// In no version yet: for whoever may fill it.
		w.Equal([]int{200, 403, 403, 404, 200},
			[]int{status(publisher), status(reader), status(viewer), status(outsider), status("")})
		item := w.version(path, "file.txt")
		w.Equal([]int{200, 200, 403, 404, 200},
			[]int{status(publisher), status(reader), status(viewer), status(outsider), status("")})

		// A copy in another folder opens them there.
		other, err := w.Store.CreateFolder(w.Context(), w.Operator(), w.Project.ID,
			storage.Folder{ID: w.Ambient.UID(), ParentID: w.Project.RootFolderID, Name: "Other"})
		w.Must(err)
		_, err = w.Store.CreateItem(w.Context(), w.Operator(), w.Project.ID,
			storage.Item{ID: w.Ambient.UID(), FolderID: other.ID, Name: "copy"},
			storage.NewVersion{CopyFrom: &storage.VersionRef{ItemID: item, Number: 1}})
		w.Must(err)
		w.Must(w.Store.SetFolderGrant(w.Context(), w.Operator(), w.Project.ID,
			storage.FolderGrant{FolderID: other.ID, UserID: outsider, Level: storage.LevelDownload}))
		w.Equal([]int{200, 403}, []int{status(outsider), status(viewer)})

		// A hidden item is for those who may restore it.
		hide := true
		_, err = w.Store.UpdateItem(w.Context(), w.Operator(), w.Project.ID, item, storage.ItemPatch{Hidden: &hide})
		w.Must(err)
		w.Equal([]int{403, 403, 200}, []int{status(publisher), status(reader), status(outsider)})
		_, err = w.Store.UpdateItem(w.Context(), w.Operator(), w.Project.ID, item, storage.ItemPatch{Hidden: new(bool)})
		w.Must(err)
		w.Equal([]int{200, 200, 200}, []int{status(publisher), status(reader), status(outsider)})
	})
}

// However many folders have the same bytes, the right in one of them is enough.
//
// Rule: OBJ-22
func TestBytesAreReadByTheRightInOneOfVeryManyFoldersThatHaveThem(t *testing.T) {
	w := here(t)
	path := w.upload("frame.txt", []byte("bytes"))
	item := w.version(path, "frame.txt")
	var last string
	for n := range 101 {
		folder, err := w.Store.CreateFolder(w.Context(), w.Operator(), w.Project.ID,
			storage.Folder{ID: w.Ambient.UID(), ParentID: w.Project.RootFolderID, Name: strconv.Itoa(n)})
		w.Must(err)
		_, err = w.Store.CreateItem(w.Context(), w.Operator(), w.Project.ID,
			storage.Item{ID: w.Ambient.UID(), FolderID: folder.ID, Name: "copy"},
			storage.NewVersion{CopyFrom: &storage.VersionRef{ItemID: item, Number: 1}})
		w.Must(err)
		last = folder.ID
	}
	w.Equal(http.StatusNotFound, w.call(outsider, "GET", path, nil).Status)
	looks := &looking{Store: w.Store}
	object, err := w.Store.FindObject(w.Context(), bucket, path[strings.LastIndexByte(path, '/')+1:])
	w.Must(err)
	_ = access.Finder{Store: looks}.MayDownload(w.Context(), storage.Caller{ClientID: app, UserID: outsider}, object)
	w.Equal(1, looks.items) // whoever may not is refused at once
	w.Must(w.Store.SetFolderGrant(w.Context(), w.Operator(), w.Project.ID,
		storage.FolderGrant{FolderID: last, UserID: outsider, Level: storage.LevelDownload}))
	w.Equal(http.StatusOK, w.call(outsider, "GET", path, nil).Status)
}

// looking counts which items are looked at.
type looking struct {
	storage.Store
	items int
}

func (l *looking) FindItem(ctx context.Context, caller storage.Caller, projectID, itemID string) (storage.Place,
	storage.Folder, storage.ItemWithTip, error) {
	l.items++
	return l.Store.FindItem(ctx, caller, projectID, itemID)
}
