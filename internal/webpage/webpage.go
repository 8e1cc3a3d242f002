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
	"cmp"
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

// Words are what the error page says of a fault.
type Words struct {
	Heading texts.Text
	Turn    texts.Text
	Next    texts.Text
	Status  int // 0: that of the kind
}

var byKind = map[fault.Kind]Words{
	fault.Internal: {Heading: texts.Say("errors.internal.heading"), Turn: templates.TurnAdministrator,
		Next: texts.Say("errors.internal.next")},
	fault.Invalid: {Heading: texts.Say("errors.invalid.heading"), Turn: templates.TurnYou,
		Next: texts.Say("errors.invalid.next")},
	fault.Unauthenticated: {Heading: texts.Say("errors.unauthenticated.heading"), Turn: templates.TurnYou,
		Next: texts.Say("errors.unauthenticated.next"), Status: http.StatusForbidden}, // 401 is for programs
	fault.Forbidden: {Heading: texts.Say("errors.forbidden.heading"), Turn: templates.TurnYou,
		Next: texts.Say("errors.forbidden.next")},
	fault.NotFound: {Heading: texts.Say("errors.not-found.heading"), Turn: templates.TurnYou,
		Next: texts.Say("errors.not-found.next")},
	fault.MethodNotAllowed: {Heading: texts.Say("errors.method-not-allowed.heading"), Turn: templates.TurnYou,
		Next: texts.Say("errors.method-not-allowed.next")},
	fault.NotAcceptable: {Heading: texts.Say("errors.not-acceptable.heading"), Turn: templates.TurnYou,
		Next: texts.Say("errors.method-not-allowed.next")},
	fault.Conflict: {Heading: texts.Say("errors.conflict.heading"), Turn: templates.TurnYou,
		Next: texts.Say("errors.conflict.next")},
	fault.Gone: {Heading: texts.Say("errors.gone.heading"), Turn: templates.TurnYou,
		Next: texts.Say("errors.gone.next")},
	fault.PreconditionFailed: {Heading: texts.Say("errors.precondition-failed.heading"), Turn: templates.TurnYou,
		Next: texts.Say("errors.precondition-failed.next")},
	fault.TooLarge: {Heading: texts.Say("errors.too-large.heading"), Turn: templates.TurnYou,
		Next: texts.Say("errors.too-large.next")},
	fault.UnsupportedMedia: {Heading: texts.Say("errors.unsupported-media.heading"), Turn: templates.TurnYou,
		Next: texts.Say("errors.unsupported-media.next")},
	fault.Locked: {Heading: texts.Say("errors.locked.heading"), Turn: templates.TurnYou,
		Next: texts.Say("errors.locked.next")},
	fault.TooMany: {Heading: texts.Say("errors.too-many.heading"), Turn: templates.TurnYou,
		Next: texts.Say("errors.too-many.next")},
	fault.Unavailable: {Heading: texts.Say("errors.unavailable.heading"), Turn: templates.TurnAdministrator,
		Next: texts.Say("errors.unavailable.next")},
}

// byReason are the words for faults of which more is known than their kind.
var byReason = map[string]Words{
	"link_over": {Heading: texts.Say("errors.link-over.heading"), Turn: templates.TurnAdministrator,
		Next: texts.Say("errors.link-over.next")},
	"address_link_over": {Heading: texts.Say("errors.link-over.heading"), Turn: templates.TurnYou,
		Next: texts.Say("errors.address-link-over.next")},
	"password_link_over": {Heading: texts.Say("errors.link-over.heading"), Turn: templates.TurnYou,
		Next: texts.Say("errors.password-link-over.next")},
	"set_up_over": {Heading: texts.Say("errors.link-over.heading"), Turn: templates.TurnYou,
		Next: texts.Say("errors.set-up-over.next")},
	"sign_up_closed": {Heading: texts.Say("errors.sign-up-closed.heading"), Turn: templates.TurnAdministrator,
		Next: texts.Say("errors.sign-up-closed.next")},
	"upstream_unreachable": {Heading: texts.Say("errors.upstream-unreachable.heading"), Turn: templates.TurnYou,
		Next: texts.Say("errors.unavailable.next")},
	"another_person": {Heading: texts.Say("errors.another-person.heading"), Turn: templates.TurnYou,
		Next: texts.Say("errors.another-person.next")},
	"form_unknown": {Heading: texts.Say("errors.form-unknown.heading"), Turn: templates.TurnYou,
		Next: texts.Say("errors.form-unknown.next"), Status: http.StatusConflict},
}

// Error shows a failure to the person. It is an httpio.ErrorWriter.
func (w *Writer) Error(rw http.ResponseWriter, r *http.Request, err error) {
	f := ofPeople(fault.From(err))
	w.Fail(rw, r, f, byReason[f.Reason], templates.Link{})
}

// ofPeople is the fault as somebody can read it who followed a link that was cut off: how an
// id is written is for programs to know.
func ofPeople(f *fault.Error) *fault.Error {
	if f.Reason == "malformed_id" {
		return fault.New(fault.NotFound, f.Reason, "There is nothing at this address.")
	}
	return f
}

// Fail shows a failure in these words or, where they are empty, in those of its kind,
// in the bar of whoever the request comes from and with a way on: this one or, where it
// is empty, one to a page of theirs.
func (w *Writer) Fail(rw http.ResponseWriter, r *http.Request, f *fault.Error, text Words, way templates.Link) {
	if w.greet != nil && httpio.From(r.Context()).Person.ID == "" {
		w.greet(r)
	}
	if text.Heading.Empty() {
		text = byKind[f.Kind]
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
	status := cmp.Or(text.Status, httpio.Status(f.Kind))
	if err := w.Send(rw, status, func(out io.Writer) error { return w.pages.Error(out, page) }); err != nil {
		w.log.ErrorContext(r.Context(), "making the error page", "error", err)
		rw.WriteHeader(http.StatusInternalServerError)
	}
}
