package filing

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// errand is what is done with all that is chosen, in a folder that people find.
type errand struct {
	id      string
	heading texts.Text
	submit  texts.Text
	done    string // key of what is said then
	may     func(d *Desk, t thing) error
	do      func(d *Desk, ctx context.Context, change storage.Change, t thing, to access.Spot) error
}

func movesChosen() errand {
	return errand{"move-form", texts.Say("filing.chosen.move"), texts.Say("filing.move-here"), "moved",
		func(d *Desk, t thing) error { return d.may(t, wish{into: new(string)}) },
		func(d *Desk, ctx context.Context, change storage.Change, t thing, to access.Spot) error {
			return d.change(ctx, change, t, wish{into: &to.Folder.ID})
		}}
}

func copiesChosen() errand {
	return errand{"copy-form", texts.Say("filing.chosen.copy"), texts.Say("filing.copy-here"), "copies",
		func(_ *Desk, t thing) error { return mayBeCopied(t) },
		func(d *Desk, ctx context.Context, change storage.Change, t thing, to access.Spot) error {
			if err := mayBeCopied(t); err != nil {
				return err
			}
			_, err := d.copy(ctx, change, t, to, t.name)
			return err
		}}
}

// mayBeCopied refuses folders: what lies in them is copied file by file.
func mayBeCopied(t thing) error {
	if t.file == nil {
		return fault.New(fault.Invalid, "folder_copied", "Folders are not copied: copy the files in it.")
	}
	return access.MayCopy(t.spot.Standing)
}

// movingChosen serves the page on which people find the folder to move things to.
func (d *Desk) movingChosen(w http.ResponseWriter, r *http.Request) error {
	return d.walkWith(w, r, movesChosen())
}

// copyingChosen is movingChosen for copies of files.
func (d *Desk) copyingChosen(w http.ResponseWriter, r *http.Request) error {
	return d.walkWith(w, r, copiesChosen())
}

func (d *Desk) moveChosen(w http.ResponseWriter, r *http.Request, change storage.Change) error {
	return d.carryOut(w, r, change, movesChosen())
}

func (d *Desk) copyChosen(w http.ResponseWriter, r *http.Request, change storage.Change) error {
	return d.carryOut(w, r, change, copiesChosen())
}

func (c chosen) page(e errand, input templates.Input) templates.PickPage {
	return templates.PickPage{Back: c.back(), Heading: e.heading, Of: c.of(),
		Form: templates.Form{ID: e.id, Submit: e.submit, Inputs: []templates.Input{input}}}
}

// walkWith shows the way to a folder with what is chosen.
func (d *Desk) walkWith(w http.ResponseWriter, r *http.Request, e errand) error {
	c, err := d.asked(r)
	if err != nil {
		return err
	}
	if len(c.list) == 0 {
		return ground.See(w, r, c.url, ground.NoneChosen)
	}
	input, err := d.judged(r.Context(), c, func(t thing) error { return e.may(d, t) })
	if err != nil {
		return err
	}
	return d.pick(w, r, c.at.Place, c.page(e, input), nil)
}

// carryOut does it in the folder that was open.
func (d *Desk) carryOut(w http.ResponseWriter, r *http.Request, change storage.Change, e errand) error {
	c, err := d.sent(w, r)
	if err != nil {
		return err
	}
	if len(c.list) == 0 {
		return ground.See(w, r, c.url, ground.NoneChosen)
	}
	to, err := d.opened(r, c.at.Project.ID, change.Caller)
	if err != nil {
		return d.pick(w, r, c.at.Place, c.page(e, ground.ChosenInput(c.list, nil, true)), err)
	}
	left, why, err := d.each(r.Context(), c, func(t thing) error { return e.do(d, r.Context(), change, t, to) })
	if err != nil {
		return err
	}
	if len(why) > 0 {
		return d.pick(w, r, c.at.Place, left.page(e, ground.ChosenInput(left.list, why, true)), ground.Left())
	}
	return ground.See(w, r, d.FolderURL(c.at.Project.ID, to.Folder.ID), e.done)
}
