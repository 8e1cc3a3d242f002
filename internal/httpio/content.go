package httpio

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// mostRanges is how many parts of a content one request gets. Each is opened anew where
// the bytes lie; whoever asks for more gets the whole, as RFC 9110, section 14.2, has it.
const mostRanges = 8

// ServeContent is http.ServeContent of what is opened anew for each range.
func ServeContent(w http.ResponseWriter, r *http.Request, modified time.Time, content io.ReadSeeker) {
	if asked := r.Header.Get("Range"); asked != "" && !ranged(asked, content) {
		r = r.Clone(r.Context())
		r.Header.Del("Range")
	}
	http.ServeContent(w, r, "", modified, content)
}

// ranged reports whether a Range is served. The library would refuse units that it does not
// know, which are to be passed over (RFC 9110, section 14.2), and say of the last no bytes
// that they end before they begin.
func ranged(asked string, content io.Seeker) bool {
	set, bytes := strings.CutPrefix(asked, "bytes=")
	if !bytes || strings.Count(set, ",") >= mostRanges {
		return false
	}
	for one := range strings.SplitSeq(set, ",") {
		if last, suffix := strings.CutPrefix(strings.TrimSpace(one), "-"); suffix && strings.Trim(last, "0") == "" {
			return false
		}
	}
	size, err := content.Seek(0, io.SeekEnd)
	return err == nil && size > 0
}

// Known reports whether a request says that it has the content of a tag already, or whatever
// there is (RFC 9110, 13.1.2).
func Known(r *http.Request, tags ...string) bool { return Lists(r, "If-None-Match", tags...) }

// Lists reports whether a header has one of the tags, or "*" for whatever there is. They are
// compared weakly, for packing makes them weak.
func Lists(r *http.Request, header string, tags ...string) bool {
	for _, had := range Tags(r, header) {
		had = strings.TrimPrefix(had, "W/")
		if had == "*" || slices.ContainsFunc(tags, func(tag string) bool { return strings.TrimPrefix(tag, "W/") == had }) {
			return true
		}
	}
	return false
}

// Tags are what a header lists, which has "*" or tags with their quotes, of which a comma may be
// a part (RFC 9110, 8.8.3).
func Tags(r *http.Request, header string) (tags []string) {
	list := strings.Join(r.Header.Values(header), ",")
	begin, quoted := 0, false
	for i, c := range list {
		switch {
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			tags, begin = append(tags, strings.TrimSpace(list[begin:i])), i+1
		}
	}
	return append(tags, strings.TrimSpace(list[begin:]))
}
