package people

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// NewDevice returns the act with word to the user of the sign-in that it is, in a
// browser in which they had not signed in before.
func (p *People) NewDevice(act storage.Act, user storage.User, r *http.Request) storage.Act {
	return p.mailed(act, user, user.Email, templates.Letter{
		Kind:   templates.LetterNewSignIn,
		Device: device(r.UserAgent()), Address: act.Address,
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

// InviteURL is where who has an account invites others; empty when they don't.
func (p *People) InviteURL() string {
	if !p.MayInvite() {
		return ""
	}
	return invitePath
}

// Writer finishes a letter when it is sent, as provider/outbox has it.
type Writer = func(ctx context.Context, m *storage.Mail, letter *templates.Letter) error

// Writers returns what finishes the letters about people, by their kinds. Links
// are made when they are sent, so that none waits anywhere, and none is old when
// it arrives.
func (p *People) Writers() map[string]Writer {
	help := func(_ context.Context, _ *storage.Mail, letter *templates.Letter) error {
		letter.URL = p.baseURL + forgottenPath
		return nil
	}
	home := func(_ context.Context, _ *storage.Mail, letter *templates.Letter) error {
		letter.URL = p.baseURL + "/"
		return nil
	}
	// Anybody may say that a stranger's address is to be theirs.
	few := func(ctx context.Context, m *storage.Mail, _ *templates.Letter) error { return p.notTooMany(ctx, m) }
	return map[string]Writer{
		templates.LetterPasswordLink: p.writeRecovery, templates.LetterSignUp: p.writeSignUp,
		templates.LetterInvitation:      p.writeInvitation,
		templates.LetterAppInvitation:   p.writeAppInvitation,
		templates.LetterAddressNew:      few,
		templates.LetterPasswordChanged: help, templates.LetterNewSignIn: help,
		templates.LetterAddressChanged: home, templates.LetterFactorAdded: home, templates.LetterFactorRemoved: home,
	}
}
