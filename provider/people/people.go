// Package people is users and their groups: what an address, a user name and
// the fields of a profile may be, who may be an administrator, and what ends
// when somebody is disabled; the administrator's pages of it and of the audit
// trail, and /admin/v1/users, groups and audit.
//
// The command line, the pages and the administration API all go through the
// same rules, so that they cannot drift. It signs nobody in. Start with New and
// Create for the rules, whose editable fields are one table in fields.go, and
// links.go for one-time links; NewDesk for the pages, NewAPI for the API.
package people

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/password"
	"github.com/portico-id/portico/internal/picture"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// Reasons of the faults, beside storage.ReasonEmailTaken,
// storage.ReasonUsernameTaken, storage.ReasonLastAdmin and password.ReasonWeak.
const (
	ReasonField   = "invalid_field" // the value does not fit the field
	ReasonNoField = "unknown_field" // there is no such field, or nobody can set it
	ReasonNoUser  = "user_not_found"
	ReasonThere   = "password_elsewhere" // a directory judges the user's password
	ReasonNoEvent = "event_not_found"
)

// Store is what people keep and look up.
type Store interface {
	storage.UserStore
	storage.UserGroupStore
	storage.OneTimeLinkStore
	storage.ImportStore
	storage.PortraitStore
	storage.CalledStore

	// Of storage.SCIMStore.
	FindSCIMOwners(ctx context.Context, ids []string) (map[string]storage.SCIMOwner, error)

	// Of storage.UpstreamStore.
	ListIdentities(ctx context.Context, userID string) ([]storage.UpstreamIdentity, error)
	FindUpstream(ctx context.Context, id string) (storage.Upstream, error)

	// Of storage.MailStore.
	PostMails(ctx context.Context, act storage.Act, kind string) error
	CountMails(ctx context.Context, to string, kinds []string, since time.Time, before int64) (int, error)

	// Of storage.LoginStore.
	ListSessions(ctx context.Context, userID string, now, idleSince time.Time) ([]storage.LoginSession, error)
	EndSession(ctx context.Context, act storage.Act, id string) error
	EndSessions(ctx context.Context, act storage.Act, userID, except string) error

	// Of storage.AuditStore.
	FindAudit(ctx context.Context, id int64) (storage.AuditEvent, error)
	SweepAudit(ctx context.Context, before time.Time, limit int, keep func([]storage.AuditEvent) error) (int, error)
	ListAudit(ctx context.Context, filter storage.AuditFilter, page storage.PageRequest) ([]storage.AuditEvent, string,
		error)
}

// SignUp says who may make an account.
type SignUp struct {
	Mode    string   // SignUpClosed, SignUpInvite or SignUpOpen; empty: closed
	Domains []string // whose addresses may be signed up with or invited; none: all
}

// Post makes mails of letters: provider/outbox.
type Post interface {
	// Mail returns the mail for the act that causes it.
	Mail(userID, to string, letter templates.Letter) storage.Mail

	// Delivers reports whether mails reach people.
	Delivers() bool
}

// Options is what People needs.
type Options struct {
	Store     Store
	Ambient   *ambient.Source
	Passwords *password.Hasher
	BaseURL   string // whose host no password may be, and of the links in mails; empty: not known
	Post      Post   // makes mails; nil: nobody is told anything
	SignUp    SignUp
	Pictures  *picture.Reader // nil: one of its own

	SessionIdle time.Duration // ends a sign-in that nobody used; 0: not known here
}

// People adds users and changes them. It is safe for concurrent use.
type People struct {
	store     Store
	ambient   *ambient.Source
	passwords *password.Hasher
	host      string
	baseURL   string
	post      Post
	signUp    SignUp
	pictures  *picture.Reader
	idle      time.Duration
}

// New returns a People over the store.
func New(options Options) *People {
	p := &People{
		store: options.Store, ambient: options.Ambient, passwords: options.Passwords,
		baseURL: options.BaseURL, post: options.Post, signUp: options.SignUp,
		pictures: options.Pictures, idle: options.SessionIdle,
	}
	if p.pictures == nil {
		p.pictures = picture.NewReader()
	}
	if base, err := url.Parse(options.BaseURL); err == nil {
		p.host = base.Hostname()
	}
	return p
}

// Newcomer is who is to be added.
type Newcomer struct {
	Email    string
	Name     string
	Username string // may be empty
	Password string // empty: none, so that only another way of signing in works
	Admin    bool   // server administrator

	EmailVerified bool      // the address is known to be theirs
	Settings      []Setting // further fields
}

// Create adds a user. The error is a fault.List of everything that is wrong,
// each entry with the field as its source, or Conflict when the address or the
// user name is taken.
func (p *People) Create(ctx context.Context, act storage.Act, newcomer Newcomer) (storage.User, error) {
	user, hash, err := p.prepare(ctx, act, newcomer)
	if err != nil {
		return storage.User{}, err
	}
	if err := p.store.CreateUser(ctx, act, user, hash); err != nil {
		return storage.User{}, named(err, user)
	}
	return user, nil
}

// prepare judges a newcomer and returns the user they become, with the hash of
// their password.
func (p *People) prepare(ctx context.Context, act storage.Act, newcomer Newcomer) (storage.User, string, error) {
	user := storage.User{ID: p.ambient.PersonID(), Admin: newcomer.Admin, CreatedAt: act.At, UpdatedAt: act.At}
	settings := append([]Setting{
		{FieldEmail, newcomer.Email}, {FieldName, newcomer.Name}, {FieldUsername, newcomer.Username},
	}, newcomer.Settings...)

	var faults fault.List
	faults.Add(apply(&user, settings))
	user.EmailVerified = user.EmailVerified || newcomer.EmailVerified
	hash, err := "", error(nil)
	if newcomer.Password != "" {
		faults.Add(p.checkPassword(newcomer.Password, user))
	}
	if err := faults.Err(); err != nil {
		return storage.User{}, "", err
	}
	if newcomer.Password != "" {
		hash, err = p.passwords.Hash(ctx, newcomer.Password)
	}
	return user, hash, err
}

// Find returns the user whose id, e-mail address or user name it is, disabled
// ones too, or NotFound.
func (p *People) Find(ctx context.Context, handle string) (storage.User, error) {
	if handle == "" {
		return storage.User{}, fault.New(fault.NotFound, ReasonNoUser,
			"Nobody is named: give an id, an e-mail address or a user name.")
	}
	user, err := p.store.FindUser(ctx, handle)
	if fault.Is(err, fault.NotFound) {
		user, _, err = p.store.FindUserByLogin(ctx, handle)
	}
	if fault.Is(err, fault.NotFound) {
		return storage.User{}, fault.Newf(fault.NotFound, ReasonNoUser,
			"There is no user with the id, e-mail address or user name %q.", handle).Because(err)
	}
	return user, err
}

// FindByID returns the user with the id, disabled ones too, or NotFound.
func (p *People) FindByID(ctx context.Context, id string) (storage.User, error) {
	user, err := p.store.FindUser(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return storage.User{}, fault.New(fault.NotFound, ReasonNoUser, "There is no such user.").Because(err)
	}
	return user, err
}

// List returns a page of the users that fit, by name.
func (p *People) List(ctx context.Context, filter storage.UserFilter,
	page storage.PageRequest) (storage.Listing[storage.User], error) {
	return p.store.ListUsers(ctx, filter, page)
}

// SetPassword replaces the user's password, which ends every sign-in except
// keepSession (may be empty) and every grant. NotFound, Invalid with
// password.ReasonWeak, or Conflict with ReasonThere.
func (p *People) SetPassword(ctx context.Context, act storage.Act, user storage.User, plain, keepSession string) error {
	if err := p.judgedHere(ctx, user); err != nil {
		return err
	}
	if err := p.checkPassword(plain, user); err != nil {
		return err
	}
	hash, err := p.passwords.Hash(ctx, plain)
	if err != nil {
		return err
	}
	return p.store.SetPassword(ctx, p.told(act, user, templates.LetterPasswordChanged), user.ID, hash, keepSession)
}

// judgedHere is a Conflict (ReasonThere) for somebody whose password a directory judges: one
// that is kept here would not let them in.
func (p *People) judgedHere(ctx context.Context, user storage.User) error {
	if user.Admin {
		return nil
	}
	mine, err := p.store.ListIdentities(ctx, user.ID)
	for _, identity := range mine {
		upstream, err := p.store.FindUpstream(ctx, identity.UpstreamID)
		if err == nil && upstream.Kind == storage.UpstreamLDAP {
			err = fault.Newf(fault.Conflict, ReasonThere, "The password is that of %s, and is changed there.",
				upstream.Name).At(FieldPassword)
		}
		if err != nil && !fault.Is(err, fault.NotFound) { // else it was deleted this moment
			return err
		}
	}
	return err
}

func (p *People) checkPassword(plain string, user storage.User) error {
	if err := password.Check(plain, user.Email, user.Username, p.host); err != nil {
		return fault.From(err).At(FieldPassword)
	}
	return nil
}

// named says which address or name is taken, and marks its field; or who the
// last administrator is.
func named(err error, user storage.User) error {
	switch {
	case fault.HasReason(err, storage.ReasonEmailTaken):
		return fault.Newf(fault.Conflict, storage.ReasonEmailTaken, "Another user has the e-mail address %s.",
			user.Email).At(FieldEmail).Because(err)
	case fault.HasReason(err, storage.ReasonUsernameTaken):
		return fault.Newf(fault.Conflict, storage.ReasonUsernameTaken, "Another user has the user name %s.",
			user.Username).At(FieldUsername).Because(err)
	case fault.HasReason(err, storage.ReasonLastAdmin):
		return fault.Newf(fault.Conflict, storage.ReasonLastAdmin,
			"%s is the only administrator who can sign in. Make somebody else an administrator first.", user.Email).Because(err)
	}
	return err
}

// trimmed is what a person meant to type.
func trimmed(s string) string { return strings.TrimSpace(s) }

// mailed returns the act with a mail to an address of the user.
func (p *People) mailed(act storage.Act, user storage.User, to string, letter templates.Letter) storage.Act {
	if p.post == nil {
		return act
	}
	act.Mails = append(act.Mails[:len(act.Mails):len(act.Mails)], p.mail(act, user, to, letter))
	return act
}

// mail is a letter to the user, as what the act has sent.
func (p *People) mail(act storage.Act, user storage.User, to string, letter templates.Letter) storage.Mail {
	letter.Name, letter.At, letter.Languages, letter.Zone = user.Title(), act.At, act.LanguagesOf(user), user.Profile.Zone
	letter.Email = cmp.Or(letter.Email, user.Email)
	return p.post.Mail(user.ID, to, letter)
}

// told returns the act with a notice to the user of what it does.
func (p *People) told(act storage.Act, user storage.User, kind string) storage.Act {
	return p.mailed(act, user, user.Email, templates.Letter{Kind: kind})
}

// Delivers reports whether mails reach people.
func (p *People) Delivers() bool { return p.post != nil && p.post.Delivers() }
