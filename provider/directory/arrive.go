package directory

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/storage"
)

// arrive returns who signs in whose password the directory took: by their identity
// alone, and where the directory may say so as somebody new.
func (d directory) arrive(ctx context.Context, who person) (websession.SignIn, error) {
	if who.disabled {
		return websession.SignIn{}, errWrong
	}
	known, err := d.with.Store.FindDirectoryPeople(ctx, d.ID, d.config.Subject, []string{who.subject})
	if err != nil {
		return websession.SignIn{}, err
	}
	var before *storage.DirectoryPerson
	if len(known) > 0 {
		before = &known[0]
	}
	identity, _, err := d.meet(ctx, who, before, d.config.Join != JoinOff)
	if before != nil && unfit(err) { // they are who they were
		d.with.Log.WarnContext(ctx, "what a directory says of somebody does not go here", "directory", d.ID, "cause", err)
		err = nil
	}
	if err != nil {
		return websession.SignIn{}, err
	}
	user, err := d.with.Store.FindUser(ctx, identity.UserID)
	if err != nil {
		return websession.SignIn{}, err
	}
	if user.Disabled {
		return websession.SignIn{}, errWrong
	}
	identity.Email, identity.LastAt = who.email, d.with.Ambient.Now()
	if err := d.with.Store.NoteIdentity(ctx, identity); err != nil {
		return websession.SignIn{}, err
	}
	if err := d.meetGroups(ctx, who, user.ID); err != nil { // what it could not tell changes nothing
		d.with.Log.WarnContext(ctx, "a directory does not tell somebody's groups", "directory", d.ID, "error", err)
	}
	return websession.SignIn{User: user, ACR: storage.ACRPassword, AMR: []string{"pwd"},
		Proof: storage.Proof{Upstream: identity}}, nil
}

// said is what is kept of an entry to tell whether it has changed.
func (d directory) said(p person) []byte {
	text, _ := json.Marshal([]any{p.email, p.verified, p.fields, d.config.domain()}) // strings and booleans
	sum := sha256.Sum256(text)
	document, _ := json.Marshal(map[string]string{"dn": p.dn, "digest": hex.EncodeToString(sum[:])})
	return document
}

// meet makes of the person here what the directory says, and reports whether that was a
// change. errNoAccount for somebody who is not known and does not become a user.
func (d directory) meet(ctx context.Context, p person, before *storage.DirectoryPerson,
	joins bool) (storage.UpstreamIdentity, bool, error) {
	if before == nil {
		identity, err := d.join(ctx, p, joins)
		return identity, err == nil, err
	}
	identity, document := before.UpstreamIdentity, d.said(p)
	returns, leaves := !before.EndedAt.IsZero() && !p.disabled, before.EndedAt.IsZero() && p.disabled
	changed := before.Owned && (before.Active == p.disabled || !p.disabled && !bytes.Equal(before.Document, document))
	if changed {
		err := d.update(ctx, before.UserID, func(user *storage.SCIMUser) error {
			if user.Active = !p.disabled; p.disabled {
				return nil // who leaves leaves, whatever else their entry says
			}
			user.Document = document
			return d.apply(&user.User, p)
		})
		if err != nil {
			return identity, false, err
		}
	}
	switch {
	case leaves:
		return identity, true, d.with.Store.EndIdentity(ctx, d.act(), identity)
	case returns:
		return identity, true, d.with.Store.NoteIdentity(ctx, identity)
	}
	return identity, changed, nil
}

// update changes somebody who is the directory's. Administrators of the server are left
// as they are.
func (d directory) update(ctx context.Context, userID string, change func(*storage.SCIMUser) error) error {
	_, err := d.with.Store.UpdateSCIMUser(ctx, d.act(), d.ID, userID,
		func(user storage.SCIMUser) (storage.SCIMUser, error) {
			err := change(&user)
			return user, err
		})
	if fault.HasReason(err, storage.ReasonUntouchable) {
		return nil
	}
	return err
}

// leave ends whom the directory does not know any more.
func (d directory) leave(ctx context.Context, gone storage.DirectoryPerson) error {
	if gone.Owned {
		err := d.update(ctx, gone.UserID, func(user *storage.SCIMUser) error {
			user.Active = false
			return nil
		})
		if err != nil {
			return err
		}
	}
	return d.with.Store.EndIdentity(ctx, d.act(), gone.UpstreamIdentity)
}

// join makes a user of the person. An account that has the address stays its owner's,
// unless the directory vouches for the address and the administrator lets it have such
// accounts, or whose they are sign in by it alone: they could not say here that one is
// theirs. Those of administrators never become a directory's.
func (d directory) join(ctx context.Context, p person, joins bool) (storage.UpstreamIdentity, error) {
	identity := storage.UpstreamIdentity{UpstreamID: d.ID, Issuer: d.config.Subject, Subject: p.subject,
		Email: p.email, LinkedAt: d.with.Ambient.Now()}
	if !joins || p.disabled {
		return identity, errNoAccount
	}
	user, err := d.newcomer(p, d.with.Ambient.PersonID())
	if err != nil {
		return identity, errNoAccount.Because(err)
	}
	takes := p.verified && (d.config.Link == LinkVerified || claims(d.Upstream, p.email))
	made, err := d.with.Store.CreateSCIMUser(ctx, d.act(), user, takes)
	if fault.HasReason(err, storage.ReasonTaken) {
		made, err = d.same(ctx, p)
	}
	if err != nil {
		return identity, errNoAccount.Because(err)
	}
	identity.UserID = made.ID
	err = d.with.Store.LinkIdentity(ctx, d.act(), identity)
	if fault.Is(err, fault.NotFound) { // the account is disabled here
		err = errNoAccount.Because(err)
	}
	return identity, err
}

// newcomer is the user of the id, new or there already, as the directory's.
func (d directory) newcomer(p person, id string) (storage.SCIMUser, error) {
	now := d.with.Ambient.Now()
	user := storage.SCIMUser{
		SCIMResource: storage.SCIMResource{ConnectionID: d.ID, ExternalID: p.subject, CreatedAt: now, UpdatedAt: now},
		UserName:     p.subject, Active: !p.disabled, Document: d.said(p), // names are given to others one day
		User: storage.User{ID: id, CreatedAt: now, UpdatedAt: now},
	}
	return user, d.apply(&user.User, p)
}

// same finds whom another sign-in, or a walk, has made of the person meanwhile.
func (d directory) same(ctx context.Context, p person) (storage.SCIMUser, error) {
	all, _, err := d.with.Store.ListSCIMUsers(ctx, d.ID,
		storage.SCIMFilter{Field: storage.SCIMExternalID, Op: storage.OpEqual, Value: p.subject}, storage.SCIMPage{Limit: 1})
	if err == nil && len(all) == 0 {
		err = errors.New("an account has the address already")
	}
	if err != nil {
		return storage.SCIMUser{}, err
	}
	return all[0], nil
}
