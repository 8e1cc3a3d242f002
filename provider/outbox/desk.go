package outbox

import (
	"io"
	"net/http"
	"strconv"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// DeskOptions are what a Desk is made of. Every field is needed.
type DeskOptions struct {
	Outbox   *Outbox
	Sessions *websession.Manager
	Pages    *templates.Pages
	Web      *webpage.Writer
}

// Desk is the administrators' page about mails.
type Desk struct {
	with DeskOptions
	gate *websession.Gate
}

// NewDesk returns the page.
func NewDesk(o DeskOptions) *Desk {
	return &Desk{with: o, gate: o.Sessions.Gate(o.Web.Error).Administrators()}
}

const (
	mailsPath    = "/admin/mail"
	mailVariable = "mailId"
	pageSize     = 50
)

// Routes are the page and its buttons.
func (d *Desk) Routes() []httpio.Route {
	return []httpio.Route{
		httpio.At(mailsPath).Get(d.gate.Show(d.show)),
		httpio.At(mailsPath + "/test").Post(d.gate.Form(d.test)).On(mailsPath),
		httpio.At(mailsPath + "/{mailId}/resend").Post(d.gate.Form(d.resend)).On(mailsPath),
	}
}

// done says what a form did, when the next page is asked with its key.
var done = map[string]texts.Text{"resent": texts.Say("mails.done.resent"), "tested": texts.Say("mails.done.tested")}

// whats says what mails are about.
var whats = map[string]texts.Text{
	templates.LetterPasswordLink:    texts.Say("mails.what.password-link"),
	templates.LetterInvitation:      texts.Say("mails.what.invitation"),
	templates.LetterSignUp:          texts.Say("mails.what.sign-up"),
	templates.LetterSignUpKnown:     texts.Say("mails.what.sign-up-known"),
	templates.LetterPasswordChanged: texts.Say("mails.what.password-changed"),
	templates.LetterAddressNew:      texts.Say("mails.what.address-new"),
	templates.LetterAddressOld:      texts.Say("mails.what.address-old"),
	templates.LetterAddressChanged:  texts.Say("mails.what.address-changed"),
	templates.LetterNewSignIn:       texts.Say("mails.what.new-sign-in"),
	templates.LetterFactorAdded:     texts.Say("mails.what.factor-added"),
	templates.LetterFactorRemoved:   texts.Say("mails.what.factor-removed"),
	templates.LetterAppInvitation:   texts.Say("mails.what.app-invitation"),
	templates.LetterTransmittal:     texts.Say("mails.what.transmittal"),
	templates.LetterAccountDeleted:  texts.Say("mails.what.account-deleted"),
	templates.LetterTest:            texts.Say("mails.what.test"),
}

// states says what became of them.
var states = map[string]texts.Text{
	storage.StateDelivered: texts.Say("mails.state.delivered"),
	storage.StateWaiting:   texts.Say("mails.state.waiting"),
	storage.StateFailed:    texts.Say("mails.state.failed"),
}

// show serves the page that shows what became of mails.
func (d *Desk) show(w http.ResponseWriter, r *http.Request, _ websession.Visit) error {
	list, err := webpage.ListOf(r)
	if err != nil {
		return err
	}
	mails, next, err := d.with.Outbox.List(r.Context(), list.Get("q"),
		storage.PageRequest{After: list.After, Limit: webpage.Rows})
	if list.Strays(len(mails), err) {
		return list.Begin(w, r)
	}
	if err != nil {
		return err
	}
	view := templates.MailsPage{
		Desk:     webpage.Desk(r, templates.SectionMail, done),
		Delivers: d.with.Outbox.Delivers(), Where: d.with.Outbox.Where(), Search: list.Search(), Pager: list.Pager("", next),
		Test: templates.Button{ID: "test-mail", Action: mailsPath + "/test", Text: texts.Say("mails.test")},
	}
	for _, m := range mails {
		view.Mails = append(view.Mails, newRow(m))
	}
	return d.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return d.with.Pages.Mails(out, view) })
}

func newRow(m storage.Mail) templates.MailRow {
	id := strconv.FormatInt(m.ID, 10)
	row := templates.MailRow{
		To: m.To, What: whats[m.Kind], State: states[m.State()],
		Failed: m.State() == storage.StateFailed, At: m.CreatedAt, Tries: m.Attempts, Why: m.Failure, Next: m.NextAt,
	}
	if m.State() != storage.StateDelivered && m.Attempts > 0 {
		row.Resend = &templates.Button{ID: "resend-" + id, Action: mailsPath + "/" + id + "/resend",
			Text: texts.Say("mails.resend")}
	}
	return row
}

// resend serves the button that sends a mail again.
func (d *Desk) resend(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	id, err := mailID(r)
	if err != nil {
		return err
	}
	if err := d.with.Outbox.Resend(r.Context(), v.Act, id); err != nil {
		return err
	}
	return webpage.See(w, r, mailsPath+"?done=resent")
}

// test serves the button that sends the administrator a mail.
func (d *Desk) test(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	if err := d.with.Outbox.SendTest(r.Context(), v.Act, v.User.Email, v.User.Email); err != nil {
		return err
	}
	return webpage.See(w, r, mailsPath+"?done=tested")
}

// mailID is the mail that the path names.
func mailID(r *http.Request) (int64, error) {
	text, err := httpio.PathID(r, mailVariable)
	if err != nil {
		return 0, err
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fault.Absent("mail")
	}
	return id, nil
}
