package storage

import (
	"context"
	"time"
)

// KeepSentForms is how long it is known that a form was sent.
const KeepSentForms = 24 * time.Hour

// SentForm is a form of a page that was sent, and what came of it.
type SentForm struct {
	Key       []byte // SHA-256 of whose form, and which
	At        time.Time
	To        string    // where the browser goes on; empty: it is being carried out
	Page      []byte    // sealed: what is shown on the way there; nil: nothing, or not any more
	PageUntil time.Time // zero: nothing was ever to be shown
	Shown     bool
}

// FormStore knows which forms of pages were sent, so that each acts once however
// often it is sent.
type FormStore interface {
	// TakeForm is true for the first of any number who send the form within
	// KeepSentForms: it is theirs to carry out. The others get what came of it so
	// far, and its page may be shown to them again.
	TakeForm(ctx context.Context, key []byte, now time.Time) (SentForm, bool, error)

	// KeepForm notes what came of a form that was taken, which is known from At on. NotFound.
	KeepForm(ctx context.Context, form SentForm) error

	// DropForm forgets a form that came to nothing: it may be sent again. One
	// that is absent is no error.
	DropForm(ctx context.Context, key []byte) error

	// ShowForm returns the form as it is and notes that its page was shown. Page
	// is nil from PageUntil on. NotFound.
	ShowForm(ctx context.Context, key []byte, now time.Time) (SentForm, error)
}
