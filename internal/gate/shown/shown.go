// Package shown is the pages that a form shows once: secrets, keys and links that
// it made, which nobody can look up afterwards, and what came of trying an app
// out.
//
// What is kept of them, for how long and for whom is package websession's. An area
// answers a form with Reveal or Result; Page serves the address that the answer
// leads to.
package shown

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/templates"
)

// page is what is shown: one of the two.
type page struct {
	Reveal *templates.RevealPage
	Result *templates.TryPage
}

// Reveal answers a form with a page that is shown once and leads on to its Next.
func Reveal(w http.ResponseWriter, r *http.Request, v websession.Visit, reveal templates.RevealPage) error {
	return v.Show(w, r, page{Reveal: &reveal}, reveal.Next.URL)
}

// Result answers a form with what came of a try-out. There is no secret in it, so
// it may be looked at again while it is kept.
func Result(w http.ResponseWriter, r *http.Request, v websession.Visit, result templates.TryPage, then string) error {
	return v.Show(w, r, page{Result: &result}, then)
}

// Page serves the addresses of the pages.
func Page(gate *websession.Gate, pages *templates.Pages, web *webpage.Writer) http.Handler {
	return gate.Shown(func(w http.ResponseWriter, r *http.Request, v websession.Visit, s websession.Shown) error {
		var kept page
		if s.Page != nil {
			if err := json.Unmarshal(s.Page, &kept); err != nil {
				return err
			}
		}
		switch {
		case kept.Result != nil:
			kept.Result.Desk = desk(r, v, kept.Result.Desk)
			return web.Send(w, http.StatusOK, func(out io.Writer) error { return pages.Try(out, *kept.Result) })
		case kept.Reveal == nil || s.Again:
			return over(w, r, v, pages, web, s)
		}
		kept.Reveal.Desk = desk(r, v, kept.Reveal.Desk)
		return web.Send(w, http.StatusOK, func(out io.Writer) error { return pages.Reveal(out, *kept.Reveal) })
	})
}

// desk is around a page that was made by the request before.
func desk(r *http.Request, v websession.Visit, made templates.Desk) templates.Desk {
	made.Frame = templates.Frame{RequestID: httpio.From(r.Context()).RequestID}
	made.Account, made.Admin = v.User.Email, v.User.Admin
	return made
}

// over says what to do when a page is not shown any more.
func over(w http.ResponseWriter, r *http.Request, v websession.Visit, pages *templates.Pages, web *webpage.Writer, s websession.Shown) error {
	section := templates.SectionApps
	if strings.HasPrefix(s.Then, "/admin/") {
		section = templates.SectionUsers
	}
	page := templates.RevealPage{
		Desk: desk(r, v, templates.Desk{Section: section}), Heading: "This was shown already",
		Lead: "What was made is shown once, for five minutes at most, and is not kept in a form that could be shown again. If nobody copied it, go on, make a new one, and end the one that nobody knows.",
		Next: templates.Link{URL: s.Then, Text: "Go on"},
	}
	return web.Send(w, http.StatusGone, func(out io.Writer) error { return pages.Reveal(out, page) })
}
