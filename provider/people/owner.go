package people

import (
	"context"
	"slices"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// Owner returns the company that sent the user or the group, and alone changes what
// came from it; false: none.
func (p *People) Owner(ctx context.Context, id string) (storage.SCIMOwner, bool, error) {
	owners, err := p.store.FindSCIMOwners(ctx, []string{id})
	owner, owned := owners[id]
	return owner, owned, err
}

// ownerFact tells on a page whose somebody is.
func ownerFact(owner storage.SCIMOwner) templates.Fact {
	return templates.Fact{Label: texts.Say("connections.managed"), Text: texts.Own(owner.Name)}
}

// fixOwned lets what is the company's alone be read only in a form, and returns what is
// said above it: why, or what is said otherwise.
func (p *People) fixOwned(ctx context.Context, form *templates.Form, userID string,
	otherwise texts.Text) (texts.Text, error) {
	owner, owned, err := p.Owner(ctx, userID)
	if err != nil || !owned {
		return otherwise, err
	}
	for i := range form.Inputs {
		form.Inputs[i].Fixed = form.Inputs[i].Fixed || isOwned(form.Inputs[i].Name)
	}
	return texts.Say("connections.managed-lead", "Name", owner.Name), nil
}

// isOwned reports whether the field of a person whom a company sent is its alone.
func isOwned(name string) bool {
	var user storage.User
	owned := user.Owned()
	return slices.ContainsFunc(fields[:], func(f field) bool {
		return f.name == name && f.at != nil && slices.Contains(owned, f.at(&user))
	})
}
