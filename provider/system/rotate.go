package system

import (
	"cmp"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// showRotate serves the question before the next key signs, and its answer.
func (d *Desk) showRotate(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	return d.rotatePage(w, r, v, http.StatusOK, nil)
}

func (d *Desk) rotate(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	err = d.with.Parts.Rotate(r.Context(), v.Act, r.URL.Query().Get(fieldAlgorithm), values.Get(fieldAtOnce) == "on")
	if fault.Is(err, fault.Conflict) {
		return d.rotatePage(w, r, v, http.StatusUnprocessableEntity, fault.From(err).At(fieldAtOnce))
	}
	if err != nil {
		return err
	}
	return webpage.See(w, r, keysPath+"?done=rotated")
}

// rotatePage asks, and says since when the next key is published.
func (d *Desk) rotatePage(w http.ResponseWriter, r *http.Request, v websession.Visit, status int, refused error) error {
	keys, err := d.with.Parts.Keys(r.Context())
	if err != nil {
		return err
	}
	algorithm := cmp.Or(r.URL.Query().Get(fieldAlgorithm), clientprofile.RS256)
	i := slices.IndexFunc(keys, func(k Key) bool { return k.Algorithm == algorithm })
	if i < 0 {
		return fault.New(fault.NotFound, "", "No key signs with this algorithm.")
	}
	next := keys[i]
	view := templates.FormPage{
		Desk: desk(r, templates.SectionKeys), Back: templates.Link{URL: keysPath, Text: texts.Say("desk.tab.keys")},
		Heading: texts.Say("system.rotate.heading"),
		Lead:    texts.Say("system.rotate.lead", "Algorithm", next.Algorithm),
		Form: templates.Form{ID: "rotate-form", Action: rotateURL(next.Algorithm),
			Submit: texts.Say("system.rotate.submit"), Grave: true},
	}
	if next.State != "next" || v.Act.At.Before(next.KnownFrom) {
		view.Form.Inputs = []templates.Input{atOnceInput(next, v.Act.At)}
	} else {
		view.Lead = texts.Say("system.rotate.lead-known", "Algorithm", next.Algorithm, "At", next.CreatedAt)
	}
	webpage.Mark(&view.Form, refused)
	return d.with.Web.Send(w, status, func(out io.Writer) error { return d.with.Pages.Form(out, view) })
}

// atOnceInput warns of a key that services may not have yet.
func atOnceInput(next Key, now time.Time) templates.Input {
	published, known := next.CreatedAt, next.KnownFrom
	if next.State != "next" {
		published, known = now, now.Add(next.KnownFrom.Sub(next.CreatedAt))
	}
	return templates.Input{Kind: templates.InputFlag, Name: fieldAtOnce, Label: texts.Say("system.rotate.at-once"),
		Hint: texts.Say("system.rotate.at-once-hint", "Published", published, "Known", known)}
}
