// Package mail hands a written mail over: to a mail server by SMTP, or to a file
// where there is no such server.
//
// It keeps nothing and tries nothing twice: who has to send a mail, and how
// often, is for others to know. Start at Carrier; smtp.go and files.go are the
// two there are, and message.go is how a mail is put together.
package mail

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Message is one mail to one person.
type Message struct {
	ID      string // names it for ever: whoever gets it twice can tell
	From    string // what its sender is called; empty: as the carrier calls them
	To      string // an address without a name
	Subject string
	Text    string
	HTML    string
	At      time.Time
}

// Carrier takes mails away. It is safe for concurrent use.
type Carrier interface {
	// Carry returns nil when somebody else is responsible for the mail now, or
	// a *Failure.
	Carry(ctx context.Context, m Message) error

	// Where says where mails go, for people.
	Where() string
}

// Failure says why a mail was not taken.
type Failure struct {
	Status    int    // reply of the server, as in 451; 0: none
	Detail    string // a sentence for people
	Final     bool   // this mail will never be taken
	Unreached bool   // the server could not be talked to: no mail would have been taken
	Unclear   bool   // it may have been taken all the same
	Cause     error
}

// Error implements error.
func (f *Failure) Error() string {
	if f.Cause == nil || strings.HasSuffix(f.Detail, f.Cause.Error()) {
		return f.Detail
	}
	return fmt.Sprintf("%s (%v)", f.Detail, f.Cause)
}

func (f *Failure) Unwrap() error { return f.Cause }
