// Package administration is the rules of setting up the data half: hubs and
// projects, who belongs to them, which apps may enter, who may do what in which
// folder, and what becomes of reservations and of what was hidden long ago; and
// the operations under /admin/v1/hubs and /admin/v1/projects that do it.
//
// The command line and the operations go through the same rules. The endpoints
// that clients read are package dataapi's. Start at Rules; at authority.go for
// who administers what; at API for the operations.
package administration

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/dataapi/setup"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Store is what Rules keep and looks up.
type Store interface {
	storage.HubStore
	storage.ProjectStore
	storage.MemberStore
	storage.GroupStore
	storage.AppAccessStore
	storage.AccessStore
	storage.BulkStore
	BreakReservation(ctx context.Context, change storage.Change, projectID, itemID string) (storage.ItemWithTip, error)
	ListReservations(ctx context.Context, projectID string, now time.Time,
		page storage.PageRequest) ([]storage.Item, string, error)
	SetLimits(ctx context.Context, change storage.Change, projectID string, limits storage.Limits) error
	FindLimits(ctx context.Context, projectID string) (storage.Limits, error)
	PurgeHidden(ctx context.Context, change storage.Change, projectID string, before time.Time, limit int) (int, error)
	FindFolder(ctx context.Context, caller storage.Caller, projectID,
		folderID string) (storage.Place, storage.Folder, error)
	ListContents(ctx context.Context, projectID, folderID string, query storage.ContentsQuery,
		page storage.DataPage) (storage.Contents, error)
	ListTopFolders(ctx context.Context, place storage.Place, q storage.TopQuery) ([]storage.Folder, error)
	ListEvents(ctx context.Context, query storage.EventQuery, page storage.PageRequest) ([]storage.Event, string, error)
	ListNames(ctx context.Context, ids []string) (map[string]string, error)

	FindUser(ctx context.Context, id string) (storage.User, error)
	FindUserByLogin(ctx context.Context, login string) (storage.User, string, error)
	FindServiceAccount(ctx context.Context, id string) (storage.ServiceAccount, error)
}

// Options are what Rules are made of.
type Options struct {
	Store     Store
	Ambient   *ambient.Source
	Namespace string // of URNs and extension types
}

// Rules are those of setting up hubs: who belongs to them, which
// apps may enter, and who may do what in which folder. It acts for whoever the
// change names; that they may is for its callers to know. It is safe for
// concurrent use.
type Rules struct {
	store   Store
	ambient *ambient.Source
	urn     urn.Space
}

// New returns Rules.
func New(o Options) *Rules {
	return &Rules{store: o.Store, ambient: o.Ambient, urn: urn.Space(o.Namespace)}
}

// Fields of what is set up, as the sources of faults.
const (
	FieldName    = "name"
	FieldRegion  = "region"
	FieldUser    = "user"
	FieldGroup   = "group"
	FieldFolder  = "folder"
	FieldHub     = "hub"
	FieldProject = "project"
	FieldLevel   = "level"
	FieldUsers   = "users"
	FieldClient  = "client"
	FieldItem    = "item"
	FieldRole    = "role"
	FieldDays    = "hidden_days"
	FieldKind    = "kind"
	FieldSubject = "subject"
)

// Regions are those that a hub may be in; the first is the usual one.
func Regions() []string {
	return []string{"US", "EMEA", "AUS", "CAN", "DEU", "IND", "JPN", "GBR"}
}

// FolderURN and ItemURN return what a folder and an item are called outside.
func (a *Rules) FolderURN(uid string) string { return a.urn.Folder(uid) }

// ItemURN is FolderURN for an item.
func (a *Rules) ItemURN(uid string) string { return a.urn.Item(uid) }

// FolderID returns the short id in a folder's URN; the short id itself will do.
func (a *Rules) FolderID(name string) (string, error) {
	return setup.UID(name, FieldFolder, a.urn.Folder("<id>"), a.urn.FolderUID)
}

// Person returns the id of the user or service account that a handle names: an
// id, or an address that is known to be the user's. NotFound; Conflict for an
// address that was never verified: anyone could have given it.
func (a *Rules) Person(ctx context.Context, handle string) (string, error) {
	if strings.Contains(handle, "@") {
		return a.addressee(ctx, handle)
	}
	user, err := a.store.FindUser(ctx, handle)
	if !fault.Is(err, fault.NotFound) {
		return user.ID, err
	}
	account, err := a.store.FindServiceAccount(ctx, handle)
	if fault.Is(err, fault.NotFound) {
		err = fault.Newf(fault.NotFound, storage.ReasonUserAbsent,
			"There is no user or service account %q.", handle).At(FieldUser)
	}
	return account.ID, err
}

// ReasonEmailNotVerified is the reason of Conflict faults about addresses that
// may be anybody's.
const ReasonEmailNotVerified = "email_not_verified"

func unknownAddress(email string) error {
	return fault.Newf(fault.NotFound, storage.ReasonUserAbsent,
		"There is no user with the address %s.", email).At(FieldUser)
}

// IsUnknownAddress reports whether the error says that the handle is an address
// that no user has: whoever may add users can invite them.
func IsUnknownAddress(err error, handle string) bool {
	return strings.Contains(handle, "@") && fault.HasReason(err, storage.ReasonUserAbsent)
}

func (a *Rules) addressee(ctx context.Context, email string) (string, error) {
	user, _, err := a.store.FindUserByLogin(ctx, email)
	switch {
	case fault.Is(err, fault.NotFound):
		return "", unknownAddress(email)
	case err != nil:
		return "", err
	case !user.EmailVerified:
		return "", fault.Newf(fault.Conflict, ReasonEmailNotVerified,
			"Nobody has verified that %s is theirs: name the user by the id, %s.", email, user.ID).At(FieldUser)
	}
	return user.ID, nil
}

// ItemID is FolderID for an item.
func (a *Rules) ItemID(name string) (string, error) {
	if uid, ok := a.urn.ItemUID(name); ok {
		return uid, nil
	}
	if urn.IsUID(name) {
		return name, nil
	}
	return "", setup.Invalid(FieldItem, "The item must look like "+a.urn.Item("<id>")+".")
}

// Names returns what people and service accounts are called, by id.
func (a *Rules) Names(ctx context.Context, ids []string) (map[string]string, error) {
	const most = 1000 // at once
	all := map[string]string{}
	for chunk := range slices.Chunk(ids, most) {
		names, err := a.store.ListNames(ctx, chunk)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, names)
	}
	return all, nil
}

// atField marks the field that a fault of the store is about.
func atField(err error) error {
	fields := map[string]string{
		storage.ReasonUserAbsent: FieldUser, storage.ReasonGroupAbsent: FieldGroup,
		storage.ReasonClientAbsent: FieldClient, storage.ReasonNameTaken: FieldName,
	}
	f := fault.From(err)
	if f == nil || fields[f.Reason] == "" {
		return err
	}
	return f.At(fields[f.Reason])
}
