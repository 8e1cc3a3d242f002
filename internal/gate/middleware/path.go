package middleware

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

// CleanPath collapses slashes at the beginning of the path into one (decision
// J9) and refuses paths that are no text. It works on the escaped path: on the
// decoded one, "/%2fproject" would turn into "/project".
func CleanPath(writeError httpio.ErrorWriter, next http.Handler) http.Handler {
	refuse := httpio.Handle(writeError, func(http.ResponseWriter, *http.Request) error {
		return fault.New(fault.Invalid, "malformed_path", "The path holds invalid UTF-8 or the character U+0000.")
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !httpio.IsText(r.URL.Path) {
			refuse.ServeHTTP(w, r)
			return
		}
		escaped := r.URL.EscapedPath()
		if strings.HasPrefix(escaped, "//") {
			r = withPath(r, "/"+strings.TrimLeft(escaped, "/"))
		}
		next.ServeHTTP(w, r)
	})
}

func withPath(r *http.Request, escaped string) *http.Request {
	path, err := url.PathUnescape(escaped)
	if err != nil {
		return r // can't be: it was parsed before
	}
	changed := new(http.Request)
	*changed = *r
	changed.URL = new(url.URL)
	*changed.URL = *r.URL
	changed.URL.Path, changed.URL.RawPath = path, escaped
	return changed
}
