package templates

import (
	"io"
	"time"

	"github.com/portico-id/portico/templates/texts"
)

// MailRow is a mail in a list.
type MailRow struct {
	To     string
	What   texts.Text // what it is about
	State  texts.Text
	Failed bool
	At     time.Time
	Tries  int       // how often it was tried
	Why    string    // it was not sent; empty: it was, or nothing is known
	Next   time.Time // zero: it is not tried again
	Resend *Button   // nil: it can't be sent again
}

// MailsPage shows which mails were sent, and which not. Ids: no-server, search,
// find, mails, next, and those of the buttons.
type MailsPage struct {
	Desk
	Delivers bool   // mails reach people
	Where    string // where they go
	Search
	Test  Button
	Mails []MailRow
	Pager
}

// Mails writes the page about mails.
func (p *Pages) Mails(w io.Writer, page MailsPage) error { return p.render(w, "mails", page) }
