// Package outbox is the mails of the server: how one is written and kept, who
// sends it and how often, and what administrators see of that; its page, and
// /admin/v1/mails.
//
// What a mail is about is not here: whoever causes one asks for a letter
// (templates.Letter), and gives what Mail makes of it to the act that
// causes it (storage.Act), and what is found out only when it is sent a Writer
// adds. How it is handed to a mail server is internal/mail's.
// Start at Outbox; sender.go is the worker.
package outbox

import (
	"context"
	"encoding/json"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/mail"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// label keeps the links of mails apart from all else that is sealed.
const label = "link of a mail"

// Sealed are the labels under which something is kept.
func Sealed() map[storage.SealedColumn][]string {
	return map[storage.SealedColumn][]string{storage.SealedMails: {label}}
}

// Options are what an Outbox is made of.
type Options struct {
	Store    storage.MailStore
	Ambient  *ambient.Source
	Delivers bool // mails reach people; else they become files
}

// Tools are what sending mails needs, and mails with links that were made with
// their act.
type Tools struct {
	Ring    *sealing.Ring
	Letters *templates.Letters
	Carrier mail.Carrier
	Sender  func() string // what the sender is called at the moment; nil: as the carrier calls them
}

func (t Tools) sender() string {
	if t.Sender == nil {
		return ""
	}
	return t.Sender()
}

// Outbox makes mails and knows what became of them. It is safe for concurrent
// use.
type Outbox struct {
	with Options
	Tools
}

// New returns an Outbox, which needs its Tools before it is used by a server.
func New(o Options) *Outbox { return &Outbox{with: o} }

// Delivers reports whether mails reach people: without a mail server they lie in
// files.
func (o *Outbox) Delivers() bool { return o.with.Delivers }

// Where says where mails go.
func (o *Outbox) Where() string { return o.Carrier.Where() }

// Mail returns a letter to an address, about a user. Its link, which may let
// somebody in, is sealed.
func (o *Outbox) Mail(userID, to string, letter templates.Letter) storage.Mail {
	m := storage.Mail{UID: o.with.Ambient.UID(), Kind: letter.Kind, UserID: userID, To: to}
	if letter.URL != "" {
		m.Link = o.Ring.Seal(label, []byte(letter.URL), []byte(m.UID))
	}
	words, err := json.Marshal(letter)
	if err != nil {
		panic(err) // texts and times always fit into JSON
	}
	m.Words = string(words)
	return m
}

// letter is what Mail was given.
func (o *Outbox) letter(m storage.Mail) (letter templates.Letter, err error) {
	if err := json.Unmarshal([]byte(m.Words), &letter); err != nil || m.Link == nil {
		return letter, err
	}
	link, _, err := o.Ring.Open(label, m.Link, []byte(m.UID))
	letter.URL = string(link)
	return letter, err
}

// List returns a page of mails, newest first, those to one address when to is
// not empty, and the next cursor.
func (o *Outbox) List(ctx context.Context, to string, page storage.PageRequest) ([]storage.Mail, string, error) {
	return o.with.Store.ListMails(ctx, to, page)
}

// Resend makes a mail due again that was not sent. NotFound; Conflict
// (storage.ReasonMailSent).
func (o *Outbox) Resend(ctx context.Context, act storage.Act, id int64) error {
	return fault.OrAbsent(o.with.Store.ResendMail(ctx, act, id), "mail")
}

// SendTest sends the administrator a mail.
func (o *Outbox) SendTest(ctx context.Context, act storage.Act, to, by string) error {
	act.Mails = append(act.Mails, o.Mail(act.Actor.ID, to,
		templates.Letter{Kind: templates.LetterTest, By: by, Languages: act.Languages}))
	return o.with.Store.PostMails(ctx, act, "mail.tested")
}
