// Package webpage sends the HTML pages of signed-in people, in every area: with
// the headers that such a page needs, failures as pages, and the faults of a
// form beside its fields.
//
// It decides nothing and knows no session: see internal/gate/websession. The pages of
// a sign-in have words of their own and are not here: see package provider.
// Start at Writer; forms.go puts faults into forms.
package webpage

import (
	"bytes"
	"io"
	"log/slog"
	"mime"
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// Writer sends pages. It is safe for concurrent use.
type Writer struct {
	pages *templates.Pages
	log   *slog.Logger
}

// New returns a writer.
func New(pages *templates.Pages, log *slog.Logger) *Writer {
	return &Writer{pages: pages, log: log}
}

// Frame is what every page has around it that answers the request.
func Frame(r *http.Request) templates.Frame {
	exchange := httpio.From(r.Context())
	return templates.Frame{RequestID: exchange.RequestID, Lang: exchange.Languages.String()}
}

// Desk is what is around a page of somebody who is signed in. What the form said
// that led to it is told by its key.
func Desk(r *http.Request, email string, admin bool, section templates.Section, done map[string]texts.Text) templates.Desk {
	return templates.Desk{
		Frame: Frame(r), Account: email, Admin: admin, Section: section, Done: done[r.URL.Query().Get("done")],
	}
}

// Send sends the page that render writes. It is about one person at one moment:
// nobody stores it, and its forms stay with us. A page that can't be made is an
// error, and nothing was sent.
func (w *Writer) Send(rw http.ResponseWriter, status int, render func(io.Writer) error) error {
	var page bytes.Buffer
	if err := render(&page); err != nil {
		return err
	}
	h := rw.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", templates.PolicyOwn)
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	rw.WriteHeader(status)
	_, _ = page.WriteTo(rw) // who is not there any more needs no page
	return nil
}

// See sends the browser on to a page after a form was done.
func See(rw http.ResponseWriter, r *http.Request, to string) error {
	rw.Header().Set("Cache-Control", "no-store")
	http.Redirect(rw, r, to, http.StatusSeeOther)
	return nil
}

// Download sets the headers of a file that the browser saves.
func Download(rw http.ResponseWriter, contentType, name string) {
	h := rw.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	h.Set("Cache-Control", "no-store")
}

// words are what the error page says for a kind of fault.
type words struct {
	status  int
	heading texts.Text
	turn    texts.Text
	next    texts.Text
}

var byKind = map[fault.Kind]words{
	fault.Internal: {http.StatusInternalServerError, texts.Say("errors.internal.heading"), templates.TurnAdministrator,
		texts.Say("errors.internal.next")},
	fault.Invalid: {http.StatusBadRequest, texts.Say("errors.invalid.heading"), templates.TurnYou,
		texts.Say("errors.invalid.next")},
	fault.Unauthenticated: {http.StatusForbidden, texts.Say("errors.unauthenticated.heading"), templates.TurnYou,
		texts.Say("errors.unauthenticated.next")},
	fault.Forbidden: {http.StatusForbidden, texts.Say("errors.forbidden.heading"), templates.TurnYou,
		texts.Say("errors.forbidden.next")},
	fault.NotFound: {http.StatusNotFound, texts.Say("errors.not-found.heading"), templates.TurnYou,
		texts.Say("errors.not-found.next")},
	fault.MethodNotAllowed: {http.StatusMethodNotAllowed, texts.Say("errors.method-not-allowed.heading"), templates.TurnYou,
		texts.Say("errors.method-not-allowed.next")},
	fault.NotAcceptable: {http.StatusNotAcceptable, texts.Say("errors.not-acceptable.heading"), templates.TurnYou,
		texts.Say("errors.method-not-allowed.next")},
	fault.Conflict: {http.StatusConflict, texts.Say("errors.conflict.heading"), templates.TurnYou,
		texts.Say("errors.conflict.next")},
	fault.Gone: {http.StatusGone, texts.Say("errors.gone.heading"), templates.TurnYou,
		texts.Say("errors.gone.next")},
	fault.PreconditionFailed: {http.StatusPreconditionFailed, texts.Say("errors.precondition-failed.heading"), templates.TurnYou,
		texts.Say("errors.precondition-failed.next")},
	fault.TooLarge: {http.StatusRequestEntityTooLarge, texts.Say("errors.too-large.heading"), templates.TurnYou,
		texts.Say("errors.too-large.next")},
	fault.UnsupportedMedia: {http.StatusUnsupportedMediaType, texts.Say("errors.unsupported-media.heading"), templates.TurnYou,
		texts.Say("errors.unsupported-media.next")},
	fault.Locked: {http.StatusLocked, texts.Say("errors.locked.heading"), templates.TurnYou,
		texts.Say("errors.locked.next")},
	fault.TooMany: {http.StatusTooManyRequests, texts.Say("errors.too-many.heading"), templates.TurnYou,
		texts.Say("errors.too-many.next")},
	fault.Unavailable: {http.StatusServiceUnavailable, texts.Say("errors.unavailable.heading"), templates.TurnAdministrator,
		texts.Say("errors.unavailable.next")},
}

// Error shows a failure to the person. It is an httpio.ErrorWriter.
func (w *Writer) Error(rw http.ResponseWriter, r *http.Request, err error) {
	f := fault.From(err)
	text := byKind[f.Kind]
	what, code := Detail(f), f.Reason
	if f.Kind == fault.Internal {
		what, code = texts.Say("errors.internal.what"), "server_error"
	}
	httpio.SetRetryAfter(rw.Header(), f.RetryAfter)
	failed := w.Send(rw, text.status, func(out io.Writer) error {
		return w.pages.Error(out, templates.ErrorPage{
			Frame:   Frame(r),
			Heading: text.heading, What: what, Turn: text.turn, NextStep: text.next, Code: code,
		})
	})
	if failed != nil {
		w.log.ErrorContext(r.Context(), "making the error page", "error", failed)
		rw.WriteHeader(http.StatusInternalServerError)
	}
}
