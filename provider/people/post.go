package people

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// Post makes mails of letters: provider/outbox.
type Post interface {
	// Mail returns the mail for the act that causes it.
	Mail(userID, to string, letter templates.Letter) storage.Mail

	// Delivers reports whether mails reach people.
	Delivers() bool
}

// mailed returns the act with a mail to an address of the user.
func (p *People) mailed(act storage.Act, user storage.User, to string, letter templates.Letter) storage.Act {
	if p.post == nil {
		return act
	}
	letter.Name, letter.At = title(user), act.At
	letter.Email = cmp.Or(letter.Email, user.Email)
	act.Mails = append(act.Mails[:len(act.Mails):len(act.Mails)], p.post.Mail(user.ID, to, letter))
	return act
}

// told returns the act with a notice to the user of what it does.
func (p *People) told(act storage.Act, user storage.User, kind string) storage.Act {
	return p.mailed(act, user, user.Email, templates.Letter{Kind: kind})
}

// NewDevice returns the act with word to the user of the sign-in that it is, in a
// browser in which they had not signed in before.
func (p *People) NewDevice(act storage.Act, user storage.User, r *http.Request) storage.Act {
	device := []rune(r.UserAgent())
	return p.mailed(act, user, user.Email, templates.Letter{
		Kind:   templates.LetterNewSignIn,
		Device: cmp.Or(string(device[:min(len(device), 150)]), "a program without a name"), Address: act.Address,
	})
}

// ForgottenURL is the page for who does not know the password any more.
func (p *People) ForgottenURL() string { return forgottenPath }

// SignUpURL is where anybody makes an account; empty when nobody does.
func (p *People) SignUpURL() string {
	if !p.SignUpOpen() {
		return ""
	}
	return signUpPath
}

// Delivers reports whether mails reach people.
func (p *People) Delivers() bool { return p.post != nil && p.post.Delivers() }

// Writer finishes a letter when it is sent, as provider/outbox has it.
type Writer = func(ctx context.Context, m storage.Mail, letter *templates.Letter) error

// Writers returns what finishes the letters about people, by their kinds. Links
// are made when they are sent, so that none waits anywhere, and none is old when
// it arrives.
func (p *People) Writers() map[string]Writer {
	help := func(_ context.Context, _ storage.Mail, letter *templates.Letter) error {
		letter.URL = p.baseURL + forgottenPath
		return nil
	}
	home := func(_ context.Context, _ storage.Mail, letter *templates.Letter) error {
		letter.URL = p.baseURL + "/"
		return nil
	}
	return map[string]Writer{
		templates.LetterPasswordLink: p.writeRecovery, templates.LetterSignUp: p.writeSignUp, templates.LetterInvitation: p.writeInvitation,
		templates.LetterPasswordChanged: help, templates.LetterNewSignIn: help,
		templates.LetterAddressChanged: home, templates.LetterFactorAdded: home, templates.LetterFactorRemoved: home,
	}
}

// A letter with a link goes to an address so often in an hour at most: nobody
// fills another's mailbox by it.
const (
	mostLetters = 5
	lettersTime = time.Hour
)

// notTooMany is TooMany for an address that got many letters of late.
func (p *People) notTooMany(ctx context.Context, m storage.Mail) error {
	n, err := p.store.CountMails(ctx, m.To, m.CreatedAt.Add(-lettersTime), m.ID)
	if err == nil && n >= mostLetters {
		err = fault.New(fault.TooMany, "too_many_letters", "The address got several mails within the hour: this one was not sent.")
	}
	return err
}

// writeLink adds a link by which the user chooses a password, and which proves
// that they read what is mailed to the address.
func (p *People) writeLink(ctx context.Context, m storage.Mail, user storage.User, life time.Duration, letter *templates.Letter) error {
	now := p.ambient.Now()
	act := storage.Act{At: now, Actor: storage.Actor{Kind: storage.ActorSystem}}
	link := Link{Token: p.ambient.Token(), Until: now.Add(life)}
	letter.Name, letter.Email, letter.URL, letter.Until = title(user), user.Email, link.PasswordURL(p.baseURL), link.Until
	return p.store.CreateOneTimeLink(ctx, act, storage.OneTimeLink{
		Hash: hashOf(link.Token), Purpose: storage.LinkPassword, UserID: user.ID, ExpiresAt: link.Until, Email: m.To,
	})
}
