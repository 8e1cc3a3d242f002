package httpio

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// opened counts how often somebody goes elsewhere in a content.
type opened struct {
	io.ReadSeeker
	times int
}

func (o *opened) Seek(offset int64, whence int) (int64, error) {
	o.times++
	return o.ReadSeeker.Seek(offset, whence)
}

// Rule: OBJ-23
func TestNobodyHasAContentOpenedVeryOftenByOneRequest(t *testing.T) {
	for ranges, want := range map[int]int{
		1: http.StatusPartialContent, mostRanges: http.StatusPartialContent,
		mostRanges + 1: http.StatusOK, 5000: http.StatusOK,
	} {
		content := &opened{ReadSeeker: strings.NewReader(strings.Repeat("bytes", 10_000))}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Range", "bytes="+strings.Repeat("0-0,", ranges-1)+"0-0")
		w := httptest.NewRecorder()
		w.Header().Set("Content-Type", "text/plain")
		ServeContent(w, r, time.Time{}, content)
		if w.Code != want || content.times > mostRanges+3 || want == http.StatusOK && w.Body.Len() != 50_000 {
			t.Errorf("%d ranges: %d, opened %d times, %d bytes", ranges, w.Code, content.times, w.Body.Len())
		}
	}
}

func TestWhoHasAContentIsKnownByItsTagAlone(t *testing.T) {
	for has, want := range map[string]bool{
		"": false, "*": true, `"a"`: true, `W/"a"`: true, `"b,c", W/"a"`: true, `"b","a"`: true,
		`"b"`: false, `"b,*,c"`: false, `"a`: false, `W/"b, *`: false, "a": false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("If-None-Match", has)
		if Known(r, `"a"`) != want {
			t.Errorf("who has %s is known: %t", has, !want)
		}
	}
}

// Rule: OBJ-23
func TestARangeThatNamesNoBytesIsPassedOver(t *testing.T) {
	for _, tt := range []struct {
		content, asked string
		want           int
		answered       string
	}{
		{"bytes", "bytes=-2", http.StatusPartialContent, "bytes 3-4/5"},
		{"bytes", "bytes=5-", http.StatusRequestedRangeNotSatisfiable, "bytes */5"},
		{"bytes", "bytes=-0", http.StatusOK, ""},
		{"bytes", "bytes=0-1, -00", http.StatusOK, ""},
		{"bytes", "lines=0-1", http.StatusOK, ""},
		{"", "bytes=-2", http.StatusOK, ""},
		{"", "bytes=0-1", http.StatusOK, ""},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Range", tt.asked)
		w := httptest.NewRecorder()
		w.Header().Set("Content-Type", "text/plain")
		ServeContent(w, r, time.Time{}, strings.NewReader(tt.content))
		if got := w.Header().Get("Content-Range"); w.Code != tt.want || got != tt.answered {
			t.Errorf("%s of %q: %d %s, want %d %s", tt.asked, tt.content, w.Code, got, tt.want, tt.answered)
		}
	}
}
