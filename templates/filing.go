package templates

import (
	"io"
	"time"

	"github.com/portico-id/portico/templates/texts"
)

// WalkRow is a folder to open on a walk.
type WalkRow struct {
	URL  string
	In   string // what a form that keeps more says instead; empty: the top
	Name string
}

// PickPage is a walk to the folder that something is to come into. Ids: places, none,
// and those of the form.
type PickPage struct {
	Desk
	Back    Link
	Heading texts.Text
	Action  string // of the page
	Of      string // what the walk keeps, too large for every link; may be empty
	Trail   []WalkRow
	Chosen  bool // a folder is open: the form takes it
	Places  []WalkRow
	Form    Form
	Pager
}

// Pick writes the walk to a folder.
func (p *Pages) Pick(w io.Writer, page PickPage) error { return p.render(w, "pick", page) }

// HiddenRow is a folder or file that is hidden.
type HiddenRow struct {
	URL           string
	RestoreAction string
	ID            string
	Name          string
	Folder        bool
	At            time.Time
	By            string // may be empty
}

// HiddenPage shows what is hidden in a folder. Ids: hidden, none, restore-ID.
type HiddenPage struct {
	Desk
	Back Link
	Name string
	Rows []HiddenRow
	Pager
}

// Hidden writes the page with what is hidden in a folder.
func (p *Pages) Hidden(w io.Writer, page HiddenPage) error { return p.render(w, "hidden", page) }

// CameRow is what became of a file that somebody sent.
type CameRow struct {
	Name  string // empty: none was
	What  texts.Text
	Wrong bool
}

// UploadPage takes files into a folder, or a version of a file. With script they come
// in parts, and go on where they stopped. Ids: came, sending, and those of the form.
type UploadPage struct {
	Desk
	Back    Link
	Heading texts.Text
	Begin   string // where a script begins an upload
	Then    string // where it leads when all have come
	Came    []CameRow
	Problem bool // not all of them were kept
	Form    Form
}

// Upload writes the page that takes files.
func (p *Pages) Upload(w io.Writer, page UploadPage) error { return p.render(w, "upload", page) }

// Say says a text in the language that somebody understands best.
func (p *Pages) Say(wanted string, text texts.Text) string {
	return p.words.Among(func(l *texts.Language) bool { return l.Tag != "ar" }).Choose(wanted).Say(text)
}

// Listed is a person, a group, an app, a project or a file in a Listing.
type Listed struct {
	Name string
	URL  string // may be empty
	ID   string // where names are not enough to tell them apart
	What texts.Text
	Acts []Button
}

// ListingPage is a list with what can be done to what is in it, and at most one form
// that adds to it. Ids: listed, none, ways, and those of the form.
type ListingPage struct {
	Desk
	Trail   []Link
	Heading texts.Text
	Lead    texts.Text // may be empty
	None    texts.Text // that there are no rows; may be empty
	Ways    []Button   // on to other pages
	Rows    []Listed
	Finds   bool // show the search, whose Sorts are none
	Search
	Pager
	More texts.Text // what the form is for
	Form Form       // without an ID: none
}

// Listing writes a list with its form.
func (p *Pages) Listing(w io.Writer, page ListingPage) error { return p.render(w, "listing", page) }
