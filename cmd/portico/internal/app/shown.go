package app

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// shown is where forms show once what they made.
func (a *App) shown() httpio.Endpoint {
	pages, web := a.parts.pages, a.parts.desks.web
	return a.parts.desks.sessions.Gate(web.Error).Shown(func(w http.ResponseWriter, r *http.Request, _ websession.Visit,
		s websession.Shown) error {
		var kept templates.Shown
		if s.Page != nil {
			if err := json.Unmarshal(s.Page, &kept); err != nil {
				return err
			}
		}
		switch {
		case kept.Result != nil:
			kept.Result.Desk = webpage.Desk(r, kept.Result.Desk.Section, nil)
			return web.Send(w, http.StatusOK, func(out io.Writer) error { return pages.Try(out, *kept.Result) })
		case kept.Reveal == nil || s.Again:
			return shownBefore(w, r, pages, web, s)
		}
		kept.Reveal.Desk = webpage.Desk(r, kept.Reveal.Desk.Section, nil)
		return web.Send(w, http.StatusOK, func(out io.Writer) error { return pages.Reveal(out, *kept.Reveal) })
	})
}

// shownBefore says what to do when a page is not shown any more.
func shownBefore(w http.ResponseWriter, r *http.Request, pages *templates.Pages, web *webpage.Writer,
	s websession.Shown) error {
	section := templates.SectionApps
	if strings.HasPrefix(s.Then, "/admin/") {
		section = templates.SectionUsers
	}
	page := templates.RevealPage{
		Desk: webpage.Desk(r, section, nil), Heading: texts.Say("parts.shown-already"),
		Lead: texts.Say("parts.shown-already-lead"),
		Next: templates.Link{URL: s.Then, Text: texts.Say("parts.go-on")},
	}
	return web.Send(w, http.StatusGone, func(out io.Writer) error { return pages.Reveal(out, page) })
}
