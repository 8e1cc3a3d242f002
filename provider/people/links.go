package people

import (
	"context"
	"crypto/sha256"
	"net/url"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// How long one-time links work.
const (
	PasswordLinkLife = 30 * time.Minute
	SetUpLinkLife    = time.Hour
	AddressLinkLife  = 24 * time.Hour
	InvitationLife   = 7 * 24 * time.Hour
)

// Paths of the pages that links and letters lead to, below the base URL.
const (
	setUpPath     = "/setup"
	passwordPath  = "/password"
	addressPath   = "/address"
	signUpPath    = "/sign-up"
	forgottenPath = "/forgotten"
)

// ReasonLinkOver is the reason of the Gone faults of one-time links.
const ReasonLinkOver = "link_over"

// Link is a one-time link that was just made. The token is kept as a hash.
type Link struct {
	Token string
	Until time.Time
}

func hashOf(token string) []byte {
	sum := sha256.Sum256([]byte(token)) // 256 random bits need no slow hash
	return sum[:]
}

func (p *People) newLink(ctx context.Context, act storage.Act, purpose storage.LinkPurpose, userID string,
	life time.Duration) (Link, error) {
	link := Link{Token: p.ambient.Token(), Until: act.At.Add(life)}
	return link, p.store.CreateOneTimeLink(ctx, act, storage.OneTimeLink{
		Hash: hashOf(link.Token), Purpose: purpose, UserID: userID, ExpiresAt: link.Until,
	})
}

// PasswordLink returns a link by which the user sets a new password, once. It
// voids an earlier one, and a change of password or address voids it. Conflict
// for a disabled user.
func (p *People) PasswordLink(ctx context.Context, act storage.Act, user storage.User) (Link, error) {
	if user.Disabled {
		return Link{}, userDisabled()
	}
	return p.newLink(ctx, act, storage.LinkPassword, user.ID, PasswordLinkLife)
}

func userDisabled() error {
	return fault.New(fault.Conflict, "user_disabled", "The user is disabled. Enable them first.")
}

// PasswordLinkUser returns whose password the link sets, or Gone
// (ReasonLinkOver).
func (p *People) PasswordLinkUser(ctx context.Context, token string, now time.Time) (storage.User, error) {
	link, err := p.store.FindOneTimeLink(ctx, hashOf(token), storage.LinkPassword, now)
	if err != nil {
		return storage.User{}, linkOver(err)
	}
	user, err := p.store.FindUser(ctx, link.UserID)
	if err == nil && user.Disabled {
		err = fault.New(fault.NotFound, "", "")
	}
	return user, linkOver(err)
}

// SetPasswordByLink replaces the password of the link's user, which ends all
// their sign-ins and grants. The link is spent then, and only then. Invalid
// with password.ReasonWeak; Conflict (ReasonThere); Gone (ReasonLinkOver).
func (p *People) SetPasswordByLink(ctx context.Context, act storage.Act, token, plain string) (storage.User, error) {
	user, newcomer, err := p.holder(ctx, act, token)
	if err != nil {
		return storage.User{}, err
	}
	return p.setByLink(ctx, act, token, user, newcomer, plain)
}

// holder returns whose password the link sets, and whether it is their first.
func (p *People) holder(ctx context.Context, act storage.Act,
	token string) (user storage.User, newcomer bool, err error) {
	if user, err = p.PasswordLinkUser(ctx, token, act.At); err == nil {
		newcomer, err = p.IsNewcomer(ctx, user)
	}
	return user, newcomer, err
}

func (p *People) setByLink(ctx context.Context, act storage.Act, token string, user storage.User, newcomer bool,
	plain string) (storage.User, error) {
	if err := p.judgedHere(ctx, user); err != nil {
		return storage.User{}, err
	}
	if err := p.checkPassword(plain, user); err != nil {
		return storage.User{}, err
	}
	hash, err := p.passwords.Hash(ctx, plain)
	if err != nil {
		return storage.User{}, err
	}
	if !newcomer {
		act = p.told(act, user, templates.LetterPasswordChanged)
	}
	act.Actor = storage.Actor{Kind: storage.ActorUser, ID: user.ID} // whoever has the link is taken for them
	_, err = p.store.SetPasswordByLink(ctx, act, hashOf(token), hash)
	return user, linkOver(err)
}

// Accept is SetPasswordByLink for a newcomer, who chooses a name as well; for
// anybody else the name stays.
func (p *People) Accept(ctx context.Context, act storage.Act, token, name, plain string) (storage.User, error) {
	chosen := []Setting{{FieldName, name}}
	if err := apply(&storage.User{}, chosen); err != nil {
		return storage.User{}, err
	}
	user, newcomer, err := p.holder(ctx, act, token)
	if err != nil {
		return user, err
	}
	if user, err = p.setByLink(ctx, act, token, user, newcomer, plain); err != nil || !newcomer {
		return user, err
	}
	act.Actor = storage.Actor{Kind: storage.ActorUser, ID: user.ID}
	named, err := p.Update(ctx, act, user.ID, Change{Settings: chosen})
	if fault.HasReason(err, storage.ReasonManaged) {
		return user, nil // the name is a company's, and the password is theirs
	}
	return named, err
}

// SetUpLink returns the link that makes the first administrator. False without
// an error: there is one already.
func (p *People) SetUpLink(ctx context.Context, act storage.Act) (Link, bool, error) {
	admins, err := p.store.CountAdmins(ctx)
	if err != nil || admins > 0 {
		return Link{}, false, err
	}
	link, err := p.newLink(ctx, act, storage.LinkSetUp, "", SetUpLinkLife)
	return link, err == nil, err
}

// CheckSetUpLink is nil while the link can be used, else Gone (ReasonLinkOver).
func (p *People) CheckSetUpLink(ctx context.Context, token string, now time.Time) error {
	if _, err := p.store.FindOneTimeLink(ctx, hashOf(token), storage.LinkSetUp, now); err != nil {
		return linkOver(err)
	}
	admins, err := p.store.CountAdmins(ctx)
	if err == nil && admins > 0 {
		err = fault.New(fault.NotFound, "", "")
	}
	return linkOver(err)
}

// SetUp makes the first administrator and spends the link, or does neither.
// Errors as Create, and Gone (ReasonLinkOver).
func (p *People) SetUp(ctx context.Context, act storage.Act, token string, newcomer Newcomer) (storage.User, error) {
	if err := p.CheckSetUpLink(ctx, token, act.At); err != nil {
		return storage.User{}, err
	}
	newcomer.Admin = true
	user, hash, err := p.prepare(ctx, act, newcomer)
	if err != nil {
		return storage.User{}, err
	}
	err = p.store.SetUp(ctx, act, hashOf(token), user, hash)
	return user, linkOver(named(err, user))
}

// linkOver is the one answer to every link that can't be used.
func linkOver(err error) error {
	if fault.Is(err, fault.NotFound) || fault.HasReason(err, storage.ReasonSpent) {
		return fault.New(fault.Gone, ReasonLinkOver,
			"This link was used already, its time is over, or a later one took its place.").Because(err)
	}
	return err
}

func linkAction(path, token string) string { return path + "?" + url.Values{"link": {token}}.Encode() }

// PasswordURL returns the address of a link by which a password is chosen.
func (l Link) PasswordURL(baseURL string) string { return baseURL + linkAction(passwordPath, l.Token) }

// IsNewcomer reports whether the user has no password yet.
func (p *People) IsNewcomer(ctx context.Context, user storage.User) (bool, error) {
	hash, err := p.store.FindPasswordHash(ctx, user.ID)
	return hash == "", err
}

// A letter with a link goes to an address so often in an hour at most: nobody
// fills another's mailbox by it.
const (
	mostLetters = 5
	lettersTime = time.Hour
)

// onesAskedFor are the kinds of mails that somebody else may cause by an address that they
// type. What is told of somebody's own doings does not use them up: whoever has just
// signed in at many places may have forgotten their password all the same.
var onesAskedFor = []string{templates.LetterPasswordLink, templates.LetterSignUp, templates.LetterSignUpKnown,
	templates.LetterInvitation, templates.LetterAppInvitation, templates.LetterAddressNew}

// notTooMany is TooMany for an address that got many letters of late, whether they were
// asked for by it or by the user name.
func (p *People) notTooMany(ctx context.Context, m *storage.Mail) error {
	user, _, err := p.store.FindUserByLogin(ctx, m.To)
	if fault.Is(err, fault.NotFound) {
		user.Email, err = m.To, nil
	}
	all := 0
	for _, to := range []string{user.Email, user.Username} {
		if err != nil || to == "" {
			continue
		}
		var n int
		n, err = p.store.CountMails(ctx, to, onesAskedFor, m.CreatedAt.Add(-lettersTime), m.ID)
		all += n
	}
	if err == nil && all >= mostLetters {
		err = fault.New(fault.TooMany, "too_many_letters",
			"The address got several mails within the hour: this one was not sent.")
	}
	return err
}

// writeLink adds a link by which the user chooses a password, and which proves
// that they read what is mailed to their address. It goes to the address that the
// user has now, whatever was typed: straße and strasse are one name here, and may
// be two mailboxes, the other a stranger's.
func (p *People) writeLink(ctx context.Context, m *storage.Mail, user storage.User, life time.Duration,
	letter *templates.Letter) error {
	now := p.ambient.Now()
	act := storage.Act{At: now, Actor: storage.Actor{Kind: storage.ActorSystem}}
	link := Link{Token: p.ambient.Token(), Until: now.Add(life)}
	m.To = user.Email
	letter.Languages, letter.Zone = storage.Act{Languages: letter.Languages}.LanguagesOf(user), user.Profile.Zone
	letter.Name, letter.Email, letter.URL, letter.Until = user.Title(), user.Email, link.PasswordURL(p.baseURL), link.Until
	return p.store.CreateOneTimeLink(ctx, act, storage.OneTimeLink{
		Hash: hashOf(link.Token), Purpose: storage.LinkPassword, UserID: user.ID, ExpiresAt: link.Until, Email: user.Email,
	})
}
