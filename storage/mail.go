package storage

import (
	"context"
	"time"
)

// Mail is the duty to send somebody a mail, and what became of it. An act that
// causes mails has them in Act.Mails: they are kept in its transaction, so that
// none is lost and none is sent for what did not happen.
type Mail struct {
	ID     int64  // grows with time
	UID    string // names it for ever
	Kind   string // what it is about, such as "password-link"
	UserID string // whom it is about, who may be gone; empty: nobody who is known
	To     string // the address
	Words  string // what it says, JSON; empty once it was sent
	Link   []byte // the address that it leads to, sealed: it may let somebody in; nil: none, or none yet

	// LastStatus is the reply of the mail server, as in 250, 451 or 550.
	Progress
}

const (
	// KeepMails is how long a mail that is over can be looked at, and one that
	// failed be sent again.
	KeepMails = 7 * 24 * time.Hour

	// MaxMailTries is how often a mail is sent without anybody learning how it
	// went, as when the server is killed: whoever it is for gets it so often at
	// most.
	MaxMailTries = 2

	// ReasonMailSent is the reason of the Conflict fault for a mail that can't
	// be sent again, because nobody knows any more what it said.
	ReasonMailSent = "mail_sent"
)

// MailAttempt is one try to send a mail. Status is the server's reply.
type MailAttempt struct {
	DeliveryAttempt
	Unclear bool // it may have been taken: see MaxMailTries
}

// MailStore keeps mails that are to be sent.
type MailStore interface {
	// PostMails keeps the mails of an act that does nothing else, under the kind
	// in the audit trail.
	PostMails(ctx context.Context, act Act, kind string) error

	// TakeMails returns at most limit mails whose time has come, the longest due
	// first, but invitations and what tells of transmittals, of which there may be
	// very many, behind all others. They are the caller's for so long, whatever clocks say: nobody else
	// gets them, and if nobody notes an attempt by then, they are due again. One
	// that was taken MaxMailTries times without that is given up.
	TakeMails(ctx context.Context, now time.Time, length time.Duration, limit int) ([]Mail, error)

	// RecordMailAttempt counts an attempt and notes how it went. What a mail said
	// is forgotten when it was sent. One that failed changes nothing of a mail
	// that was sent; an absent mail is no error.
	RecordMailAttempt(ctx context.Context, attempt MailAttempt) error

	// ListMails returns a page of mails, newest first, and the next cursor; those
	// to one address when to is not empty. What they say is left out.
	ListMails(ctx context.Context, to string, page PageRequest) ([]Mail, string, error)

	// ResendMail makes a mail that was not sent due now, with all its attempts
	// before it again; one that is being sent is left to whom does. NotFound; Conflict (ReasonMailSent).
	ResendMail(ctx context.Context, act Act, id int64) error

	// CountMails returns how many mails of the kinds to the address were kept since
	// then, and before the one with the id.
	CountMails(ctx context.Context, to string, kinds []string, since time.Time, before int64) (int, error)
}
