package directory

import (
	"cmp"
	"context"
	"errors"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Connect makes the account of the user that of the one whom the directory knows by the
// name: from then on it is the directory's, but for an administrator's, who is only known
// by it. It is the administrator who acts that proves that they are one person, also where
// their entry was removed and made anew. NotFound;
// Conflict (storage.ReasonIdentityTaken, storage.ReasonTaken).
func (d *Directories) Connect(ctx context.Context, act storage.Act, id, login, userID string) error {
	one, err := d.find(ctx, id)
	if err != nil {
		return err
	}
	who, found, err := one.find(ctx, login)
	if err != nil {
		return err
	}
	if !found {
		return fault.New(fault.NotFound, "nobody_there", "The directory knows nobody, or several, by this name.")
	}
	identity := storage.UpstreamIdentity{UpstreamID: one.ID, Issuer: one.config.Subject, Subject: who.subject,
		UserID: userID, Email: who.email, LinkedAt: act.At}
	if err := one.again(ctx, act, who, identity); err != nil {
		return err
	}
	if err := d.with.Store.LinkIdentity(ctx, act, identity); err != nil {
		return err
	}
	if err := one.own(ctx, act, who, userID); err != nil {
		act.Force = true
		return errors.Join(err, d.with.Store.UnlinkIdentity(ctx, act, identity))
	}
	return nil
}

// again makes an account that is the directory's already that of another entry: it is let in
// again, and by the entry of before no more.
func (d directory) again(ctx context.Context, act storage.Act, p person, to storage.UpstreamIdentity) error {
	mine, _, err := d.with.Store.ListSCIMUsers(ctx, d.ID,
		storage.SCIMFilter{Field: storage.SCIMID, Op: storage.OpEqual, Value: to.UserID}, storage.SCIMPage{Limit: 1})
	if err != nil || len(mine) == 0 || mine[0].ExternalID == p.subject {
		return err
	}
	known, err := d.with.Store.FindDirectoryPeople(ctx, d.ID, d.config.Subject, []string{p.subject})
	if err != nil || len(known) > 0 { // whose it is decides
		return err
	}
	err = d.update(ctx, to.UserID, func(user *storage.SCIMUser) error {
		user.ExternalID, user.UserName, user.Document, user.Active = p.subject, p.subject, d.said(p), !p.disabled
		return d.apply(&user.User, p)
	})
	if err != nil {
		return err
	}
	before, err := d.with.Store.ListIdentities(ctx, to.UserID)
	act.Force = true
	for _, one := range before {
		if one.UpstreamID == d.ID {
			err = errors.Join(err, d.with.Store.UnlinkIdentity(ctx, act, one))
		}
	}
	return err
}

// own makes a user here the directory's, with the address that they have where another
// account has that of their entry. Who is a company's by SCIM stays its.
func (d directory) own(ctx context.Context, act storage.Act, p person, userID string) error {
	user, err := d.with.Store.FindUser(ctx, userID)
	if err != nil || user.Admin {
		return err
	}
	known, err := d.with.Store.FindDirectoryPeople(ctx, d.ID, d.config.Subject, []string{p.subject})
	if err != nil || len(known) == 1 && known[0].Owned {
		return err
	}
	for _, p.email = range []string{cmp.Or(p.email, user.Email), user.Email} {
		newcomer, err := d.newcomer(p, userID)
		if err == nil {
			_, err = d.with.Store.CreateSCIMUser(ctx, act, newcomer, true)
		}
		if !fault.HasReason(err, storage.ReasonTaken) {
			return err
		}
	}
	return nil
}
