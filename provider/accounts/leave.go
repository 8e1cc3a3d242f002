package accounts

import (
	"context"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Reasons why somebody can't delete their account yet.
const (
	ReasonOwnsApps  = "owns_apps"
	ReasonDirectory = "directory_account"
)

// Leaving is what a person must know before they delete their account.
type Leaving struct {
	Apps      []storage.Client // that nobody else manages: somebody must, or they are deleted first
	Heirs     []Heir
	Directory string // that the account comes from, and where it ends; empty: none
	LastAdmin bool   // nobody would be left to administrate the server
}

// Heir is who owns an app when its owner goes.
type Heir struct {
	App  storage.Client
	Name string
}

// Blocked reports whether something must be done first.
func (l Leaving) Blocked() bool { return len(l.Apps) > 0 || l.Directory != "" || l.LastAdmin }

// Leaving returns what is to be said to the person.
func (a *Accounts) Leaving(ctx context.Context, user storage.User) (Leaving, error) {
	l := Leaving{Directory: user.Profile.LDAPDomain}
	if user.Admin {
		admins, err := a.with.Store.CountAdmins(ctx)
		if err != nil {
			return l, err
		}
		l.LastAdmin = admins <= 1
	}
	var owned []storage.Client
	err := a.eachClient(ctx, storage.ClientFilter{Owner: user.ID}, func(c storage.Client) error {
		owned = append(owned, c)
		return nil
	})
	if err != nil {
		return l, err
	}
	heirs, err := a.heirs(ctx, owned)
	for _, c := range owned {
		if heir, found := heirs[c.ID]; found {
			l.Heirs = append(l.Heirs, Heir{c, heir.Title()})
		} else {
			l.Apps = append(l.Apps, c)
		}
	}
	return l, err
}

// heirs returns who manages the apps for longest beside their owner, by the ids of the apps.
func (a *Accounts) heirs(ctx context.Context, owned []storage.Client) (map[string]storage.ClientMember, error) {
	first := map[string]storage.ClientMember{}
	for some := range slices.Chunk(owned, storage.MaxPage) {
		ids := make([]string, len(some))
		for i, c := range some {
			ids[i] = c.ID
		}
		members, err := a.with.Store.ListClientMembers(ctx, ids...)
		if err != nil {
			return nil, err
		}
		for _, m := range members {
			if _, found := first[m.ClientID]; !found {
				first[m.ClientID] = m
			}
		}
	}
	return first, nil
}

func (a *Accounts) eachClient(ctx context.Context, filter storage.ClientFilter, do func(storage.Client) error) error {
	for after, more := "", true; more; {
		page, err := a.with.Store.ListClients(ctx, filter, storage.PageRequest{After: after})
		if err != nil {
			return err
		}
		for _, c := range page.Rows {
			if err := do(c); err != nil {
				return err
			}
		}
		after, more = page.Next, page.Next != ""
	}
	return nil
}

// Leave deletes the person's own account. Conflict with ReasonOwnsApps,
// ReasonDirectory or storage.ReasonLastAdmin.
func (a *Accounts) Leave(ctx context.Context, act storage.Act, user storage.User) error {
	l, err := a.Leaving(ctx, user)
	switch {
	case err != nil:
		return err
	case l.Directory != "":
		return fault.Newf(fault.Conflict, ReasonDirectory,
			"Your account comes from the directory %s: ask there to have it ended.", l.Directory)
	case len(l.Apps) > 0:
		return fault.New(fault.Conflict, ReasonOwnsApps,
			"You own apps that nobody else manages. Let somebody else manage them, or delete them first.")
	}
	return a.with.People.Delete(ctx, act, user, false)
}
