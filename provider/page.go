package provider

import (
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// page sends an HTML page. Pages are about one person at one moment and may
// carry codes: nobody stores them. A client may have opened them in a window of
// its own, which goes back to it, so they don't part from it.
func (p *Provider) page(w http.ResponseWriter, _ *http.Request, status int, policy string, render func() error) error {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	w.WriteHeader(status)
	if err := render(); err != nil {
		p.log.Warn("sending a page", "error", err)
	}
	return nil
}

// errorText is what the error page says for a kind of fault.
type errorText struct {
	status  int
	heading texts.Text
	turn    texts.Text
	next    texts.Text
}

var errorTexts = map[fault.Kind]errorText{
	fault.Internal: {http.StatusInternalServerError, texts.Say("errors.internal.heading"), templates.TurnAdministrator,
		texts.Say("errors.internal.next")},
	fault.Invalid: {http.StatusBadRequest, texts.Say("errors.invalid.heading-in-protocol"), templates.TurnAppDeveloper,
		texts.Say("errors.invalid.next-in-protocol")},
	fault.Unauthenticated: {http.StatusForbidden, texts.Say("errors.unauthenticated.heading"), templates.TurnYou,
		texts.Say("errors.unauthenticated.next")},
	fault.Forbidden: {http.StatusForbidden, texts.Say("errors.forbidden.heading-in-protocol"), templates.TurnYou,
		texts.Say("errors.forbidden.next-in-protocol")},
	fault.NotFound: {http.StatusNotFound, texts.Say("errors.not-found.heading"), templates.TurnYou,
		texts.Say("errors.not-found.next")},
	fault.MethodNotAllowed: {http.StatusMethodNotAllowed, texts.Say("errors.method-not-allowed.heading"), templates.TurnAppDeveloper,
		texts.Say("errors.method-not-allowed.next")},
	fault.NotAcceptable: {http.StatusNotAcceptable, texts.Say("errors.not-acceptable.heading"), templates.TurnAppDeveloper,
		texts.Say("errors.method-not-allowed.next")},
	fault.Conflict: {http.StatusConflict, texts.Say("errors.conflict.heading-in-protocol"), templates.TurnYou,
		texts.Say("errors.conflict.next-in-protocol")},
	fault.Gone: {http.StatusGone, texts.Say("errors.gone.heading-in-protocol"), templates.TurnYou,
		texts.Say("errors.gone.next-in-protocol")},
	fault.PreconditionFailed: {http.StatusPreconditionFailed, texts.Say("errors.precondition-failed.heading"), templates.TurnYou,
		texts.Say("errors.precondition-failed.next")},
	fault.TooLarge: {http.StatusRequestEntityTooLarge, texts.Say("errors.too-large.heading"), templates.TurnAppDeveloper,
		texts.Say("errors.gone.next-in-protocol")},
	fault.UnsupportedMedia: {http.StatusUnsupportedMediaType, texts.Say("errors.unsupported-media.heading"), templates.TurnAppDeveloper,
		texts.Say("errors.gone.next-in-protocol")},
	fault.Locked: {http.StatusLocked, texts.Say("errors.locked.heading"), templates.TurnYou,
		texts.Say("errors.locked.next")},
	fault.TooMany: {http.StatusTooManyRequests, texts.Say("errors.too-many.heading-in-protocol"), templates.TurnYou,
		texts.Say("errors.locked.next")},
	fault.Unavailable: {http.StatusServiceUnavailable, texts.Say("errors.unavailable.heading"), templates.TurnAdministrator,
		texts.Say("errors.unavailable.next")},
}

// writePageError shows a failure to the person. Nothing of what the request
// sent is shown: it is unproven.
func (p *Provider) writePageError(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.From(err)
	text := errorTexts[f.Kind]
	what, code := webpage.Detail(f), f.Reason
	if f.Kind == fault.Internal {
		what, code = texts.Say("errors.internal.what"), "server_error"
	}
	httpio.SetRetryAfter(w.Header(), f.RetryAfter)
	_ = p.page(w, r, text.status, templates.PolicyOwn, func() error {
		return p.pages.Error(w, templates.ErrorPage{
			Frame:   webpage.Frame(r),
			Heading: text.heading, What: what, Turn: text.turn, NextStep: text.next, Code: code,
		})
	})
}
