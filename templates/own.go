package templates

import (
	"io"
	"time"

	"github.com/portico-id/portico/templates/texts"
)

// OwnEventRow is something that happened to a person's account.
type OwnEventRow struct {
	At      time.Time
	What    texts.Text
	By      texts.Text // empty: by the person, or nobody knows
	Address string     // may be empty
}

// OwnEventsPage shows people what happened to their account. Ids: events, next.
type OwnEventsPage struct {
	Desk
	Back   Link
	Events []OwnEventRow
	Pager
}

// OwnEvents writes the page with what happened to a person's account.
func (p *Pages) OwnEvents(w io.Writer, page OwnEventsPage) error {
	return p.render(w, "own-events", page)
}

// OwnDataPage says what an archive of somebody's data holds. Id: archive.
type OwnDataPage struct {
	Desk
	Back       Link
	ArchiveURL string
}

// OwnData writes the page from which people take what there is of them.
func (p *Pages) OwnData(w io.Writer, page OwnDataPage) error { return p.render(w, "own-data", page) }

// LeavePage says what goes with an account, and asks. Ids: leave, leave-submit,
// leave-cancel, first.
type LeavePage struct {
	Desk
	Back      Link
	DataURL   string
	Heirs     []texts.Text // who owns which app from then on
	Apps      []Link       // that must be handed over or deleted first
	Directory string       // where the account is ended; empty: here
	LastAdmin bool         // somebody else must be an administrator first
	Action    string       // empty: something must be done first
	CancelURL string
}

// Leave writes the page on which people delete their account.
func (p *Pages) Leave(w io.Writer, page LeavePage) error { return p.render(w, "leave", page) }

// PicturePage shows a picture and the form that replaces it. Ids: picture, those
// of the form and of the button.
type PicturePage struct {
	Desk
	Back    Link
	Heading texts.Text
	Lead    texts.Text
	URL     string // of the picture; empty: there is none
	Alt     texts.Text
	Form    Form
	Remove  Button // shown with a picture
}

// Picture writes the page of a picture.
func (p *Pages) Picture(w io.Writer, page PicturePage) error { return p.render(w, "picture", page) }
