package facilities

import (
	"context"
	"slices"
	"strings"

	"github.com/portico-id/portico/dataapi/setup"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// accesses are the words for what members may do, in the order of the accesses
// (decision W4).
func accesses() []string { return []string{"None", "Read", "ReadWrite", "Manage", "Owner"} }

// AccessName returns the word for an access.
func AccessName(access storage.TwinAccess) string { return accesses()[access] }

// ParseAccess returns the access with the name, whatever its case; empty means
// Read. Invalid, with the field.
func ParseAccess(name string) (storage.TwinAccess, error) {
	if name == "" {
		return storage.TwinRead, nil
	}
	i := slices.IndexFunc(accesses(), func(other string) bool { return strings.EqualFold(name, other) })
	if i < int(storage.TwinRead) {
		return storage.TwinNone, setup.Invalid(FieldAccess,
			"The access must be one of "+strings.Join(accesses()[1:], ", ")+".")
	}
	return storage.TwinAccess(i), nil
}

// SetMember gives access to a user or service account, or changes it. Who is no
// member of the hub becomes one. NotFound.
func (a *Rules) SetMember(ctx context.Context, change storage.Change, twinID, userID string,
	access storage.TwinAccess) error {
	err := a.store.SetTwinMember(ctx, change, twinID, userID, access)
	if fault.HasReason(err, storage.ReasonUserAbsent) {
		return fault.From(err).At(FieldUser)
	}
	return fault.OrAbsent(err, FieldTwin)
}

// RemoveMember takes the access away. NotFound.
func (a *Rules) RemoveMember(ctx context.Context, change storage.Change, twinID, userID string) error {
	return fault.OrAbsent(a.store.RemoveTwinMember(ctx, change, twinID, userID), "member")
}

// SetMemberBy is SetMember for a power. Who does not administer the hub gives
// access to its members only: others don't exist for them. Forbidden for who
// would make or unmake an owner without being one.
func (a *Rules) SetMemberBy(ctx context.Context, by Power, change storage.Change, twin storage.Facility, userID string,
	access storage.TwinAccess) error {
	if by < Everyone {
		if err := setup.CheckMember(ctx, a.store, twin.HubID, userID); err != nil {
			return err
		}
	}
	if err := a.mayTouch(ctx, by, twin, userID, access); err != nil {
		return err
	}
	return a.SetMember(ctx, change, twin.ID, userID, access)
}

// RemoveMemberBy is RemoveMember for a power.
func (a *Rules) RemoveMemberBy(ctx context.Context, by Power, change storage.Change,
	twin storage.Facility, userID string) error {
	if err := a.mayTouch(ctx, by, twin, userID, storage.TwinNone); err != nil {
		return err
	}
	return a.RemoveMember(ctx, change, twin.ID, userID)
}

// mayTouch refuses who would make or unmake an owner without being one.
func (a *Rules) mayTouch(ctx context.Context, by Power, twin storage.Facility, userID string,
	access storage.TwinAccess) error {
	if by >= Owning {
		return nil
	}
	place, err := a.store.FindFacility(ctx, storage.Caller{UserID: userID}, twin.ID)
	if err != nil {
		return fault.OrAbsent(err, FieldTwin)
	}
	if access == storage.TwinOwner || place.Member == storage.TwinOwner {
		return fault.New(fault.Forbidden, "no_permission", "Only an owner may say who is an owner.").At(FieldAccess)
	}
	return nil
}

// Member is a member with what they are called.
type Member struct {
	storage.TwinMember
	Name string // may be empty
}

// PageMembers returns a page of members by id, and the next cursor.
func (a *Rules) PageMembers(ctx context.Context, twinID string, page storage.PageRequest) ([]Member, string, error) {
	found, next, err := a.store.ListTwinMembers(ctx, twinID, page)
	if err != nil {
		return nil, "", err
	}
	ids, members := make([]string, len(found)), make([]Member, len(found))
	for i, m := range found {
		ids[i], members[i].TwinMember = m.UserID, m
	}
	names, err := a.store.ListNames(ctx, ids)
	for i := range members {
		members[i].Name = names[members[i].UserID]
	}
	return members, next, err
}

// ListMembers returns all members by id. NotFound for an absent facility.
func (a *Rules) ListMembers(ctx context.Context, twinID string) ([]Member, error) {
	if _, err := a.Find(ctx, twinID); err != nil {
		return nil, err
	}
	return storage.EveryPage(func(page storage.PageRequest) ([]Member, string, error) {
		return a.PageMembers(ctx, twinID, page)
	})
}

// CreateModel adds a model. Invalid, with the field; NotFound.
func (a *Rules) CreateModel(ctx context.Context, change storage.Change, twinID,
	label string) (storage.TwinModel, error) {
	label, err := setup.Name(label, FieldLabel)
	if err != nil {
		return storage.TwinModel{}, err
	}
	model := storage.TwinModel{ID: a.ambient.UID(), Label: label, CreatedAt: change.At}
	return model, fault.OrAbsent(a.store.CreateModel(ctx, change, twinID, model), FieldTwin)
}

// ListModels returns the facility's models, the default one first. NotFound.
func (a *Rules) ListModels(ctx context.Context, twinID string) ([]storage.TwinModel, error) {
	if _, err := a.Find(ctx, twinID); err != nil {
		return nil, err
	}
	return a.store.ListModels(ctx, twinID)
}
