package transmittal

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// whom are those who are named.
type whom struct {
	typed   []string            // what they were called, in its order
	ids     map[string][]string // whom each of that means
	through map[string]string   // by their ids: the group that they are meant by; empty: they are named
	groups  map[string][]string // by their ids: who is in them and has an account that is enabled
	enabled map[string]bool     // by the ids of members of groups
}

// people are those who are named, each once: who is named by themselves is not meant
// through a group. Of who is not in the project nothing is told, not even whether there is
// such an account: allSee takes both for nobody.
func (r *Rules) people(ctx context.Context, place storage.Place, handles []string) (whom, error) {
	named := whom{ids: map[string][]string{}, through: map[string]string{}, groups: map[string][]string{},
		enabled: map[string]bool{}}
	for _, handle := range handles {
		handle = strings.TrimSpace(handle)
		named.typed = append(named.typed, handle)
		if err := r.name(ctx, place, handle, named); err != nil {
			return named, err
		}
		if len(named.through) > storage.MaxSentTo {
			return named, tooMany()
		}
	}
	return named, nil
}

// to are those who are named, by their ids.
func (n whom) to() (to []storage.SentTo) {
	for _, id := range slices.Sorted(maps.Keys(n.through)) {
		to = append(to, storage.SentTo{UserID: id, Group: n.through[id]})
	}
	return to
}

// name adds a group with who is in it, or else a person.
func (r *Rules) name(ctx context.Context, place storage.Place, handle string, named whom) error {
	group, err := r.with.People.FindGroup(ctx, place.Hub.ID, handle)
	if fault.Is(err, fault.NotFound) {
		id, err := r.with.People.Person(ctx, handle)
		if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
			return nil
		}
		named.ids[handle], named.through[id] = []string{id}, ""
		return err
	}
	if err != nil {
		return err
	}
	members, err := r.members(ctx, place.Project.ID, group, named.enabled)
	named.ids[handle], named.groups[group.ID] = members, members
	for _, id := range members {
		if _, known := named.through[id]; !known {
			named.through[id] = group.Name
		}
	}
	return err
}

// members are those in a group who can come in at all: a group is not kept from what is
// sent by an account that is disabled, of which whoever sends it does not know.
func (r *Rules) members(ctx context.Context, projectID string, group storage.Group,
	enabled map[string]bool) (in []string, err error) {
	all, err := r.with.People.ListGroupMembers(ctx, group)
	for _, id := range all {
		if _, known := enabled[id]; !known {
			place, err := r.with.Rights.Store.FindProject(ctx, storage.Caller{UserID: id}, projectID)
			if err != nil {
				return nil, err
			}
			enabled[id] = place.Standing.UserEnabled
		}
		if enabled[id] {
			in = append(in, id)
		}
		if len(in) > storage.MaxSentTo { // that is too many already
			break
		}
	}
	return in, err
}

// allSee refuses, each by name, those who can't see what is sent.
func (r *Rules) allSee(ctx context.Context, place storage.Place, named whom, files []storage.Found) error {
	within := map[string]bool{}
	var blind fault.List
	for _, person := range named.to() {
		in, hidden, err := r.unseen(ctx, person.UserID, place.Project.ID, files)
		if err != nil {
			return err
		}
		if within[person.UserID] = in; !in || hidden == "" {
			continue
		}
		names, err := r.with.Store.ListNames(ctx, []string{person.UserID})
		if err != nil {
			return err
		}
		blind.Add(fault.Newf(fault.Invalid, reasonBlind, "%s can’t see %s.", names[person.UserID], hidden).At(FieldTo))
	}
	for _, handle := range named.typed {
		in := 0
		for _, id := range named.ids[handle] {
			if within[id] {
				in++
			}
		}
		switch in {
		case 0:
			blind.Add(fault.Newf(fault.Invalid, reasonAbsent,
				"Nobody in this project is called %s, nor is a group with people of it.", handle).At(FieldTo))
		case len(named.ids[handle]):
		default:
			blind.Add(fault.Newf(fault.Invalid, reasonBlind, "Not everybody in the group %s is in this project.",
				handle).At(FieldTo))
		}
	}
	return blind.Err()
}

// unseen returns whether a person is in the project, and the name of a file that
// they can't see.
func (r *Rules) unseen(ctx context.Context, userID, projectID string, files []storage.Found) (bool, string, error) {
	for some := range slices.Chunk(files, storage.MaxEnds) {
		ends := make([]storage.End, len(some))
		for i, f := range some {
			ends[i] = storage.End{FolderID: f.Folder.ID}
		}
		place, found, err := r.with.Store.FindEnds(ctx, storage.Caller{UserID: userID}, projectID, ends)
		if err != nil || access.Enter(place) != nil {
			return false, some[0].Version.Name, err
		}
		for i, f := range found {
			if !access.Shows(place, f) {
				return true, some[i].Version.Name, nil
			}
		}
	}
	return true, "", nil
}

// letters returns what makes the mails to those who have an address that they have
// shown to be theirs. Who sends something to themselves needs none.
func (r *Rules) letters(ctx context.Context, change storage.Change, place storage.Place, title string,
	to []storage.SentTo) (func(number int) []storage.Mail, error) {
	by, err := r.sender(ctx, change.Caller, place.Hub.Name)
	if err != nil {
		return nil, err
	}
	var users []storage.User
	for _, person := range to {
		user, err := r.with.Store.FindUser(ctx, person.UserID)
		if fault.Is(err, fault.NotFound) { // a service account
			continue
		}
		if err != nil {
			return nil, err
		}
		if r.with.Post != nil && user.EmailVerified && user.ID != change.Caller.UserID {
			users = append(users, user)
		}
	}
	return func(number int) []storage.Mail {
		var mails []storage.Mail
		for _, user := range users {
			mails = append(mails, r.with.Post.Mail(user.ID, user.Email, templates.Letter{
				Kind: templates.LetterTransmittal, Name: user.Title(), Email: user.Email, By: by,
				Title: title, Number: number, Project: place.Project.Name, At: change.At,
				URL:       r.with.BaseURL + Page(place.Project.ID, number),
				Languages: change.LanguagesOf(user), Zone: user.Profile.Zone}))
		}
		return mails
	}, nil
}

// Page is the path of the page of a transmittal.
func Page(projectID string, number int) string {
	return fmt.Sprintf("/files/projects/%s/transmittals/%d", projectID, number)
}

// sender is what whoever sends is called; an app sends in the name of the hub.
func (r *Rules) sender(ctx context.Context, who storage.Caller, hub string) (string, error) {
	names, err := r.with.Store.ListNames(ctx, []string{who.UserID})
	return cmp.Or(names[who.UserID], hub), err
}
