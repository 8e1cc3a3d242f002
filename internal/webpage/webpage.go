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
	greet func(*http.Request)
}

// New returns a writer. Greet notes in a request's exchange who it comes from,
// for failures that come before anybody asked.
func New(pages *templates.Pages, log *slog.Logger, greet func(*http.Request)) *Writer {
	return &Writer{pages: pages, log: log, greet: greet}
}

// Send sends the page that render writes. It is about one person at one moment:
// nobody stores it, and its forms stay with us. A page that can't be made is an
// error, and nothing was sent.
func (w *Writer) Send(rw http.ResponseWriter, status int, render func(io.Writer) error) error {
	return w.SendUnder(templates.PolicyOwn, rw, status, render)
}

// SendUnder is Send of a page that needs another content security policy.
func (w *Writer) SendUnder(policy string, rw http.ResponseWriter, status int, render func(io.Writer) error) error {
	var page bytes.Buffer
	if err := render(&page); err != nil {
		return err
	}
	h := rw.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
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

// Words are what the error page says for a kind of fault.
type Words struct {
	Status  int
	Heading texts.Text
	Turn    texts.Text
	Next    texts.Text
}

var byKind = map[fault.Kind]Words{
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
	fault.MethodNotAllowed: {http.StatusMethodNotAllowed,
		texts.Say("errors.method-not-allowed.heading"), templates.TurnYou,
		texts.Say("errors.method-not-allowed.next")},
	fault.NotAcceptable: {http.StatusNotAcceptable, texts.Say("errors.not-acceptable.heading"), templates.TurnYou,
		texts.Say("errors.method-not-allowed.next")},
	fault.Conflict: {http.StatusConflict, texts.Say("errors.conflict.heading"), templates.TurnYou,
		texts.Say("errors.conflict.next")},
	fault.Gone: {http.StatusGone, texts.Say("errors.gone.heading"), templates.TurnYou,
		texts.Say("errors.gone.next")},
	fault.PreconditionFailed: {http.StatusPreconditionFailed,
		texts.Say("errors.precondition-failed.heading"), templates.TurnYou,
		texts.Say("errors.precondition-failed.next")},
	fault.TooLarge: {http.StatusRequestEntityTooLarge, texts.Say("errors.too-large.heading"), templates.TurnYou,
		texts.Say("errors.too-large.next")},
	fault.UnsupportedMedia: {http.StatusUnsupportedMediaType,
		texts.Say("errors.unsupported-media.heading"), templates.TurnYou,
		texts.Say("errors.unsupported-media.next")},
	fault.Locked: {http.StatusLocked, texts.Say("errors.locked.heading"), templates.TurnYou,
		texts.Say("errors.locked.next")},
	fault.TooMany: {http.StatusTooManyRequests, texts.Say("errors.too-many.heading"), templates.TurnYou,
		texts.Say("errors.too-many.next")},
	fault.Unavailable: {http.StatusServiceUnavailable, texts.Say("errors.unavailable.heading"),
		templates.TurnAdministrator,
		texts.Say("errors.unavailable.next")},
}

// byReason are the words for faults of which more is known than their kind.
var byReason = map[string]Words{
	"link_over": {http.StatusGone, texts.Say("errors.link-over.heading"), templates.TurnAdministrator,
		texts.Say("errors.link-over.next")},
	"address_link_over": {http.StatusGone, texts.Say("errors.link-over.heading"), templates.TurnYou,
		texts.Say("errors.address-link-over.next")},
	"password_link_over": {http.StatusGone, texts.Say("errors.link-over.heading"), templates.TurnYou,
		texts.Say("errors.password-link-over.next")},
	"set_up_over": {http.StatusGone, texts.Say("errors.link-over.heading"), templates.TurnYou,
		texts.Say("errors.set-up-over.next")},
	"sign_up_closed": {http.StatusForbidden, texts.Say("errors.sign-up-closed.heading"), templates.TurnAdministrator,
		texts.Say("errors.sign-up-closed.next")},
	"upstream_unreachable": {http.StatusServiceUnavailable, texts.Say("errors.upstream-unreachable.heading"),
		templates.TurnYou, texts.Say("errors.unavailable.next")},
	"another_person": {http.StatusConflict, texts.Say("errors.another-person.heading"), templates.TurnYou,
		texts.Say("errors.another-person.next")},
	"form_unknown": {http.StatusConflict, texts.Say("errors.form-unknown.heading"), templates.TurnYou,
		texts.Say("errors.form-unknown.next")},
}

// Error shows a failure to the person. It is an httpio.ErrorWriter.
func (w *Writer) Error(rw http.ResponseWriter, r *http.Request, err error) {
	f := ofPeople(fault.From(err))
	text, known := byReason[f.Reason]
	if !known {
		text = byKind[f.Kind]
	}
	w.Fail(rw, r, f, text, templates.Link{})
}

// ofPeople is the fault as somebody can read it who followed a link that was cut off: how an
// id is written is for programs to know.
func ofPeople(f *fault.Error) *fault.Error {
	if f.Reason == "malformed_id" {
		return fault.New(fault.NotFound, f.Reason, "There is nothing at this address.")
	}
	return f
}

// Fail shows a failure in these words, in the bar of whoever the request comes
// from and with a way on: this one or, where it is empty, one to a page of theirs.
func (w *Writer) Fail(rw http.ResponseWriter, r *http.Request, f *fault.Error, text Words, way templates.Link) {
	if w.greet != nil && httpio.From(r.Context()).Person.ID == "" {
		w.greet(r)
	}
	section := sectionOf(r)
	page := templates.ErrorPage{
		Desk: Desk(r, section, nil), Heading: text.Heading, What: Detail(f), Turn: text.Turn,
		NextStep: text.Next, Code: f.Reason,
		Way: wayOn(r, section),
	}
	if way.URL != "" {
		page.Way = way
	}
	if f.Kind == fault.Internal {
		page.What, page.Code = texts.Say("errors.internal.what"), "server_error"
	}
	httpio.SetRetryAfter(rw.Header(), f.RetryAfter)
	if err := w.Send(rw, text.Status, func(out io.Writer) error { return w.pages.Error(out, page) }); err != nil {
		w.log.ErrorContext(r.Context(), "making the error page", "error", err)
		rw.WriteHeader(http.StatusInternalServerError)
	}
}
