package provider

import (
	"net/http"

	"github.com/portico-id/portico/internal/fault"
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

var errorTexts = map[fault.Kind]webpage.Words{
	fault.Internal: {Status: http.StatusInternalServerError, Heading: texts.Say("errors.internal.heading"),
		Turn: templates.TurnAdministrator,
		Next: texts.Say("errors.internal.next")},
	fault.Invalid: {Status: http.StatusBadRequest, Heading: texts.Say("errors.invalid.heading-in-protocol"),
		Turn: templates.TurnAppDeveloper,
		Next: texts.Say("errors.invalid.next-in-protocol")},
	fault.Unauthenticated: {Status: http.StatusForbidden, Heading: texts.Say("errors.unauthenticated.heading"),
		Turn: templates.TurnYou,
		Next: texts.Say("errors.unauthenticated.next")},
	fault.Forbidden: {Status: http.StatusForbidden, Heading: texts.Say("errors.forbidden.heading-in-protocol"),
		Turn: templates.TurnYou,
		Next: texts.Say("errors.forbidden.next-in-protocol")},
	fault.NotFound: {Status: http.StatusNotFound, Heading: texts.Say("errors.not-found.heading"), Turn: templates.TurnYou,
		Next: texts.Say("errors.not-found.next")},
	fault.MethodNotAllowed: {Status: http.StatusMethodNotAllowed, Heading: texts.Say("errors.method-not-allowed.heading"),
		Turn: templates.TurnAppDeveloper,
		Next: texts.Say("errors.method-not-allowed.next")},
	fault.NotAcceptable: {Status: http.StatusNotAcceptable, Heading: texts.Say("errors.not-acceptable.heading"),
		Turn: templates.TurnAppDeveloper,
		Next: texts.Say("errors.method-not-allowed.next")},
	fault.Conflict: {Status: http.StatusConflict, Heading: texts.Say("errors.conflict.heading-in-protocol"),
		Turn: templates.TurnYou,
		Next: texts.Say("errors.conflict.next-in-protocol")},
	fault.Gone: {Status: http.StatusGone, Heading: texts.Say("errors.gone.heading-in-protocol"), Turn: templates.TurnYou,
		Next: texts.Say("errors.gone.next-in-protocol")},
	fault.PreconditionFailed: {Status: http.StatusPreconditionFailed,
		Heading: texts.Say("errors.precondition-failed.heading"), Turn: templates.TurnYou,
		Next: texts.Say("errors.precondition-failed.next")},
	fault.TooLarge: {Status: http.StatusRequestEntityTooLarge, Heading: texts.Say("errors.too-large.heading"),
		Turn: templates.TurnAppDeveloper,
		Next: texts.Say("errors.gone.next-in-protocol")},
	fault.UnsupportedMedia: {Status: http.StatusUnsupportedMediaType,
		Heading: texts.Say("errors.unsupported-media.heading"), Turn: templates.TurnAppDeveloper,
		Next: texts.Say("errors.gone.next-in-protocol")},
	fault.Locked: {Status: http.StatusLocked, Heading: texts.Say("errors.locked.heading"), Turn: templates.TurnYou,
		Next: texts.Say("errors.locked.next")},
	fault.TooMany: {Status: http.StatusTooManyRequests, Heading: texts.Say("errors.too-many.heading-in-protocol"),
		Turn: templates.TurnYou,
		Next: texts.Say("errors.locked.next")},
	fault.Unavailable: {Status: http.StatusServiceUnavailable, Heading: texts.Say("errors.unavailable.heading"),
		Turn: templates.TurnAdministrator,
		Next: texts.Say("errors.unavailable.next")},
}

// writePageError shows a failure to the person. Nothing of what the request
// sent is shown: it is unproven.
func (p *Provider) writePageError(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.From(err)
	p.web.Fail(w, r, f, errorTexts[f.Kind], p.anew(r.Context(), f))
}
