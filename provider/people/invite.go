package people

import (
	"context"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// Invitation is how somebody gets in who has no password yet.
type Invitation struct {
	Link  // empty when it was mailed: whoever reads the mail shows that the address is theirs
	Until time.Time
}

// Mailed reports whether the person got it by mail.
func (i Invitation) Mailed() bool { return i.Token == "" }

// URL returns the address of the link to hand over; empty when it was mailed.
func (i Invitation) URL(baseURL string) string {
	if i.Mailed() {
		return ""
	}
	return i.PasswordURL(baseURL)
}

// Invite adds a user with the address, whom nobody knows to be theirs yet, and
// invites them, as InviteUser does. Errors as Create.
func (p *People) Invite(ctx context.Context, act storage.Act, email, by string) (storage.User, Invitation, error) {
	name, _, _ := strings.Cut(trimmed(email), "@")
	user, err := p.Create(ctx, act, Newcomer{Email: email, Name: name})
	if err != nil {
		return user, Invitation{}, err
	}
	invitation, err := p.InviteUser(ctx, act, user, by)
	return user, invitation, err
}

// InviteUser invites a user who has no password: by mail, or where mails reach
// nobody by a link that whoever invites hands over. A later invitation or password
// link voids it. Conflict (ReasonHasAccount) for who has a password, and for a
// disabled user.
func (p *People) InviteUser(ctx context.Context, act storage.Act, user storage.User, by string) (Invitation, error) {
	newcomer, err := p.IsNewcomer(ctx, user)
	switch {
	case err != nil:
		return Invitation{}, err
	case !newcomer:
		return Invitation{}, hasAccount(user)
	case user.Disabled:
		return Invitation{}, userDisabled()
	}
	until := act.At.Add(InvitationLife)
	if !p.Delivers() {
		link, err := p.newLink(ctx, act, storage.LinkPassword, user.ID, InvitationLife)
		return Invitation{link, until}, err
	}
	act = p.mailed(act, user, user.Email, templates.Letter{Kind: templates.LetterInvitation, By: by})
	return Invitation{Until: until}, p.store.PostMails(ctx, act, "user.invited")
}

func hasAccount(user storage.User) *fault.Error {
	return fault.Newf(fault.Conflict, ReasonHasAccount, "%s has a password already.", user.Email)
}

// InviteAs invites an address in the name of somebody who has an account, where
// that may be (SignUp). It answers alike whether the address has an account.
// Forbidden (ReasonSignUpClosed); Invalid (ReasonDomain) and for what is no
// address.
func (p *People) InviteAs(ctx context.Context, act storage.Act, who storage.User, address string) error {
	if err := p.CheckInvites(); err != nil {
		return err
	}
	if err := p.checkDomain(address); err != nil {
		return err
	}
	to, err := CheckAddress(address)
	if err != nil {
		return err
	}
	act.Mails = []storage.Mail{p.post.Mail("", to, templates.Letter{Kind: templates.LetterInvitation, Email: to,
		By: who.Title(), Languages: act.Languages})}
	return p.store.PostMails(ctx, act, "user.invited")
}

// writeInvitation makes the link of an invitation, and the account of who has
// none.
func (p *People) writeInvitation(ctx context.Context, m *storage.Mail, letter *templates.Letter) error {
	if m.UserID == "" {
		by := *letter
		if err := p.writeSignUp(ctx, m, letter); err != nil || letter.Kind == templates.LetterSignUpKnown {
			return err
		}
		letter.Kind, letter.By = by.Kind, by.By
		return nil
	}
	user, err := p.store.FindUser(ctx, m.UserID)
	if err != nil {
		return fault.OrAbsent(err, "user")
	}
	if user.Disabled {
		return userDisabled()
	}
	if newcomer, err := p.IsNewcomer(ctx, user); err != nil || !newcomer {
		return hasAccount(user).Because(err)
	}
	return p.writeLink(ctx, m, user, m.CreatedAt.Add(InvitationLife).Sub(p.ambient.Now()), letter)
}

// appsPath is the page on which people answer invitations to manage apps.
const appsPath = "/apps"

// writeAppInvitation leads to the page of the invitation: past the choice of a
// password for who has no account, where people who have one may invite others.
func (p *People) writeAppInvitation(ctx context.Context, m *storage.Mail, letter *templates.Letter) error {
	letter.URL = p.baseURL + appsPath
	if !strings.Contains(m.To, "@") {
		return p.writeToUserName(ctx, m, letter)
	}
	if !p.MayInvite() || p.checkDomain(m.To) != nil {
		return p.notTooMany(ctx, m)
	}
	asked := *letter
	if err := p.writeSignUp(ctx, m, letter); err != nil {
		return err
	}
	if letter.Kind == templates.LetterSignUpKnown {
		letter.URL = asked.URL
	}
	letter.Kind, letter.Until = asked.Kind, asked.Until
	return nil
}

// writeToUserName sends the letter to whoever has the user name to which it was
// addressed.
func (p *People) writeToUserName(ctx context.Context, m *storage.Mail, letter *templates.Letter) error {
	user, _, err := p.store.FindUserByLogin(ctx, m.To)
	if fault.Is(err, fault.NotFound) || err == nil && user.Disabled {
		return fault.New(fault.NotFound, ReasonNoUser, "Nobody who can sign in has this user name: nothing was sent.")
	}
	if err != nil {
		return err
	}
	m.To, letter.Name, letter.Email = user.Email, user.Title(), user.Email
	letter.Languages, letter.Zone = storage.Act{Languages: letter.Languages}.LanguagesOf(user), user.Profile.Zone
	return p.notTooMany(ctx, m)
}
