package showing

import (
	"context"
	"encoding/hex"
	"io"
	"net/http"

	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// version shows a version: what is known of it, and its bytes as far as a browser
// shows such.
func (d *Desk) version(w http.ResponseWriter, r *http.Request) error {
	s, err := d.reach(r)
	if err != nil {
		return err
	}
	names, err := d.Names(r.Context(), s.version.CreatedBy)
	if err != nil {
		return err
	}
	view, err := d.view(r.Context(), s)
	if err != nil {
		return err
	}
	page := templates.VersionPage{Desk: d.Desk(r), Name: s.version.Name, Number: s.version.Number,
		Newest: s.version.Number == s.Tip.Number, Offers: d.offers(s, view), View: view, Facts: d.facts(s),
		At: s.version.CreatedAt, By: names[s.version.CreatedBy]}
	if page.Trail, err = d.Trail(r.Context(), s.Spot); err != nil {
		return err
	}
	page.Trail = append(page.Trail, ground.Step(d.ItemURL(s.Project.ID, s.Item.ID), s.Item.Name))
	return d.Web.SendUnder(templates.PolicyFraming, w, http.StatusOK,
		func(out io.Writer) error { return d.Pages.Version(out, page) })
}

// offers are what the person may do with the version.
func (d *Desk) offers(s seen, view templates.View) []templates.Button {
	var buttons []templates.Button
	if view.Readable {
		buttons = append(buttons, templates.Button{ID: "download", URL: s.url + "/bytes",
			Text: texts.Say("showing.download")})
	}
	if s.version.Number != s.Tip.Number {
		buttons = append(buttons, templates.Button{ID: "compare", Text: texts.Say("showing.compare-newest"),
			URL: compareURL(d.ItemURL(s.Project.ID, s.Item.ID), s.version.Number, s.Tip.Number)})
	}
	return append(buttons, d.VersionOffers(s.ItemSpot, s.version)...)
}

// facts are what is known of a version beside who added it and when.
func (d *Desk) facts(s seen) []templates.Fact {
	facts := []templates.Fact{{Label: texts.Say("files.size.title"), Text: templates.Size(s.version.Size)}}
	add := func(label texts.Text, value string, code bool) {
		if value != "" {
			facts = append(facts, templates.Fact{Label: label, Text: texts.Own(value), Code: code})
		}
	}
	add(texts.Say("showing.type"), s.version.MimeType, true)
	is := storage.StateOf(s.version.Extension)
	if word, known := ground.StateWord(is.State); known {
		facts = append(facts, templates.Fact{Label: texts.Say("filing.state.title"), Text: word})
	}
	add(texts.Say("filing.suitability"), is.Suitability, false)
	add(texts.Say("filing.revision"), is.Revision, false)
	add(texts.Say("showing.sum"), hex.EncodeToString(s.object.SHA256), true)
	return facts
}

// view is what a page shows of the bytes: nothing, with the reason, of those that the
// person may not read.
func (d *Desk) view(ctx context.Context, s seen) (templates.View, error) {
	if s.object.Key == "" {
		return templates.View{Why: texts.Say("showing.no-bytes")}, nil
	}
	err := d.bytes.MayLook(ctx, s.who(), s.object)
	if why, refused := refusal(err); refused {
		return templates.View{Why: why}, nil
	}
	if err != nil {
		return templates.View{}, err
	}
	view := templates.View{Readable: true, Name: s.version.Name}
	switch kindOf(s.object) {
	case kindPDF:
		view.Frame = s.url + "/shown"
	case kindPicture:
		view.Picture, view.Whole = s.url+"/picture", s.url+"/shown"
	case kindText:
		view.Text, view.Cut, err = d.text(ctx, s)
	default:
		view.Why = texts.Say("showing.no-view")
	}
	return view, err
}
