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
	heading string
	turn    templates.Turn
	next    string
}

var byKind = map[fault.Kind]words{
	fault.Internal: {http.StatusInternalServerError, "Something went wrong here", templates.TurnAdministrator,
		"Try again in a moment. If it stays like this, tell the administrator the request id below."},
	fault.Invalid: {http.StatusBadRequest, "This can’t be done like that", templates.TurnYou,
		"Go back, and try again from the page."},
	fault.Unauthenticated: {http.StatusForbidden, "Please sign in first", templates.TurnYou,
		"Sign in, then open the page again."},
	fault.Forbidden: {http.StatusForbidden, "This is not for you to see or change", templates.TurnYou,
		"Ask an administrator of this server if you need it."},
	fault.NotFound: {http.StatusNotFound, "There is nothing here", templates.TurnYou,
		"Check the address, or go back to where you came from."},
	fault.MethodNotAllowed: {http.StatusMethodNotAllowed, "This address can’t be used like that", templates.TurnYou,
		"Go back to where you came from."},
	fault.NotAcceptable: {http.StatusNotAcceptable, "This format is not offered", templates.TurnYou,
		"Go back to where you came from."},
	fault.Conflict: {http.StatusConflict, "This can’t be done as things are", templates.TurnYou,
		"Go back and look at how things are now: something else has to be done first."},
	fault.Gone: {http.StatusGone, "This is over", templates.TurnYou,
		"Start again from the beginning."},
	fault.PreconditionFailed: {http.StatusPreconditionFailed, "Somebody else changed this meanwhile", templates.TurnYou,
		"Reload the page and try again."},
	fault.TooLarge: {http.StatusRequestEntityTooLarge, "This is too large", templates.TurnYou,
		"Send less, and try again."},
	fault.UnsupportedMedia: {http.StatusUnsupportedMediaType, "This was not sent as a form", templates.TurnYou,
		"Open the page on this server and send the form from there."},
	fault.Locked: {http.StatusLocked, "Somebody else is using this", templates.TurnYou,
		"Wait a moment and try again."},
	fault.TooMany: {http.StatusTooManyRequests, "There are too many", templates.TurnYou,
		"Wait a moment, or delete what is not needed any more, and try again."},
	fault.Unavailable: {http.StatusServiceUnavailable, "This server is not ready", templates.TurnAdministrator,
		"Try again in a moment."},
}

// Error shows a failure to the person. It is an httpio.ErrorWriter.
func (w *Writer) Error(rw http.ResponseWriter, r *http.Request, err error) {
	f := fault.From(err)
	text := byKind[f.Kind]
	what, code := f.Detail, f.Reason
	if f.Kind == fault.Internal {
		what, code = "The server could not finish what you asked for.", "server_error"
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
