package provider

import (
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/templates"
)

// page sends an HTML page. Pages are about one person at one moment and may
// carry codes: nobody stores them.
func (p *Provider) page(w http.ResponseWriter, _ *http.Request, status int, policy string, render func() error) error {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "same-origin")
	w.WriteHeader(status)
	if err := render(); err != nil {
		p.log.Warn("sending a page", "error", err)
	}
	return nil
}

// errorText is what the error page says for a kind of fault.
type errorText struct {
	status  int
	heading string
	turn    templates.Turn
	next    string
}

var errorTexts = map[fault.Kind]errorText{
	fault.Internal: {http.StatusInternalServerError, "Something went wrong here", templates.TurnAdministrator,
		"Try again in a moment. If it stays like this, tell the administrator the request id below."},
	fault.Invalid: {http.StatusBadRequest, "This request can't be answered", templates.TurnAppDeveloper,
		"Go back to the app and start again. If it happens again, tell the people who make the app."},
	fault.Unauthenticated: {http.StatusForbidden, "Please sign in first", templates.TurnYou,
		"Sign in, then open the page again."},
	fault.Forbidden: {http.StatusForbidden, "This is not allowed", templates.TurnYou,
		"Open the page on this server and try again from there."},
	fault.NotFound: {http.StatusNotFound, "There is nothing here", templates.TurnYou,
		"Check the address, or go back to where you came from."},
	fault.MethodNotAllowed: {http.StatusMethodNotAllowed, "This address can't be used like that", templates.TurnAppDeveloper,
		"Go back to where you came from."},
	fault.NotAcceptable: {http.StatusNotAcceptable, "This format is not offered", templates.TurnAppDeveloper,
		"Go back to where you came from."},
	fault.Conflict: {http.StatusConflict, "This clashes with something that is there already", templates.TurnYou,
		"Go back, change it, and try again."},
	fault.Gone: {http.StatusGone, "This sign-in has run out", templates.TurnYou,
		"Go back to the app and start again."},
	fault.PreconditionFailed: {http.StatusPreconditionFailed, "Somebody else changed this meanwhile", templates.TurnYou,
		"Reload the page and try again."},
	fault.TooLarge: {http.StatusRequestEntityTooLarge, "This is too large", templates.TurnAppDeveloper,
		"Go back to the app and start again."},
	fault.UnsupportedMedia: {http.StatusUnsupportedMediaType, "This was not sent as a form", templates.TurnAppDeveloper,
		"Go back to the app and start again."},
	fault.Locked: {http.StatusLocked, "Somebody else is using this", templates.TurnYou,
		"Wait a moment and try again."},
	fault.TooMany: {http.StatusTooManyRequests, "Too many tries", templates.TurnYou,
		"Wait a moment and try again."},
	fault.Unavailable: {http.StatusServiceUnavailable, "This server is not ready", templates.TurnAdministrator,
		"Try again in a moment."},
}

// writePageError shows a failure to the person. Nothing of what the request
// sent is shown: it is unproven.
func (p *Provider) writePageError(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.From(err)
	text := errorTexts[f.Kind]
	what, code := f.Detail, f.Reason
	if f.Kind == fault.Internal {
		what, code = "The server could not finish what you asked for.", "server_error"
	}
	httpio.SetRetryAfter(w.Header(), f.RetryAfter)
	_ = p.page(w, r, text.status, templates.PolicyOwn, func() error {
		return p.pages.Error(w, templates.ErrorPage{
			Frame:   webpage.Frame(r),
			Heading: text.heading, What: what, Turn: text.turn, NextStep: text.next, Code: code,
		})
	})
}
