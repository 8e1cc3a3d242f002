package outbox_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/smtptest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/internal/mail"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/provider/outbox"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
	"github.com/portico-id/portico/templates"
)

// world is an outbox before a mail server, and a sender at a clock of its own.
type world struct {
	testing.TB
	store   *sqlstore.Store
	source  *ambient.Source
	clock   *ambient.FixedClock
	server  *smtptest.Server
	outbox  *outbox.Outbox
	sender  *outbox.Sender
	writers map[string]outbox.Writer
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{TB: t, server: smtptest.Start(t), writers: map[string]outbox.Writer{}}
	w.source, w.clock = ambient.Fixed(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), 1)
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true})
	w.must(err)
	t.Cleanup(func() { _ = store.Close() })
	w.store = store
	carrier, err := mail.NewSMTP(sealing.Secret(w.server.URL()), "Portico <no-reply@id.example.test>")
	w.must(err)
	w.outbox, w.sender = w.open(carrier)
	return w
}

// open returns an outbox and a sender, as another process would have them.
func (w *world) open(carrier mail.Carrier) (*outbox.Outbox, *outbox.Sender) {
	ring, err := sealing.New([]byte(strings.Repeat("s", sealing.MinSecret)), nil, w.source)
	w.must(err)
	pages, err := templates.New(w.source.Token)
	w.must(err)
	letters, err := pages.Letters("https://id.example.test", templates.Brand{})
	w.must(err)
	o := outbox.New(outbox.Options{Store: w.store, Ambient: w.source, Delivers: true})
	o.Tools = outbox.Tools{Ring: ring, Letters: letters, Carrier: carrier}
	return o, outbox.NewSender(o, slog.New(slog.NewTextHandler(io.Discard, nil)), w.writers)
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) post(addresses ...string) {
	w.Helper()
	act := storage.Act{At: w.source.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}
	for _, to := range addresses {
		act.Mails = append(act.Mails, w.outbox.Mail("U", to, templates.Letter{
			Kind: templates.LetterPasswordLink, Name: "Mary", Email: to, URL: "https://id.example.test/password?link=SECRET",
			Until: w.source.Now().Add(7 * 24 * time.Hour),
		}))
	}
	w.must(w.store.PostMails(w.Context(), act, "mail.test"))
}

// work lets time pass and the sender work on what is due then.
func (w *world) work(pause time.Duration) {
	w.Helper()
	w.clock.Advance(pause)
	w.must(w.sender.Work(w.Context()))
	w.sender.Wait()
}

// states returns what became of the mails to the address.
func (w *world) state(to string) storage.Mail {
	w.Helper()
	mails, _, err := w.outbox.List(w.Context(), to, storage.PageRequest{})
	w.must(err)
	if len(mails) != 1 {
		w.Fatalf("%d mails to %s", len(mails), to)
	}
	return mails[0]
}

func (w *world) arrived(to string, times int) {
	w.Helper()
	if got := len(w.server.To(to)); got != times {
		w.Errorf("%d mails to %s arrived, want %d", got, to, times)
	}
}

// Rule: MAIL-1
func TestAMailArrivesOnceAsTextAndAsHTML(t *testing.T) {
	w := newWorld(t)
	w.post("mary@example.test", "müller@bücher.example")
	w.work(0)
	w.work(time.Hour)
	w.arrived("mary@example.test", 1)
	got := w.server.To("mary@example.test")[0]
	if got.From != "no-reply@id.example.test" || got.Subject != "Choose a new password" ||
		!strings.Contains(got.Text, "https://id.example.test/password?link=SECRET") ||
		!strings.Contains(got.HTML, "link=SECRET") ||
		got.Header.Get("Auto-Submitted") != "auto-generated" ||
		!strings.HasSuffix(got.Header.Get("Message-Id"), "@id.example.test>") {
		t.Errorf("%+v", got)
	}
	if m := w.state("mary@example.test"); m.State() != storage.StateDelivered || m.Attempts != 1 {
		t.Errorf("%+v", m)
	}
}

// Rule: MAIL-1
func TestTheLinkOfAMailIsSealedAndForgottenWhenItWasSent(t *testing.T) {
	w := newWorld(t)
	w.post("mary@example.test")
	mails, err := w.store.TakeMails(t.Context(), w.source.Now(), time.Second, 10)
	w.must(err)
	if len(mails) != 1 || strings.Contains(mails[0].Words+string(mails[0].Link), "SECRET") {
		t.Errorf("%+v can be read", mails)
	}
	w.work(time.Second)
	w.arrived("mary@example.test", 1)
	act := storage.Act{At: w.source.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}
	if err := w.outbox.Resend(t.Context(), act, mails[0].ID); !fault.HasReason(err, storage.ReasonMailSent) {
		t.Errorf("it can be sent again: %v", err)
	}
}

// Rule: SERVER-53
func TestNobodyWaitsForAMailBecauseTheClockWasPutRight(t *testing.T) {
	w := newWorld(t)
	carrier, err := mail.NewSMTP("smtp://127.0.0.1:1", "Portico <no-reply@id.example.test>")
	w.must(err)
	up := w.outbox.Tools.Carrier
	w.outbox.Tools.Carrier = carrier
	w.clock.Step(time.Hour)
	w.post("before@example.test")
	w.work(0)
	w.clock.Step(-time.Hour)
	w.outbox.Tools.Carrier = up
	w.post("after@example.test")
	w.work(time.Minute)
	w.arrived("after@example.test", 1)
}

// Rule: MAIL-2
func TestAServerThatIsDownForAnHourLosesAndRepeatsNothing(t *testing.T) {
	w := newWorld(t)
	w.server.Stop()
	var all []string
	for i := range 20 {
		all = append(all, fmt.Sprintf("p%d@example.test", i))
	}
	w.post(all...)
	for range 60 {
		w.work(time.Minute)
	}
	if m := w.state(all[0]); m.State() != storage.StateWaiting || !strings.Contains(m.Failure, "can’t be used") {
		t.Errorf("%+v", m)
	}
	w.server.Listen(t, w.server.Addr())
	for range 40 {
		w.work(30 * time.Second)
	}
	for _, to := range all {
		w.arrived(to, 1)
	}
}

// Rule: MAIL-2
func TestOneAddressHoldsNobodyElseUp(t *testing.T) {
	w := newWorld(t)
	hang := make(chan struct{})
	w.server.Refuse["later@example.test"] = &smtp.SMTPError{Code: 451, Message: "Greylisted, come back later."}
	w.server.Refuse["nobody@example.test"] = &smtp.SMTPError{Code: 550, Message: "No such mailbox."}
	w.server.Hang["slow@example.test"] = hang
	w.post("later@example.test", "nobody@example.test", "slow@example.test", "mary@example.test")
	w.must(w.sender.Work(t.Context()))
	for len(w.server.To("mary@example.test")) == 0 { // while another hangs
		time.Sleep(time.Millisecond)
	}
	close(hang)
	w.sender.Wait()
	w.arrived("slow@example.test", 1)
	if m := w.state("nobody@example.test"); m.State() != storage.StateFailed || m.LastStatus != 550 ||
		!strings.Contains(m.Failure, "No such mailbox.") {
		t.Errorf("%+v", m)
	}
	if m := w.state("later@example.test"); m.State() != storage.StateWaiting || m.LastStatus != 451 {
		t.Errorf("%+v", m)
	}
	w.server.Change(func() { clear(w.server.Refuse) })
	w.work(30 * time.Second)
	w.arrived("later@example.test", 1)
	w.arrived("nobody@example.test", 0)
	w.must(w.outbox.Resend(t.Context(), storage.Act{At: w.source.Now()}, w.state("nobody@example.test").ID))
	w.work(time.Second)
	w.arrived("nobody@example.test", 1)
}

// Rule: MAIL-2
func TestAMailThatNeverGoesIsGivenUpAfterFourDays(t *testing.T) {
	w := newWorld(t)
	w.server.Refuse["later@example.test"] = &smtp.SMTPError{Code: 451, Message: "Come back later."}
	w.post("later@example.test")
	for range 4*24*4 + 10 {
		w.work(15 * time.Minute)
	}
	if m := w.state("later@example.test"); m.State() != storage.StateFailed || m.Attempts < 300 {
		t.Errorf("%s after %d attempts", m.State(), m.Attempts)
	}
}

// Whoever gets it would be led to a link that is over.
//
// Rule: MAIL-2
func TestAMailIsGivenUpOnceItsLinkIsOver(t *testing.T) {
	w := newWorld(t)
	for to, until := range map[string]time.Duration{"over@example.test": time.Hour, "good@example.test": 3 * time.Hour} {
		act := storage.Act{At: w.source.Now(), Actor: storage.Actor{Kind: storage.ActorSystem}}
		act.Mails = []storage.Mail{w.outbox.Mail("", to, templates.Letter{Kind: templates.LetterAddressNew, Email: to,
			URL: "https://id.example.test/address?link=x", Until: w.source.Now().Add(until)})}
		w.must(w.store.PostMails(t.Context(), act, "test"))
		w.server.Refuse[to] = &smtp.SMTPError{Code: 451, Message: "Come back later."}
	}
	for range 4 {
		w.work(15 * time.Minute)
	}
	clear(w.server.Refuse)
	w.work(time.Hour)
	w.arrived("good@example.test", 1)
	w.arrived("over@example.test", 0)
	if m := w.state("over@example.test"); m.State() != storage.StateFailed {
		t.Errorf("%s: %s", m.State(), m.Failure)
	}
}

// killed stands for a process that is killed once the server has taken the mail.
type killed struct{ mail.Carrier }

func (k killed) Carry(ctx context.Context, m mail.Message) error {
	_ = k.Carrier.Carry(ctx, m)
	select {} // nobody notes anything any more
}

// Rule: MAIL-2
func TestAMailOfWhichNobodyNotedThatItWasSentIsSentTwiceAtMost(t *testing.T) {
	w := newWorld(t)
	carrier, err := mail.NewSMTP(sealing.Secret(w.server.URL()), "no-reply@id.example.test")
	w.must(err)
	w.post("mary@example.test")
	for killings := 1; killings <= 4; killings++ {
		_, sender := w.open(killed{carrier})
		w.must(sender.Work(t.Context()))
		for deadline := time.Now().Add(10 * time.Second); len(w.server.Mails()) < min(killings, storage.MaxMailTries) &&
			time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		w.clock.Advance(time.Hour)
	}
	w.arrived("mary@example.test", storage.MaxMailTries)
	first, second := w.server.Mails()[0], w.server.Mails()[1]
	if first.Header.Get("Message-Id") != second.Header.Get("Message-Id") {
		t.Error("whoever gets it twice can't tell")
	}
	if m := w.state("mary@example.test"); m.State() != storage.StateFailed {
		t.Errorf("%+v", m)
	}
}

// Rule: MAIL-2
func TestSendersShareTheMails(t *testing.T) {
	w := newWorld(t)
	carrier, err := mail.NewSMTP(sealing.Secret(w.server.URL()), "no-reply@id.example.test")
	w.must(err)
	_, other := w.open(carrier)
	for i := range 30 {
		w.post(fmt.Sprintf("p%d@example.test", i))
	}
	for range 5 {
		w.must(other.Work(t.Context()))
		w.work(time.Second)
		other.Wait()
	}
	for i := range 30 {
		w.arrived(fmt.Sprintf("p%d@example.test", i), 1)
	}
}

// Rule: MAIL-3
func TestNothingThatPeopleChooseReachesAHeader(t *testing.T) {
	w := newWorld(t)
	for _, to := range []string{
		"mary@example.test\r\nBcc: victim@example.test", "mary@example.test, victim@example.test",
		"Mary <victim@example.test>",
		"mary@example.test\nSubject: x", "mary@example.test> BODY=8BITMIME\r\nRCPT TO:<victim@example.test",
	} {
		w.post(to)
	}
	act := storage.Act{At: w.source.Now()}
	act.Mails = []storage.Mail{w.outbox.Mail("U", "mary@example.test",
		templates.Letter{Kind: templates.LetterTest, By: "x\r\nBcc: victim@example.test\r\n\r\nBody"})}
	w.must(w.store.PostMails(t.Context(), act, "mail.test"))
	w.work(0)
	if got := w.server.Mails(); len(got) != 1 || got[0].To != "mary@example.test" || got[0].Header.Get("Bcc") != "" {
		t.Errorf("%+v", got)
	}
}

// Rule: MAIL-2
func TestWhatIsFoundOutLateIsFoundOutAtEachTry(t *testing.T) {
	w := newWorld(t)
	tries := 0
	w.writers[templates.LetterPasswordLink] = func(_ context.Context, m *storage.Mail, letter *templates.Letter) error {
		if tries++; tries == 1 {
			return fault.New(fault.Unavailable, "", "The database is away.")
		}
		letter.URL = fmt.Sprintf("https://id.example.test/password?link=%d", tries)
		if m.To == "nobody@example.test" {
			return fault.New(fault.NotFound, "", "Nobody has this address.")
		}
		return nil
	}
	w.server.Refuse["mary@example.test"] = &smtp.SMTPError{Code: 451, Message: "Come back later."}
	w.post("mary@example.test")
	w.work(0)
	w.work(time.Minute)
	w.server.Change(func() { clear(w.server.Refuse) })
	w.work(time.Minute)
	w.arrived("mary@example.test", 1)
	if got := w.server.Mails()[0].Text; !strings.Contains(got, "link=3") {
		t.Error(got)
	}
	w.post("nobody@example.test")
	w.work(time.Second)
	w.arrived("nobody@example.test", 0)
	if m := w.state("nobody@example.test"); m.State() != storage.StateFailed || m.Failure != "Nobody has this address." {
		t.Errorf("%+v", m)
	}
}
