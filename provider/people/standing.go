package people

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// Change says what of a user is to be different.
type Change struct {
	Settings []Setting // in order; the last one of a field counts
	Admin    *bool     // nil: stays, as the next
	Disabled *bool     // it ends all that is theirs, too, as Disable does

	// Force allows the last enabled administrator to stop being one.
	Force bool
}

// Update applies the change to the user and returns them as they are then.
// Errors as Create, NotFound, and Conflict with ReasonLastAdmin. A new address
// is unverified unless the change says otherwise. What somebody else changes at the
// same moment stays: the change is applied anew to what they made, a few times.
func (p *People) Update(ctx context.Context, act storage.Act, id string, change Change) (user storage.User, err error) {
	for range mostTries {
		user, err = p.update(ctx, act, id, change)
		if !fault.HasReason(err, storage.ReasonChanged) {
			break
		}
	}
	return user, err
}

const mostTries = 10

func (p *People) update(ctx context.Context, act storage.Act, id string, change Change) (storage.User, error) {
	before, err := p.Find(ctx, id)
	if err != nil {
		return storage.User{}, err
	}
	after := before
	if err := apply(&after, change.Settings); err != nil {
		return storage.User{}, err
	}
	act.Force = change.Force
	if after.Email != before.Email {
		act = p.mailed(act, before, before.Email, templates.Letter{Kind: templates.LetterAddressChanged, Email: after.Email})
	}
	if err := p.store.PatchUser(ctx, act, after, change.Admin, change.Disabled); err != nil {
		return storage.User{}, named(err, after)
	}
	return p.FindByID(ctx, before.ID)
}

// Disable keeps the user from signing in and ends their tokens and sign-ins
// within a second. NotFound; Conflict with ReasonLastAdmin unless forced.
func (p *People) Disable(ctx context.Context, act storage.Act, user storage.User, force bool) error {
	act.Force = force
	return named(p.store.SetUserDisabled(ctx, act, user.ID, true), user)
}

// Enable lets the user sign in again; what ended does not come back. NotFound.
func (p *People) Enable(ctx context.Context, act storage.Act, user storage.User) error {
	return p.store.SetUserDisabled(ctx, act, user.ID, false)
}

// Delete removes the user with everything that is theirs, and tells them. Errors as
// Disable.
func (p *People) Delete(ctx context.Context, act storage.Act, user storage.User, force bool) error {
	act.Force = force
	return named(p.store.DeleteUser(ctx, p.told(act, user, templates.LetterAccountDeleted), user.ID), user)
}
