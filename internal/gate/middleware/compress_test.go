package middleware_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/gate/middleware"
)

const longText = "one page, one page, one page, one page, one page, one page, one page, one page"

// compressed does a request with the headers and returns the recorded answer.
func compressed(handler http.HandlerFunc, pairs ...string) *http.Response {
	r, w := get("/"), httptest.NewRecorder()
	for i := 0; i+1 < len(pairs); i += 2 {
		r.Header.Set(pairs[i], pairs[i+1])
	}
	middleware.Compress(handler).ServeHTTP(w, r)
	return w.Result()
}

func as(mediaType string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		w.Header().Set("ETag", `"e"`)
		_, _ = io.WriteString(w, longText)
	}
}

// Rule: PORTAL-17
func TestPagesGoPackedOnlyWhenNoOtherSiteAsked(t *testing.T) {
	const page = "text/html; charset=utf-8"
	for name, c := range map[string]struct {
		mediaType string
		headers   []string
		want      bool
	}{
		"a page that the person opened": {page,
			[]string{"Accept-Encoding", "gzip, deflate, br", "Sec-Fetch-Site", "none"}, true},
		"a page that a page of ours opened": {page,
			[]string{"Accept-Encoding", "br, gzip;q=0.5", "Sec-Fetch-Site", "same-origin"}, true},
		"a page that another site opened": {page, []string{"Accept-Encoding", "gzip", "Sec-Fetch-Site", "cross-site"},
			false},
		"a page that a neighbour opened": {page, []string{"Accept-Encoding", "gzip", "Sec-Fetch-Site", "same-site"},
			false},
		"a page that nobody knows who opened": {page, []string{"Accept-Encoding", "gzip"}, false},
		"a page for who takes no gzip": {page,
			[]string{"Accept-Encoding", "br, gzip;q=0", "Sec-Fetch-Site", "none"}, false},
		"a page for who says nothing": {page, []string{"Sec-Fetch-Site", "none"}, false},
		"a stylesheet, whoever asked": {"text/css; charset=utf-8",
			[]string{"Accept-Encoding", "gzip", "Sec-Fetch-Site", "cross-site"}, true},
		"an answer with a token": {"application/json",
			[]string{"Accept-Encoding", "gzip", "Sec-Fetch-Site", "same-origin"}, false},
		"a picture, which is packed by its kind": {"image/png",
			[]string{"Accept-Encoding", "gzip", "Sec-Fetch-Site", "same-origin"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := compressed(as(c.mediaType), c.headers...)
			body, _ := io.ReadAll(got.Body)
			packed := got.Header.Get("Content-Encoding") == "gzip"
			if packed {
				plain, err := gzip.NewReader(bytes.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				if body, err = io.ReadAll(plain); err != nil {
					t.Fatal(err)
				}
			}
			if packed != c.want || string(body) != longText {
				t.Errorf("packed: %v, %q", packed, body)
			}
			if want := map[bool]string{true: `W/"e"`, false: `"e"`}[packed]; got.Header.Get("ETag") != want {
				t.Errorf("the tag is %s", got.Header.Get("ETag"))
			}
			if varies := got.Header.Values("Vary"); packed && len(varies) == 0 {
				t.Error("caches are not told")
			}
		})
	}
}

// Rule: PORTAL-17
func TestAnAnswerWithoutABodyIsNotPacked(t *testing.T) {
	for _, status := range []int{http.StatusNoContent, http.StatusNotModified} {
		got := compressed(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/css")
			w.WriteHeader(status)
		}, "Accept-Encoding", "gzip")
		if body, _ := io.ReadAll(got.Body); len(body) != 0 || got.Header.Get("Content-Encoding") != "" {
			t.Errorf("%d: %q, %v", status, body, got.Header)
		}
	}
}

// Whoever goes on with an interrupted download would have put a packed piece behind a
// plain one.
//
// Rule: PORTAL-17
func TestAPieceOfAFileIsNotPacked(t *testing.T) {
	file := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		w.Header().Set("ETag", `"e"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(longText))
	}
	got := compressed(file, "Accept-Encoding", "gzip", "Range", "bytes=10-", "If-Range", `"e"`)
	body, err := io.ReadAll(got.Body)
	if err != nil || got.StatusCode != http.StatusPartialContent || string(body) != longText[10:] ||
		got.Header.Get("Content-Encoding") != "" || got.Header.Get("ETag") != `"e"` {
		t.Errorf("%d %q %v, %v", got.StatusCode, body, got.Header, err)
	}
	whole := compressed(file, "Accept-Encoding", "gzip")
	if whole.StatusCode != http.StatusOK || whole.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("the whole file: %d %v", whole.StatusCode, whole.Header)
	}
}

// Rule: PORTAL-17
func TestAPackedAnswerThatBreaksOffDoesNotLookWhole(t *testing.T) {
	r, w := get("/"), httptest.NewRecorder()
	r.Header.Set("Accept-Encoding", "gzip")
	func() {
		defer func() { _ = recover() }()
		middleware.Compress(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			as("text/css")(w, r)
			panic(http.ErrAbortHandler)
		})).ServeHTTP(w, r)
	}()
	plain, err := gzip.NewReader(strings.NewReader(w.Body.String()))
	if err == nil {
		_, err = io.ReadAll(plain)
	}
	if err == nil {
		t.Error("it reads as if it were whole")
	}
}
