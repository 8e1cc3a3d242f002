package apps

import (
	"context"
	"net/mail"
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/pattern"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// Post makes mails of letters: provider/outbox.
type Post interface {
	Mail(userID, to string, letter templates.Letter) storage.Mail
}

// InvitationLife is how long an invitation to manage an app can be accepted.
const InvitationLife = 7 * 24 * time.Hour

// Reasons of the faults of invitations.
const (
	ReasonInvitee         = "invitee_invalid"
	ReasonInvitationsFull = "invitations_full"
	ReasonNoInvitation    = "invitation_not_found"
)

// maxInvitations bounds how many invitations to one app wait: each is a mail to
// somebody who may not know of us.
const maxInvitations = 50

// Inviter is who invites: a person, or the operator, who has no id.
type Inviter struct{ UserID, Title string }

// Invite asks whoever has the address or the user name to manage the client. What
// it does and answers is the same whoever that is, and whether there is anybody:
// nobody learns here who has an account, nor what they are called, before they
// accept.
func (a *Apps) Invite(ctx context.Context, act storage.Act, client storage.Client, by Inviter,
	login string) (storage.ClientInvitation, error) {
	i := storage.ClientInvitation{
		ID: a.ambient.UID(), ClientID: client.ID, App: client.Name, Invitee: strings.TrimSpace(login),
		InvitedBy: by.UserID, Inviter: by.Title, CreatedAt: act.At, ExpiresAt: act.At.Add(InvitationLife),
	}
	if err := a.checkInvitee(ctx, act, client, i.Invitee); err != nil {
		return i, err
	}
	user, err := a.whoHas(ctx, i.Invitee)
	if err != nil {
		return i, err
	}
	i.UserID = user.ID
	return i, named(a.store.InviteClientMember(ctx, a.invitedByMail(act, i), i), client.ID)
}

// userName is what user names are made of.
var userName = pattern.Of(`^[A-Za-z0-9._-]{3,64}$`)

// maxAddress is how long an address can be.
const maxAddress = 320

// canInvite reports whether the text can be an address or a user name.
func canInvite(login string) bool {
	if !strings.Contains(login, "@") {
		return userName().MatchString(login)
	}
	address, err := mail.ParseAddress(login)
	return err == nil && address.Address == login && len(login) <= maxAddress
}

// checkInvitee is a fault for what nobody is called, for who manages the app
// already, as its page shows, and where too many wait.
func (a *Apps) checkInvitee(ctx context.Context, act storage.Act, client storage.Client, login string) error {
	if !canInvite(login) {
		return fault.New(fault.Invalid, ReasonInvitee, "This is neither an e-mail address nor a user name.").At(FieldMember)
	}
	managers, err := a.Managers(ctx, client)
	if err != nil {
		return err
	}
	same := func(text string) bool { return textkey.Fold(text) == textkey.Fold(login) }
	if slices.ContainsFunc(managers, func(m Manager) bool { return same(m.Email) }) {
		return fault.New(fault.Invalid, ReasonIsOwner, "They manage the app already.").At(FieldMember)
	}
	waiting, err := a.Invitations(ctx, client.ID, act.At)
	if err != nil {
		return err
	}
	again := slices.ContainsFunc(waiting, func(i storage.ClientInvitation) bool { return same(i.Invitee) })
	if len(waiting) >= maxInvitations && !again {
		return fault.New(fault.Conflict, ReasonInvitationsFull,
			"Too many invitations to this app wait for an answer. Withdraw one first.").At(FieldMember)
	}
	return nil
}

// whoHas returns who has the user name; nobody for an address, which belongs to
// whoever shows so, and for a name that nobody has.
func (a *Apps) whoHas(ctx context.Context, login string) (storage.User, error) {
	if strings.Contains(login, "@") {
		return storage.User{}, nil
	}
	user, _, err := a.store.FindUserByLogin(ctx, login)
	if fault.Is(err, fault.NotFound) || err == nil && user.Disabled {
		return storage.User{}, nil
	}
	return user, err
}

// invitedByMail returns the act with the mail to who is invited. Who has a user
// name is found out when it is sent: here that would tell by its time.
func (a *Apps) invitedByMail(act storage.Act, i storage.ClientInvitation) storage.Act {
	if a.post == nil {
		return act
	}
	act.Mails = append(slices.Clip(act.Mails), a.post.Mail("", i.Invitee, templates.Letter{
		Kind: templates.LetterAppInvitation, Name: i.Invitee, Email: i.Invitee,
		By: i.Inviter, App: i.App, Until: i.ExpiresAt, Languages: act.Languages,
	}))
	return act
}

// Invitations returns those to the client that wait at now.
func (a *Apps) Invitations(ctx context.Context, clientID string, now time.Time) ([]storage.ClientInvitation, error) {
	return a.store.ListClientInvitations(ctx, clientID, now)
}

// InvitationsOf returns those that the person can accept at now.
func (a *Apps) InvitationsOf(ctx context.Context, userID string, now time.Time) ([]storage.ClientInvitation, error) {
	return a.store.ListInvitationsOf(ctx, userID, now)
}

// Accept lets the person manage the app to which they are invited. NotFound for an
// invitation of somebody else, and one that is over.
func (a *Apps) Accept(ctx context.Context, act storage.Act, id, userID string) error {
	return noInvitation(a.store.AcceptClientInvitation(ctx, act, id, userID))
}

// Decline ends such an invitation.
func (a *Apps) Decline(ctx context.Context, act storage.Act, id, userID string) error {
	return noInvitation(a.store.DeclineClientInvitation(ctx, act, id, userID))
}

// Uninvite takes an invitation to the client back. NotFound.
func (a *Apps) Uninvite(ctx context.Context, act storage.Act, clientID, id string) error {
	return noInvitation(a.store.DeleteClientInvitation(ctx, act, clientID, id))
}

func noInvitation(err error) error {
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	return fault.New(fault.NotFound, ReasonNoInvitation, "This invitation is over, or it is not for you.")
}
