package people

import (
	"context"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/said"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// The modes of sign-up.
const (
	SignUpClosed = "closed" // administrators add people
	SignUpInvite = "invite" // whoever has an account may invite others, too
	SignUpOpen   = "open"   // and anybody may make an account
)

// Reasons of the faults of signing up and inviting.
const (
	ReasonSignUpClosed = "sign_up_closed"
	ReasonDomain       = "domain_not_allowed"
	ReasonHasAccount   = "has_account"
)

// SignUpLife is how long an account waits for whoever signed up for it.
const SignUpLife = InvitationLife

// SignUpOpen reports whether anybody may make an account.
func (p *People) SignUpOpen() bool { return p.signUp.Mode == SignUpOpen }

// MayInvite reports whether people who have an account may invite others, which
// is done by mail alone: the link proves whose the address is.
func (p *People) MayInvite() bool {
	return p.Delivers() && (p.signUp.Mode == SignUpOpen || p.signUp.Mode == SignUpInvite)
}

// CheckInvites is Forbidden (ReasonSignUpClosed) where they may not.
func (p *People) CheckInvites() error {
	if !p.MayInvite() {
		return fault.New(fault.Forbidden, ReasonSignUpClosed, "Only administrators invite people to this server.")
	}
	return nil
}

// AskSignUp has a link mailed by which whoever has the address makes an account.
// It does the same whether they have one or not. Forbidden (ReasonSignUpClosed,
// ReasonDomain); Invalid for what is no address.
func (p *People) AskSignUp(ctx context.Context, act storage.Act, address string) error {
	if !p.SignUpOpen() {
		return fault.New(fault.Forbidden, ReasonSignUpClosed, "Nobody can sign up here: an administrator adds people.")
	}
	if err := p.checkDomain(address); err != nil {
		return err
	}
	return p.ask(ctx, act, address, templates.LetterSignUp, "user.sign_up_asked")
}

func (p *People) checkDomain(address string) error {
	if len(p.signUp.Domains) == 0 || said.Within(address, p.signUp.Domains) {
		return nil
	}
	return fault.Newf(fault.Invalid, ReasonDomain, "Only addresses of %s can have an account here.",
		strings.Join(p.signUp.Domains, ", ")).At(FieldEmail)
}

// writeSignUp makes the account, or finds the one that the address has.
func (p *People) writeSignUp(ctx context.Context, m *storage.Mail, letter *templates.Letter) error {
	if err := p.notTooMany(ctx, m); err != nil {
		return err
	}
	user, hash, err := p.store.FindUserByLogin(ctx, m.To)
	if fault.Is(err, fault.NotFound) {
		user, err = p.newcomer(ctx, m.To)
	}
	switch {
	case err != nil:
		return err
	case user.Disabled:
		return fault.New(fault.NotFound, ReasonNoUser, "The user with this address is disabled: nothing was sent.")
	case hash != "":
		letter.Languages = storage.Act{Languages: letter.Languages}.LanguagesOf(user)
		letter.Kind, letter.Name, letter.URL = templates.LetterSignUpKnown, user.Title(), p.baseURL+"/login"
		m.To = user.Email
		return nil
	}
	life := SignUpLife
	if !user.EndsAt.IsZero() { // the account and the link to it end together
		life = user.EndsAt.Sub(p.ambient.Now())
	}
	if life < storage.KeepSpent { // the account is kept that much longer
		life += storage.KeepSpent
	}
	return p.writeLink(ctx, m, user, max(life, time.Minute), letter)
}

// newcomer adds somebody who signed up. Without a password nobody can sign in,
// and nobody but who reads the mail can choose one.
func (p *People) newcomer(ctx context.Context, address string) (storage.User, error) {
	act := storage.Act{At: p.ambient.Now(), Actor: storage.Actor{Kind: storage.ActorSystem}}
	name, _, _ := strings.Cut(address, "@")
	user, _, err := p.prepare(ctx, act, Newcomer{Email: address, Name: name})
	if err != nil {
		return user, err
	}
	user.EndsAt = act.At.Add(SignUpLife)
	return user, p.store.CreateUser(ctx, act, user, "")
}
