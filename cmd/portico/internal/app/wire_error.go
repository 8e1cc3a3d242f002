package app

import (
	"net/http"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

// writeError answers what fails before an area sees it: unknown paths, wrong
// methods, panics. Browsers get a page, programs get problem+json.
func (p *parts) writeError(w http.ResponseWriter, r *http.Request, err error) {
	f := *fault.From(err)
	if f.Kind == fault.Internal {
		f.Reason, f.Detail = "server_error", httpio.OursDetail
	}
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Add("Vary", "Accept")
	httpio.SetRetryAfter(header, f.RetryAfter)
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		p.desks.web.Error(w, r, err)
		return
	}
	if f.Kind == fault.Internal && withoutBody(r.URL.Path) {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	httpio.NewProblem(r, &f, httpio.Status(f.Kind)).Write(w)
}

// withoutBody reports whether a failure of ours has no body at the path: so it
// is all over the token specification (S1 section 7, decision T11).
func withoutBody(path string) bool {
	return strings.HasPrefix(path, "/authentication/v2/") || path == "/userinfo"
}
