package templates

import (
	"io"
	"strconv"
	"time"

	"github.com/portico-id/portico/templates/texts"
)

// PlaceRow is a hub, a project or a folder in a list.
type PlaceRow struct {
	URL  string
	Name string
	Mark texts.Text // may be empty
}

// PlacesPage lists where somebody's files are. Ids: places, none.
type PlacesPage struct {
	Desk
	Trail   []Link // the ways up
	Heading texts.Text
	Lead    texts.Text // may be empty
	None    texts.Text // what to say when there are no places
	Offers  []Button   // what the person may do
	Places  []PlaceRow
	Pager
}

// Places writes a list of hubs, projects or folders.
func (p *Pages) Places(w io.Writer, page PlacesPage) error { return p.render(w, "places", page) }

// Stage is how far a version has come; every part may be empty.
type Stage struct {
	State                 texts.Text
	Suitability, Revision string
}

// FolderRow is a folder or a file in a folder.
type FolderRow struct {
	URL        string
	Name       string
	Folder     bool
	Choice     string // what the row is among what is chosen
	Picture    string // address of a small picture; empty: it is none
	Version    int
	Size       texts.Text
	Stage      Stage
	Changed    time.Time
	By         string // may be empty
	ReservedBy string // empty: nobody has reserved it
}

// Sorted is the order of a column: As is how it is sorted now, as aria-sort says it, or
// empty, URL the way to sort by it, or otherwise.
type Sorted struct{ URL, As string }

// FolderFilter is what is shown of a folder, and in which order.
type FolderFilter struct {
	Action        string
	On            bool   // not everything is shown, or in another order
	AllURL        string // shows everything
	Part          string // of the names
	BelowURL      string // looks for Part in the folders below, too; empty: nothing is looked for
	States, Suits []Option
	Revision      string
	Orders        []Option
}

// FolderPage shows what is in a folder, each row with a checkbox of.Choice where
// something can be done with what is chosen. Ids: contents, none, pick-Choice, chosen,
// filter.
type FolderPage struct {
	Desk
	Trail        []Link
	Name         string
	Hidden       bool
	Offers       []Button // what the person may do
	Filter       FolderFilter
	Named, Dated Sorted // columns
	Staged       bool   // some row has come far enough to tell
	Rows         []FolderRow
	None         texts.Text // what to say without rows
	Bar          []Button   // what can be done with what is chosen
	Pager
}

// Folder writes the page of a folder.
func (p *Pages) Folder(w io.Writer, page FolderPage) error { return p.render(w, "folder", page) }

// FileVersionRow is a version of a file.
type FileVersionRow struct {
	URL      string
	Number   int
	Name     string
	Size     texts.Text
	Stage    Stage
	At       time.Time
	By       string // may be empty
	Sum      string // SHA-256; empty without bytes
	SumStart string
	Offers   []Button
}

// FilePage shows a file as it is now, its versions and what refers to it. Ids: view,
// versions, refs.
type FilePage struct {
	Desk
	Trail      []Link
	Name       string
	URL        string // of the newest version
	Hidden     bool
	ReservedBy string // empty: nobody has reserved it
	Offers     []Button
	View       View
	Versions   []FileVersionRow
	Refs       []Link
	Pager
}

// File writes the page of a file.
func (p *Pages) File(w io.Writer, page FilePage) error { return p.render(w, "file", page) }

// Size says how many bytes something has.
func Size(bytes int64) texts.Text {
	in := func(unit float64) string { return strconv.FormatFloat(float64(bytes)/unit, 'f', 0, 64) }
	switch {
	case bytes < 1e3:
		return texts.Say("files.size.bytes", "Count", int(bytes))
	case bytes < 1e6:
		return texts.Say("files.size.kilo", "Size", in(1e3))
	case bytes < 1e9:
		return texts.Say("files.size.mega", "Size", in(1e6))
	case bytes < 1e12:
		return texts.Say("files.size.giga", "Size", in(1e9))
	}
	return texts.Say("files.size.tera", "Size", in(1e12))
}
