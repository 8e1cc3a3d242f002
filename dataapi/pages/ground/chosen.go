package ground

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// Of is what people choose in the table of a folder: each checkbox is called
// Of.f-UID for a folder, Of.i-UID for a file. One field Of has the same with commas.
const Of = "of"

const (
	folderMark = "f-"
	itemMark   = "i-"

	reasonLeft = "some_left"

	// maxChosen is how many things can be chosen: as many as a page has rows.
	maxChosen = 100
)

// FolderChoice is the value of a folder among what is chosen.
func FolderChoice(id string) string { return folderMark + id }

// ItemChoice is that of a file.
func ItemChoice(id string) string { return itemMark + id }

// Choice reads what is chosen in a form or an address.
func Choice(values url.Values) (storage.ArchiveChoice, error) {
	var choice storage.ArchiveChoice
	named := strings.Split(values.Get(Of), ",")
	for name := range values {
		if value, ok := strings.CutPrefix(name, Of+"."); ok {
			named = append(named, value)
		}
	}
	slices.Sort(named)
	for _, value := range slices.Compact(named) {
		if id, ok := strings.CutPrefix(value, folderMark); ok && urn.IsUID(id) {
			choice.FolderIDs = append(choice.FolderIDs, id)
		}
		if id, ok := strings.CutPrefix(value, itemMark); ok && urn.IsUID(id) {
			choice.ItemIDs = append(choice.ItemIDs, id)
		}
	}
	if len(choice.FolderIDs)+len(choice.ItemIDs) > maxChosen {
		return choice, fault.Newf(fault.Invalid, "too_many_chosen", "At most %d can be chosen.", maxChosen)
	}
	return choice, nil
}

// Chosen is a folder or file that somebody has chosen where it lies.
type Chosen struct {
	Spot  access.Spot // the folder, or that of the file
	File  *access.ItemSpot
	Name  string
	Value string // among what is chosen
}

// Chosen finds what is chosen in a folder, folders first, as far as it still lies there
// in sight of the caller.
func (g *Ground) Chosen(ctx context.Context, at access.Spot, values url.Values) ([]Chosen, error) {
	choice, err := Choice(values)
	var ends []storage.End
	for _, id := range choice.FolderIDs {
		ends = append(ends, storage.End{FolderID: id})
	}
	for _, id := range choice.ItemIDs {
		ends = append(ends, storage.End{ItemID: id})
	}
	if err != nil || len(ends) == 0 {
		return nil, err
	}
	place, found, err := g.Store.FindEnds(ctx, at.Standing.Caller, at.Project.ID, ends)
	if err != nil {
		return nil, err
	}
	var list []Chosen
	for _, f := range found {
		c, lies := chosen(place, f)
		if access.Shows(place, f) && lies == at.Folder.ID {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b Chosen) int {
		return cmp.Or(strings.Compare(a.Value[:1], b.Value[:1]), strings.Compare(a.Name, b.Name))
	})
	return list, nil
}

// chosen is something that was found, with the uid of the folder that it lies in.
func chosen(place storage.Place, f storage.Found) (c Chosen, lies string) {
	c.Spot = access.Spot{Place: access.At(place, f), Folder: f.Folder}
	if f.Item.Item.ID == "" {
		c.Name, c.Value = f.Folder.Name, FolderChoice(f.Folder.ID)
		return c, f.Folder.ParentID
	}
	c.File = &access.ItemSpot{Spot: c.Spot, ItemWithTip: f.Item}
	c.Name, c.Value = f.Item.Item.Name, ItemChoice(f.Item.Item.ID)
	return c, f.Folder.ID
}

// ChosenInput is what is chosen, in a form that does something with it. What the
// sentence of a value speaks against is not chosen unless it was sent.
func ChosenInput(list []Chosen, why map[string]texts.Text, sent bool) templates.Input {
	input := templates.Input{Kind: templates.InputChoices, Name: Of, Label: texts.Say("filing.chosen.title")}
	for _, c := range list {
		o := templates.Option{Value: c.Value, Label: texts.Own(c.Name), Chosen: true}
		if c.File == nil {
			o.Hint = texts.Say("files.folder")
		}
		if reason, stands := why[c.Value]; stands {
			o.Hint, o.Chosen = reason, sent
		}
		input.Options = append(input.Options, o)
	}
	return input
}

// Left tells that not everything was done that was chosen.
func Left() error {
	return fault.New(fault.Invalid, reasonLeft, "Not all of it could be done.").At(Of)
}

// Bar is what the person may do with things that they choose in a folder: Action is of
// a form, URL of a page that asks.
func (g *Ground) Bar(at access.Spot) []templates.Button {
	if !at.Folder.Visible {
		return nil
	}
	url := g.FolderURL(at.Project.ID, at.Folder.ID) + "/chosen"
	var bar []templates.Button
	if mayTake(at.Standing) == nil {
		bar = append(bar, templates.Button{ID: "zip-chosen", Action: url + "/zip", Text: texts.Say("showing.zip")})
	}
	offers := []offer{{access.MayMove, "/move", "move-chosen", texts.Say("filing.act.move")}}
	if at.Folder.Kind != storage.FolderRoot {
		offers = append(offers, offer{access.MayCopy, "/copy", "copy-chosen", texts.Say("filing.act.copy")})
	}
	return append(bar, offered(at, url, append(offers,
		offer{access.MaySend, "/send", "send-chosen", texts.Say("sending.act")},
		offer{access.MayHide, "/hide", "hide-chosen", texts.Say("filing.hide")},
		offer{mayGive, "/share", "share-chosen", texts.Say("filing.act.share")}))...)
}
