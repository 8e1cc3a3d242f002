package storagetest

import (
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func mailChecks() []check {
	return []check{
		{"the mails of an act are kept with it, once, and go when it fails", mailsOfAct},
		{"TakeMails returns what is due, the longest due first, and nobody else gets it until the time given", takeMails},
		{"a mail that nobody notes an attempt of is taken twice and then given up", takenTwice},
		{"RecordMailAttempt forgets what was sent, and keeps what was not", recordMailAttempt},
		{"RecordMailAttempt of one that failed leaves a mail as it is that was sent", lateFailure},
		{"ResendMail makes a mail due that was not sent", resendMail},
		{"ResendMail leaves a mail that is being sent to whom sends it", resendUnderWay},
		{"ListMails returns pages, newest first, of one address", listMails},
		{"SweepExpired removes mails that are over after a week", sweepOldMails},
		{"of fifty that take mails at once one gets each", raceTakeMails},
	}
}

const lease = 2 * time.Minute

func (w *World) mail(to string) storage.Mail {
	return storage.Mail{UID: w.Source.UID(), Kind: "test", UserID: "U", To: to, Words: `{"Name":"M"}`,
		Link: w.Source.Bytes(8)}
}

// mailed returns the operator's act with a mail to each address.
func (w *World) mailed(to ...string) storage.Act {
	act := w.Act()
	for _, address := range to {
		act.Mails = append(act.Mails, w.mail(address))
	}
	return act
}

func (w *World) post(to ...string) {
	w.Helper()
	w.Must(w.Store.PostMails(w.Ctx(), w.mailed(to...), "mail.test"))
}

func (w *World) takeMails(limit int) []storage.Mail { return w.takeFor(lease, limit) }

func (w *World) takeFor(length time.Duration, limit int) []storage.Mail {
	w.Helper()
	mails, err := w.Store.TakeMails(w.Ctx(), w.Now(), length, limit)
	w.Must(err)
	return mails
}

func (w *World) mails() []storage.Mail {
	w.Helper()
	mails, _, err := w.Store.ListMails(w.Ctx(), "", storage.PageRequest{})
	w.Must(err)
	return mails
}

func (w *World) attempted(m storage.Mail, failure string, next time.Duration) {
	w.Helper()
	attempt := storage.DeliveryAttempt{DeliveryID: m.ID, At: w.Now(), Status: 250, Failure: failure}
	if next > 0 {
		attempt.NextAt = w.Now().Add(next)
	}
	w.Must(w.Store.RecordMailAttempt(w.Ctx(), storage.MailAttempt{DeliveryAttempt: attempt}))
}

func mailsOfAct(w *World) {
	user := w.User()
	act := w.mailed("a@example.test", "b@example.test")
	yes := true
	user.Profile.Name = "Other"
	w.Must(w.Store.UpdateUser(w.Ctx(), act, user, &yes)) // two lines of the trail
	w.Equal(2, len(w.mails()))
	got := w.takeMails(10)
	act.Mails[0].ID, act.Mails[0].Progress = got[0].ID, got[0].Progress
	w.Equal(act.Mails[0], got[0])
	user.ID = "NOBODY"
	w.Refused(w.Store.UpdateUser(w.Ctx(), w.mailed("c@example.test"), user, nil), fault.NotFound, "")
	w.Equal(2, len(w.mails()))
}

func takeMails(w *World) {
	w.post("first@example.test")
	w.Clock.Advance(time.Second)
	w.post("second@example.test", "third@example.test")
	two := w.takeMails(2)
	w.Equal([]string{"first@example.test", "second@example.test"}, []string{two[0].To, two[1].To})
	w.Equal("third@example.test", w.takeFor(time.Millisecond, 2)[0].To)
	w.pass()
	w.Equal("third@example.test", w.takeMails(2)[0].To)
	w.Equal(0, len(w.takeMails(10)))
	for _, kind := range []string{"invitation", "transmittal", "app-invitation", "password-link"} {
		act := w.mailed(kind + "@example.test")
		act.Mails[0].Kind = kind
		w.Must(w.Store.PostMails(w.Ctx(), act, "mail.test"))
		w.Clock.Advance(time.Second)
	}
	w.Equal("password-link@example.test", w.takeMails(1)[0].To) // somebody waits for it
	w.Equal("invitation@example.test", w.takeMails(1)[0].To)
	w.Equal(2, len(w.takeMails(10)))
}

func takenTwice(w *World) {
	w.post("a@example.test", "b@example.test")
	for range storage.MaxMailTries {
		w.Equal(2, len(w.takeFor(time.Millisecond, 10)))
		w.Must(w.Store.RecordMailAttempt(w.Ctx(), storage.MailAttempt{Unclear: true, DeliveryAttempt: storage.DeliveryAttempt{
			DeliveryID: w.mails()[0].ID, At: w.Now(), Failure: "No answer.", NextAt: w.Now().Add(lease),
		}}))
		w.Clock.Advance(lease)
		w.pass()
	}
	w.Equal(0, len(w.takeMails(10)))
	for _, m := range w.mails() {
		w.Equal(storage.StateFailed, m.State())
	}
	waiting, err := w.Store.CountWaiting(w.Ctx())
	w.Must(err)
	w.Equal(0, waiting.Mails)
}

func recordMailAttempt(w *World) {
	w.post("sent@example.test", "again@example.test", "never@example.test")
	mails := w.takeMails(10)
	w.attempted(mails[0], "", 0)
	w.attempted(mails[1], "Come back later.", time.Minute)
	w.attempted(mails[2], "No such mailbox.", 0)
	var states []string
	for _, m := range w.mails() {
		states = append(states, m.State())
	}
	w.Equal([]string{storage.StateFailed, storage.StateWaiting, storage.StateDelivered}, states)
	w.Refused(w.Store.ResendMail(w.Ctx(), w.Act(), mails[0].ID), fault.Conflict, storage.ReasonMailSent)
	w.Clock.Advance(time.Minute)
	for range 3 { // a noted attempt is none of those that nobody learnt of
		again := w.takeMails(10)
		w.Equal([]string{"again@example.test"}, []string{again[0].To})
		w.Equal([]string{mails[1].Words, string(mails[1].Link)}, []string{again[0].Words, string(again[0].Link)})
		w.attempted(again[0], "Come back later.", time.Minute)
		w.Clock.Advance(time.Minute)
	}
}

func resendMail(w *World) {
	w.post("a@example.test")
	mail := w.takeMails(1)[0]
	w.attempted(mail, "No such mailbox.", 0)
	w.Must(w.Store.ResendMail(w.Ctx(), w.Act(), mail.ID))
	w.Audited(mail.UID, "mail.resent")
	again := w.takeMails(1)
	w.Equal([]int{0, 1}, []int{again[0].Attempts, len(again)})
	w.Equal(mail.Words, again[0].Words)
	w.Refused(w.Store.ResendMail(w.Ctx(), w.Act(), mail.ID+1), fault.NotFound, "")
}

func lateFailure(w *World) {
	w.post("a@example.test")
	first := w.takeFor(time.Millisecond, 1)[0]
	w.pass()
	w.attempted(w.takeMails(1)[0], "", 0)
	w.attempted(first, "No answer.", time.Minute)
	w.Equal(storage.StateDelivered, w.mails()[0].State())
}

func resendUnderWay(w *World) {
	w.post("a@example.test")
	mail := w.takeMails(1)[0]
	w.Must(w.Store.ResendMail(w.Ctx(), w.Act(), mail.ID))
	w.Equal(0, len(w.takeMails(1)))
	w.attempted(mail, "Come back later.", time.Minute)
	w.Clock.Advance(time.Minute)
	w.Equal(1, len(w.takeMails(1)))
}

func listMails(w *World) {
	w.post("a@example.test", "b@example.test", "A@Example.test")
	page, next, err := w.Store.ListMails(w.Ctx(), "a@EXAMPLE.test", storage.PageRequest{Limit: 1})
	w.Must(err)
	w.Equal("A@Example.test", page[0].To)
	w.Equal("", page[0].Words+string(page[0].Link))
	page, next, err = w.Store.ListMails(w.Ctx(), "a@EXAMPLE.test", storage.PageRequest{Limit: 1, After: next})
	w.Must(err)
	w.Equal([]string{"a@example.test", ""}, []string{page[0].To, next})
	test, other := []string{"other", "test"}, []string{"other"}
	for _, c := range []struct {
		kinds  []string
		since  time.Time
		before int64
		want   int
	}{{test, w.Now(), 9, 2}, {test, w.Now(), 3, 1}, {test, w.Now().Add(time.Microsecond), 9, 0}, {other, w.Now(), 9, 0}} {
		n, err := w.Store.CountMails(w.Ctx(), "a@example.test", c.kinds, c.since, c.before)
		w.Must(err)
		w.Equal(c.want, n)
	}
}

func sweepOldMails(w *World) {
	w.post("over@example.test", "waits@example.test")
	w.attempted(w.takeMails(1)[0], "No such mailbox.", 0)
	w.Clock.Advance(storage.KeepMails - time.Microsecond)
	w.Equal(0, w.sweep(100))
	w.Clock.Advance(time.Microsecond)
	w.Equal(1, w.sweep(100))
	w.Equal("waits@example.test", w.mails()[0].To)
}

func raceTakeMails(w *World) {
	for range 20 {
		w.post("a@example.test")
	}
	taken := make([][]storage.Mail, racers)
	for _, err := range w.race(racers, func(store storage.Identity, i int) (err error) {
		taken[i], err = store.TakeMails(w.Ctx(), w.Now(), lease, 3)
		return err
	}) {
		w.Must(err)
	}
	all := map[string]int{}
	for _, mails := range taken {
		for _, m := range mails {
			all[m.UID]++
			w.Equal(1, all[m.UID])
		}
	}
	w.Equal(20, len(all))
}
