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

// inProtocol are the words for failures that are told otherwise where an app sent the person.
var inProtocol = map[fault.Kind]webpage.Words{
	fault.Invalid: {Heading: texts.Say("errors.invalid.heading-in-protocol"), Turn: templates.TurnAppDeveloper,
		Next: texts.Say("errors.invalid.next-in-protocol")},
	fault.Forbidden: {Heading: texts.Say("errors.forbidden.heading-in-protocol"), Turn: templates.TurnYou,
		Next: texts.Say("errors.forbidden.next-in-protocol")},
	fault.MethodNotAllowed: {Heading: texts.Say("errors.method-not-allowed.heading"), Turn: templates.TurnAppDeveloper,
		Next: texts.Say("errors.method-not-allowed.next")},
	fault.NotAcceptable: {Heading: texts.Say("errors.not-acceptable.heading"), Turn: templates.TurnAppDeveloper,
		Next: texts.Say("errors.method-not-allowed.next")},
	fault.Conflict: {Heading: texts.Say("errors.conflict.heading-in-protocol"), Turn: templates.TurnYou,
		Next: texts.Say("errors.conflict.next-in-protocol")},
	fault.Gone: {Heading: texts.Say("errors.gone.heading-in-protocol"), Turn: templates.TurnYou,
		Next: texts.Say("errors.gone.next-in-protocol")},
	fault.TooLarge: {Heading: texts.Say("errors.too-large.heading"), Turn: templates.TurnAppDeveloper,
		Next: texts.Say("errors.gone.next-in-protocol")},
	fault.UnsupportedMedia: {Heading: texts.Say("errors.unsupported-media.heading"), Turn: templates.TurnAppDeveloper,
		Next: texts.Say("errors.gone.next-in-protocol")},
	fault.TooMany: {Heading: texts.Say("errors.too-many.heading-in-protocol"), Turn: templates.TurnYou,
		Next: texts.Say("errors.locked.next")},
}

// writePageError shows a failure to the person. Nothing of what the request
// sent is shown: it is unproven.
func (p *Provider) writePageError(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.From(err)
	p.web.Fail(w, r, f, inProtocol[f.Kind], p.anew(r.Context(), f))
}
