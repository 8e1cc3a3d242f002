package administration

import (
	"context"

	"github.com/portico-id/portico/dataapi/setup"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Membership is of a hub or of a project: one of the two ids is set.
type Membership struct {
	HubID     string
	ProjectID string
	UserID    string
	Admin     bool
}

// Roles of members.
const (
	roleAdmin  = "admin"
	roleMember = "member"
)

// ParseRole reports whether the role is that of an administrator; empty means
// member. Invalid, with the field.
func ParseRole(name string) (admin bool, err error) {
	if name != "" && name != roleAdmin && name != roleMember {
		return false, setup.Invalid(FieldRole, "The role must be admin or member.")
	}
	return name == roleAdmin, nil
}

// RoleName returns the word for a role.
func RoleName(admin bool) string {
	if admin {
		return roleAdmin
	}
	return roleMember
}

// SetMember adds the user or changes their role. A member of a project is one
// of its hub, too. NotFound; Conflict for a service account as an administrator
// (decision SA11).
func (a *Rules) SetMember(ctx context.Context, change storage.Change, m Membership) error {
	if err := a.mayBe(ctx, m); err != nil {
		return err
	}
	if m.ProjectID != "" {
		return a.member(a.store.SetProjectMember(ctx, change, m.ProjectID, m.UserID, m.Admin), FieldProject)
	}
	return a.member(a.store.SetHubMember(ctx, change, m.HubID, m.UserID, m.Admin), FieldHub)
}

// mayBe refuses machines as administrators. Who does not exist is the store's
// to say.
func (a *Rules) mayBe(ctx context.Context, m Membership) error {
	if !m.Admin {
		return nil
	}
	_, err := a.store.FindServiceAccount(ctx, m.UserID)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return fault.New(fault.Conflict, "service_account", "A service account is never an administrator.").At(FieldRole)
}

func (a *Rules) member(err error, where string) error {
	if fault.HasReason(err, storage.ReasonUserAbsent) {
		return atField(err)
	}
	return fault.OrAbsent(err, where)
}

// RemoveMember takes the user out, with the rights they were given there.
// NotFound when they are none.
func (a *Rules) RemoveMember(ctx context.Context, change storage.Change, m Membership) error {
	if m.ProjectID != "" {
		return fault.OrAbsent(a.store.RemoveProjectMember(ctx, change, m.ProjectID, m.UserID), "member")
	}
	return fault.OrAbsent(a.store.RemoveHubMember(ctx, change, m.HubID, m.UserID), "member")
}

// ListMembers returns the members, ordered by id. NotFound for an absent hub or
// project.
func (a *Rules) ListMembers(ctx context.Context, m Membership) ([]storage.Member, error) {
	if err := a.CheckPlace(ctx, m); err != nil {
		return nil, err
	}
	return storage.EveryPage(func(page storage.PageRequest) ([]storage.Member, string, error) {
		return a.PageMembers(ctx, m, page)
	})
}

// CheckPlace returns NotFound when there is no such hub or project.
func (a *Rules) CheckPlace(ctx context.Context, m Membership) (err error) {
	if m.ProjectID != "" {
		_, err = a.FindProject(ctx, m.ProjectID)
	} else {
		_, err = a.FindHub(ctx, m.HubID)
	}
	return err
}

// PageMembers returns a page of what ListMembers returns, none of an absent hub
// or project, and the next cursor.
func (a *Rules) PageMembers(ctx context.Context, m Membership,
	page storage.PageRequest) ([]storage.Member, string, error) {
	if m.ProjectID != "" {
		return a.store.ListProjectMembers(ctx, m.ProjectID, page)
	}
	return a.store.ListHubMembers(ctx, m.HubID, page)
}

// FindMember returns the member, or NotFound.
func (a *Rules) FindMember(ctx context.Context, m Membership) (member storage.Member, err error) {
	if m.ProjectID != "" {
		member, err = a.store.FindProjectMember(ctx, m.ProjectID, m.UserID)
	} else {
		member, err = a.store.FindHubMember(ctx, m.HubID, m.UserID)
	}
	return member, fault.OrAbsent(err, "member")
}
