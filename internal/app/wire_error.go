package app

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/templates"
)

// status is the status of each kind where no area has its own format.
func status(kind fault.Kind) int {
	switch kind {
	case fault.Invalid:
		return http.StatusBadRequest
	case fault.Unauthenticated:
		return http.StatusUnauthorized
	case fault.Forbidden:
		return http.StatusForbidden
	case fault.NotFound:
		return http.StatusNotFound
	case fault.MethodNotAllowed:
		return http.StatusMethodNotAllowed
	case fault.NotAcceptable:
		return http.StatusNotAcceptable
	case fault.Conflict:
		return http.StatusConflict
	case fault.Gone:
		return http.StatusGone
	case fault.PreconditionFailed:
		return http.StatusPreconditionFailed
	case fault.TooLarge:
		return http.StatusRequestEntityTooLarge
	case fault.UnsupportedMedia:
		return http.StatusUnsupportedMediaType
	case fault.Locked:
		return http.StatusLocked
	case fault.TooMany:
		return http.StatusTooManyRequests
	case fault.Unavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// problem is the body of RFC 9457.
type problem struct {
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Detail    string `json:"detail,omitempty"`
	Code      string `json:"code,omitempty"`
	RequestID string `json:"request_id"`
}

// writeError answers what fails before an area sees it: unknown paths, wrong
// methods, panics. Browsers get a page, programs get problem+json.
func (p *parts) writeError(w http.ResponseWriter, r *http.Request, err error) {
	f := *fault.From(err)
	if f.Kind == fault.Internal {
		f.Reason, f.Detail = "server_error", "The server could not finish what you asked for."
	}
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Add("Vary", "Accept")
	if f.RetryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(int(f.RetryAfter.Seconds()+0.999)))
	}
	id := httpio.From(r.Context()).RequestID
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		p.writeErrorPage(w, f, id)
		return
	}
	if f.Kind == fault.Internal && withoutBody(r.URL.Path) {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	httpio.WriteJSON(w, status(f.Kind), "application/problem+json", problem{
		Title: http.StatusText(status(f.Kind)), Status: status(f.Kind), Detail: f.Detail, Code: f.Reason, RequestID: id,
	})
}

// withoutBody reports whether a failure of ours has no body at the path: so it
// is all over the token specification (S1 section 7, decision T11).
func withoutBody(path string) bool {
	return strings.HasPrefix(path, "/authentication/v2/") || path == "/userinfo"
}

func (p *parts) writeErrorPage(w http.ResponseWriter, f fault.Error, requestID string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", templates.PolicyOwn)
	w.WriteHeader(status(f.Kind))
	err := p.pages.Error(w, templates.ErrorPage{
		Frame:   templates.Frame{RequestID: requestID},
		Heading: http.StatusText(status(f.Kind)), What: f.Detail, Code: f.Reason,
	})
	if err != nil {
		p.log.Warn("sending a page", "error", err)
	}
}
