package templates

import (
	"io"
	"time"

	"github.com/portico-id/portico/templates/texts"
)

// View is what a page shows of a file's bytes: one of Frame, Picture, Text and Why.
type View struct {
	Readable bool // the person may have the bytes
	Name     string
	Frame    string // address of a PDF
	Picture  string // address of a small picture
	Whole    string // and of the whole
	Text     string
	Cut      bool       // there is more of the text
	Why      texts.Text // why nothing is shown
}

// VersionPage shows a version of a file. Ids: facts, view, and those of the offers.
type VersionPage struct {
	Desk
	Trail  []Link
	Name   string
	Number int
	Newest bool
	Offers []Button
	View   View
	At     time.Time
	By     string // may be empty
	Facts  []Fact
}

// Version writes the page of a version.
func (p *Pages) Version(w io.Writer, page VersionPage) error { return p.render(w, "version", page) }

// Side is one of two versions that are compared.
type Side struct {
	URL     string
	Number  int
	Name    string
	At      time.Time
	By      string // may be empty
	Facts   []Fact
	Picture string // may be empty
}

// Line is a line of two texts that are compared.
type Line struct {
	Text  string
	Added bool
	Gone  bool
	Gap   bool // lines that are alike are left out here
}

// ComparePage shows two versions side by side. Ids: older, newer, why, lines.
type ComparePage struct {
	Desk
	Trail        []Link
	Name         string
	Action       string // of the form that chooses two others
	Older, Newer int
	Newest       int
	Sides        [2]Side
	Why          texts.Text // why nothing is shown of what they hold
	Lines        []Line
	Cut          bool // there are more
}

// Compare writes the page of two versions.
func (p *Pages) Compare(w io.Writer, page ComparePage) error { return p.render(w, "compare", page) }

// FoundRow is a file that was found.
type FoundRow struct {
	URL  string
	Name string
	In   Link // the folder
	Size texts.Text
	At   time.Time
	By   string // may be empty
}

// FoundPage is what was found in a folder. Ids: search, found, none.
type FoundPage struct {
	Desk
	Trail  []Link
	Name   string
	Action string // of the form
	Query  string // empty: nothing was looked for
	Rows   []FoundRow
	Pager
}

// Found writes what was found in a folder.
func (p *Pages) Found(w io.Writer, page FoundPage) error { return p.render(w, "found", page) }

// ActivityRow is something that has happened.
type ActivityRow struct {
	About Link       // what it is about, as it is called now; may be empty
	What  texts.Text // what has happened
	By    texts.Text
	ByURL string // what else they did; empty for whoever is no person
	At    time.Time
	In    Link // the folder; may be empty
}

// ActivityPage is what has happened, the newest first. Ids: activity, none, all.
type ActivityPage struct {
	Desk
	Trail  []Link
	Name   string
	AllURL string     // what everybody did; empty: it is that
	By     texts.Text // whose changes they are
	Rows   []ActivityRow
	Pager
}

// Activity writes what has happened.
func (p *Pages) Activity(w io.Writer, page ActivityPage) error { return p.render(w, "activity", page) }
