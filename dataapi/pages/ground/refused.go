package ground

import (
	"context"
	"io"
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/pdf"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// sentences are what people are told of refusals, by their reason: what they can do,
// where the API says what a program can.
var sentences = map[string]texts.Text{
	access.ReasonNoRight:          texts.Say("filing.no-right"),
	storage.ReasonNameTaken:       texts.Say("filing.name-taken"),
	storage.ReasonProjectArchived: texts.Say("filing.archived"),
	storage.ReasonProjectBusy:     texts.Say("filing.busy"),
	storage.ReasonBusy:            texts.Say("filing.busy"),
	storage.ReasonParentHidden:    texts.Say("filing.parent-hidden"),
	storage.ReasonParentAbsent:    texts.Say("filing.parent-absent"),
	storage.ReasonTooDeep:         texts.Say("filing.too-deep"),
	storage.ReasonCycle:           texts.Say("filing.cycle"),
	storage.ReasonRootFolder:      texts.Say("filing.root"),
	storage.ReasonFilesFolder:     texts.Say("filing.files-folder"),
	storage.ReasonItemHidden:      texts.Say("filing.item-hidden"),
	storage.ReasonNotReserved:     texts.Say("filing.not-reserved"),
	storage.ReasonChanged:         texts.Say("filing.changed"),
	storage.ReasonQuota:           texts.Say("filing.quota"),
	storage.ReasonObjectSize:      texts.Say("filing.too-large"),
	storage.ReasonInfected:        texts.Say("filing.infected"),
	storage.ReasonRevisionTaken:   texts.Say("filing.revision-taken"),
	"rename_by_version":           texts.Say("filing.by-version"),
	"no_target":                   texts.Say("filing.no-target"),
	reasonLeft:                    texts.Say("filing.chosen.left"),
	"folder_sent":                 texts.Say("sending.folder"),
	"folder_copied":               texts.Say("filing.chosen.folder-copy"),
	"chosen_not_found":            texts.Say("filing.chosen.gone"),
	"archive_empty":               texts.Say("showing.empty"),
	"archive_too_large":           texts.Say("showing.large"),
	"archive_preparing":           texts.Say("showing.preparing"),
	storage.ReasonScanPending:     texts.Say("showing.pending"),
	storage.ReasonOlderVersion:    texts.Say("twins.wrong.older"),
	pdf.ReasonNotPDF:              texts.Say("twins.wrong.pdf"),
	pdf.ReasonEncrypted:           texts.Say("twins.wrong.pdf"),
	pdf.ReasonTruncated:           texts.Say("twins.wrong.pdf"),
	pdf.ReasonDamaged:             texts.Say("twins.wrong.pdf"),
	pdf.ReasonTooComplex:          texts.Say("twins.wrong.pdf"),
	"no_bytes":                    texts.Say("showing.no-bytes"),
}

// fields are what they are told of what does not fit into one, by its name.
var fields = map[string]texts.Text{
	"suitability": texts.Say("filing.suitability-wrong"), "revision": texts.Say("filing.revision-wrong"),
}

// sentence is what people are told of a refusal.
func (g *Ground) sentence(ctx context.Context, f *fault.Error) texts.Text {
	if f.Reason == storage.ReasonReserved {
		names, err := g.Names(ctx, f.Facts[storage.FactHolder])
		if name := names[f.Facts[storage.FactHolder]]; err == nil && name != "" {
			return texts.Say("filing.reserved", "Name", name)
		}
	}
	if said, known := sentences[f.Reason]; known {
		return said
	}
	if said, known := fields[f.Source]; known && f.Kind == fault.Invalid {
		return said
	}
	if f.Source == "name" && f.Reason == jsonapi.ReasonInvalid {
		return texts.Say("filing.name-wrong")
	}
	if f.Kind == fault.Unavailable {
		return texts.Say("filing.slow")
	}
	return webpage.Detail(f)
}

// Told is what people are told of a failure in what they have sent.
func (g *Ground) Told(ctx context.Context, err error) texts.Text {
	f := fault.From(err)
	if !keeps(f) {
		return texts.Say("filing.failed")
	}
	return g.sentence(ctx, f)
}

// keeps reports whether a refusal leaves what was typed worth sending again: it is
// shown in the form then.
func keeps(f *fault.Error) bool {
	switch f.Kind {
	case fault.Invalid, fault.Conflict, fault.Forbidden, fault.Locked, fault.TooLarge, fault.TooMany, fault.Unavailable,
		fault.PreconditionFailed:
		return true
	case fault.NotFound:
		return f.Source != "" // of something that was named in the form
	}
	return false
}

// Mark puts the faults into a form, in words for people. It returns false, and
// changes nothing, when one is not about what was sent.
func (g *Ground) Mark(ctx context.Context, form *templates.Form, err error) bool {
	faults := fault.All(err)
	for _, f := range faults {
		if !keeps(f) {
			return false
		}
	}
	for _, f := range faults {
		said, field := g.sentence(ctx, f), ""
		for i := range form.Inputs {
			if form.Inputs[i].Name == f.Source {
				field = f.Source
				form.Inputs[i].Problems = append(form.Inputs[i].Problems, said)
			}
		}
		form.Problems = append(form.Problems, templates.Problem{Text: said, Field: field})
	}
	form.Sort()
	return len(faults) > 0
}

// Again shows a form that could not be carried out, with all that was typed and
// what is wrong; another failure is returned.
func (g *Ground) Again(w http.ResponseWriter, r *http.Request, page templates.FormPage, err error) error {
	if !g.Mark(r.Context(), &page.Form, err) {
		return err
	}
	return g.form(w, r, webpage.Marked(w.Header(), err), page)
}

// Form shows a form.
func (g *Ground) Form(w http.ResponseWriter, r *http.Request, page templates.FormPage) error {
	return g.form(w, r, http.StatusOK, page)
}

func (g *Ground) form(w http.ResponseWriter, r *http.Request, status int, page templates.FormPage) error {
	page.Desk = g.Desk(r)
	return g.Send(w, status, func(out io.Writer) error { return g.Pages.Form(out, page) })
}

// Ask asks once before an act.
func (g *Ground) Ask(w http.ResponseWriter, r *http.Request, page templates.ConfirmPage) error {
	page.Desk = g.Desk(r)
	return g.Send(w, http.StatusOK, func(out io.Writer) error { return g.Pages.Confirm(out, page) })
}

// See sends the browser on to a page that says what was done, by its key in done.
func See(w http.ResponseWriter, r *http.Request, to, key string) error {
	return webpage.See(w, r, to+"?done="+key)
}
