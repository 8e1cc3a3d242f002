package people

import (
	"context"
	"strings"
	"time"

	"github.com/portico-id/portico/storage"
)

// InvitationLife is how long the link of an invitation works.
const InvitationLife = 7 * 24 * time.Hour

// Invite adds a user with the address, whom nobody knows to be theirs yet, and
// returns the link by which they choose a password: whoever invites hands it
// over. A later password link voids it. Errors as Create.
func (p *People) Invite(ctx context.Context, act storage.Act, email string) (storage.User, Link, error) {
	name, _, _ := strings.Cut(trimmed(email), "@")
	user, err := p.Create(ctx, act, Newcomer{Email: email, Name: name})
	if err != nil {
		return user, Link{}, err
	}
	link, err := p.newLink(ctx, act, storage.LinkPassword, user.ID, InvitationLife)
	return user, link, err
}

// PasswordURL returns the address of a link by which a password is chosen.
func (l Link) PasswordURL(baseURL string) string { return baseURL + linkAction(passwordPath, l.Token) }
