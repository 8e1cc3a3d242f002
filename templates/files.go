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

// FolderRow is a folder or a file in a folder.
type FolderRow struct {
	URL        string
	Name       string
	Folder     bool
	Choice     string // what the row is among what is chosen
	Version    int
	Size       texts.Text
	Changed    time.Time
	By         string // may be empty
	ReservedBy string // empty: nobody has reserved it
}

// FolderPage shows what is in a folder, each row with a checkbox of.Choice where
// something can be done with what is chosen. Ids: contents, none, pick-Choice, chosen.
type FolderPage struct {
	Desk
	Trail  []Link
	Name   string
	Hidden bool
	Offers []Button // what the person may do
	Rows   []FolderRow
	Bar    []Button // what can be done with what is chosen
	Pager
}

// Folder writes the page of a folder.
func (p *Pages) Folder(w io.Writer, page FolderPage) error { return p.render(w, "folder", page) }

// FileVersionRow is a version of a file.
type FileVersionRow struct {
	URL    string
	Number int
	Name   string
	Size   texts.Text
	At     time.Time
	By     string // may be empty
	Offers []Button
}

// FilePage shows a file and its versions. Ids: versions.
type FilePage struct {
	Desk
	Trail      []Link
	Name       string
	Hidden     bool
	ReservedBy string // empty: nobody has reserved it
	Offers     []Button
	Versions   []FileVersionRow
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
