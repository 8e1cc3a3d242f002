package outbox

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/mail"
	"github.com/portico-id/portico/internal/tracing"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// Writer adds to a letter what is only found out when it is sent, such as a link
// that is made for it, and may send it to another address. A fault that is not ours, such as NotFound, ends the mail.
// It is called again when the letter has to be sent again.
type Writer func(ctx context.Context, m *storage.Mail, letter *templates.Letter) error

// Sender sends what is due. Any number of servers may run one: each mail is one
// sender's.
type Sender struct {
	outbox  *Outbox
	log     *slog.Logger
	writers map[string]Writer

	mu      sync.Mutex
	busy    int           // mails under way
	restsTo time.Duration // the mail server could not be reached: nothing is tried before, by a clock that nobody sets
	flights sync.WaitGroup
}

const (
	look    = time.Second // how soon a mail is sent
	atOnce  = 8           // mails under way
	atRest  = 15 * time.Second
	claimed = 2 * mail.Patience // nobody else takes a mail meanwhile

	// patience is for how long a mail is tried (RFC 5321 section 4.5.4.1).
	patience = 4 * 24 * time.Hour
)

// pauses are the waits after the first attempt, the second and so on; the last
// is that after all further ones. Servers that let strangers wait do so for some
// minutes.
var pauses = [...]time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute,
	10 * time.Minute, 15 * time.Minute}

// NewSender returns a sender. Writers finish letters, by their kinds.
func NewSender(o *Outbox, log *slog.Logger, writers map[string]Writer) *Sender {
	return &Sender{outbox: o, log: log, writers: writers}
}

// Run works until the context ends, and then finishes what is under way.
func (s *Sender) Run(ctx context.Context) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	defer s.flights.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := tracing.Round(ctx, "mails", s.Work); err != nil && ctx.Err() == nil {
			s.log.ErrorContext(ctx, "taking mails to be sent failed", "error", err)
		}
	}
}

// Work takes what is due, as much as goes on at once, and begins to send it.
// Wait returns when that is over.
func (s *Sender) Work(ctx context.Context) error {
	now := s.outbox.with.Ambient.Now()
	free := s.free()
	if free == 0 {
		return nil
	}
	mails, err := s.outbox.with.Store.TakeMails(ctx, now, claimed, free)
	if err != nil {
		return err
	}
	s.begun(len(mails))
	for _, m := range mails {
		s.flights.Go(func() {
			defer s.begun(-1)
			s.attempt(context.WithoutCancel(ctx), m)
		})
	}
	return nil
}

// Wait returns when every mail under way is over.
func (s *Sender) Wait() { s.flights.Wait() }

func (s *Sender) free() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.outbox.with.Ambient.Elapsed() < s.restsTo {
		return 0
	}
	return atOnce - s.busy
}

func (s *Sender) begun(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy += n
}

func (s *Sender) rest() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.restsTo = s.outbox.with.Ambient.Elapsed() + atRest
}

const unwritten = "The server could not write the mail."

// attempt makes one attempt and notes how it went.
func (s *Sender) attempt(ctx context.Context, m storage.Mail) {
	err := s.send(ctx, m)
	now := s.outbox.with.Ambient.Now()
	attempt := storage.MailAttempt{DeliveryAttempt: storage.DeliveryAttempt{DeliveryID: m.ID, At: now}}
	var failure *mail.Failure
	if err != nil {
		if !errors.As(err, &failure) {
			failure = &mail.Failure{Detail: unwritten}
		}
		s.log.WarnContext(ctx, "a mail could not be sent", "mail", m.UID, "kind", m.Kind, "error", err)
		attempt.Status, attempt.Failure, attempt.Unclear = failure.Status, failure.Detail, failure.Unclear
		if !failure.Final {
			attempt.NextAt = nextAttempt(m, now)
		}
		if failure.Unreached {
			s.rest()
		}
	}
	if err := s.outbox.with.Store.RecordMailAttempt(ctx, attempt); err != nil {
		s.log.ErrorContext(ctx, "noting what became of a mail failed", "mail", m.UID, "error", err)
	}
}

// nextAttempt returns when to try again, the zero time for not at all.
func nextAttempt(m storage.Mail, now time.Time) time.Time {
	if now.Sub(m.CreatedAt) >= patience {
		return time.Time{}
	}
	return now.Add(pauses[min(m.Attempts, len(pauses)-1)])
}

func (s *Sender) send(ctx context.Context, m storage.Mail) error {
	letter, err := s.outbox.letter(m)
	if err != nil {
		return &mail.Failure{Final: true, Detail: "The link in the mail can’t be read: it was sealed under a secret that the server doesn’t have any more.", Cause: err}
	}
	if writer := s.writers[m.Kind]; writer != nil {
		if err := writer(ctx, &m, &letter); err != nil {
			f := fault.From(err)
			return &mail.Failure{Final: f.Kind != fault.Internal &&
				f.Kind != fault.Unavailable, Detail: cmp.Or(f.Detail, unwritten), Cause: err}
		}
	}
	if !letter.Until.IsZero() && !s.outbox.with.Ambient.Now().Before(letter.Until) {
		return &mail.Failure{Final: true, Detail: "The link in the mail is over: it could not be sent in time."}
	}
	written, err := s.outbox.Letters.Write(letter)
	if err != nil {
		return err
	}
	return s.outbox.Carrier.Carry(ctx, mail.Message{
		ID: m.UID, From: s.outbox.sender(), To: m.To, Subject: written.Subject, Text: written.Text,
		HTML: written.HTML, At: m.CreatedAt,
	})
}
