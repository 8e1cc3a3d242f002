package people

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// AskRecovery has a link mailed by which whoever has the address chooses a new
// password. It does the same whether anybody has it or not: that is found out
// when the mail is written, and nobody waits for that. Invalid for what is no
// address.
func (p *People) AskRecovery(ctx context.Context, act storage.Act, address string) error {
	return p.ask(ctx, act, address, templates.LetterPasswordLink, "user.recovery_asked")
}

// ask keeps a letter to an address about which nothing is known yet.
func (p *People) ask(ctx context.Context, act storage.Act, address, letter, kind string) error {
	to, err := CheckAddress(address)
	if err != nil {
		return err
	}
	act.Mails = []storage.Mail{p.post.Mail("", to, templates.Letter{Kind: letter, Email: to, Languages: act.Languages})}
	return p.store.PostMails(ctx, act, kind)
}

// CheckAddress returns the address as it is kept, or Invalid.
func CheckAddress(address string) (string, error) {
	to, ok := email.read(trimmed(address))
	if !ok {
		return "", misfit(FieldEmail, email.wants)
	}
	return to, nil
}

// writeRecovery finds out who has the address.
func (p *People) writeRecovery(ctx context.Context, m *storage.Mail, letter *templates.Letter) error {
	user, _, err := p.store.FindUserByLogin(ctx, m.To)
	if fault.Is(err, fault.NotFound) || err == nil && user.Disabled {
		return fault.New(fault.NotFound, ReasonNoUser, "Nobody who can sign in has this address: nothing was sent.")
	}
	if err == nil {
		err = p.notTooMany(ctx, m)
	}
	if err != nil {
		return err
	}
	return p.writeLink(ctx, m, user, PasswordLinkLife, letter)
}
