package moving

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/password"
	"github.com/portico-id/portico/internal/pattern"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
)

var idPattern = pattern.Of(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// text returns a member that is a text, or "".
func (u User) text(field string) string {
	text, _ := u[field].(string)
	return strings.TrimSpace(text)
}

// title is what a report calls the person.
func (u User) title() string {
	return cmp.Or(u.text(fieldEmail), u.text(fieldUsername), u.text(fieldID))
}

// here is who and what is here that a batch of people may meet.
type here struct {
	byID, byLogin map[string]storage.Arrival
	groups        map[string]storage.UserGroup // by folded name
	names         map[string]string            // of groups, by id, folded
	closed        map[string]error             // why nobody is put into a group here, by folded name
}

func (j *judge) people(ctx context.Context, waiting []numbered) error {
	known, err := j.meet(ctx, waiting)
	if err != nil {
		return err
	}
	var arriving []storage.Arrival
	for _, one := range waiting {
		count, title := &j.report.Users, one.User.title()
		before, isHere, err := known.find(one.User)
		if err == nil && isHere {
			fields := j.differing(before, one.User, known)
			j.report.known(one.line, title, count, fields)
			continue
		}
		var person storage.Arrival
		if err == nil {
			person, err = j.person(one.User, known)
		}
		if err != nil {
			j.report.wrong(one.line, title, count, err)
			continue
		}
		if person.Groups, err = j.memberships(ctx, one.User, known); err != nil {
			return err
		}
		count.New++
		arriving = append(arriving, person)
	}
	return j.in.AddPeople(ctx, arriving)
}

// meet looks for all whom the entries may mean, and the groups that they name.
func (j *judge) meet(ctx context.Context, waiting []numbered) (here, error) {
	var ids, logins, groups []string
	for _, one := range waiting {
		ids = append(ids, one.User.text(fieldID))
		logins = append(logins, one.User.text(fieldEmail), one.User.text(fieldUsername))
		groups = append(groups, one.User.groups()...)
	}
	known := here{byID: map[string]storage.Arrival{}, byLogin: map[string]storage.Arrival{}, names: map[string]string{},
		closed: map[string]error{}}
	found, err := j.in.FindArrivals(ctx, ids, logins)
	if err != nil {
		return known, err
	}
	for _, person := range found {
		known.byID[person.ID] = person
		known.byLogin[textkey.Fold(person.Email)] = person
		if person.Username != "" {
			known.byLogin[textkey.Fold(person.Username)] = person
		}
	}
	known.groups, err = j.groupsOf(ctx, groups)
	for name, group := range known.groups {
		known.names[group.ID] = name
		closed := j.in.IsOwnGroup(ctx, group.ID)
		if closed != nil && !fault.HasReason(closed, storage.ReasonManaged) {
			return known, closed
		}
		known.closed[name] = closed
	}
	return known, err
}

// find returns who is here as the person: of the id, or where none is given of the
// address. Conflict when somebody else has the address or the user name.
func (h here) find(u User) (storage.Arrival, bool, error) {
	person, isHere := h.byID[u.text(fieldID)]
	if u.text(fieldID) == "" {
		person, isHere = h.byLogin[textkey.Fold(u.text(fieldEmail))]
	}
	var faults fault.List
	for _, field := range []string{fieldEmail, fieldUsername} {
		other, taken := h.byLogin[textkey.Fold(u.text(field))]
		if taken && u.text(field) != "" && (!isHere || other.ID != person.ID) {
			faults.Add(fault.Newf(fault.Conflict, ReasonLine, "Somebody else has %s.", u.text(field)).At(field))
		}
	}
	return person, isHere, faults.Err()
}

// groups returns the names of the groups that the person is in.
func (u User) groups() (names []string) {
	list, _ := u[fieldGroups].([]any)
	for _, name := range list {
		if text, ok := name.(string); ok {
			names = append(names, strings.TrimSpace(text))
		}
	}
	return names
}

// person is who an entry would add.
func (j *judge) person(u User, known here) (storage.Arrival, error) {
	person := storage.Arrival{User: storage.User{ID: cmp.Or(u.text(fieldID), j.with.Ambient.PersonID()),
		CreatedAt: j.act.At, UpdatedAt: j.act.At}}
	var faults fault.List
	if !idPattern().MatchString(person.ID) {
		faults.Add(refuse(fieldID, "1 to 100 letters, digits, dots, dashes and underscores without accents"))
	}
	local, _, _ := strings.Cut(u.text(fieldEmail), "@")
	parts := strings.TrimSpace(u.text("given_name") + " " + u.text("family_name"))
	all := maps.Clone(u)
	all[fieldEmail] = u.text(fieldEmail)
	if _, isText := u[fieldName].(string); isText || u[fieldName] == nil {
		all[fieldName] = cmp.Or(u.text(fieldName), parts, u.text(fieldUsername), local)
	}
	for _, field := range inOrder(all) {
		faults.Add(j.set(&person, field, all[field]))
	}
	for _, name := range u.groups() {
		faults.Add(at(j.with.CheckGroup(name, ""), fieldGroups))
		faults.Add(at(known.closed[textkey.Fold(name)], fieldGroups))
	}
	return person, faults.Err()
}

// inOrder are the members of a person: what is verified comes after what it is about.
func inOrder(u User) []string {
	return slices.SortedFunc(maps.Keys(u), func(a, b string) int {
		ofA, ofB := strings.HasSuffix(a, "_verified"), strings.HasSuffix(b, "_verified")
		if ofA != ofB {
			return map[bool]int{true: 1, false: -1}[ofA]
		}
		return strings.Compare(a, b)
	})
}

// set gives a person what a member of an entry says.
func (j *judge) set(person *storage.Arrival, field string, value any) error {
	switch field {
	case fieldID:
		return nil
	case fieldGroups:
		list, isList := value.([]any)
		if !isList || slices.ContainsFunc(list, func(v any) bool { _, ok := v.(string); return !ok }) {
			return refuse(field, "a list of names")
		}
		return nil
	case fieldAdmin, fieldDisabled:
		flag, ok := value.(bool)
		if !ok {
			return refuse(field, "true or false")
		}
		*map[string]*bool{fieldAdmin: &person.Admin, fieldDisabled: &person.Disabled}[field] = flag
		return nil
	case fieldHash:
		person.PasswordHash, _ = value.(string)
		return at(password.CheckHash(person.PasswordHash), field)
	}
	switch value.(type) {
	case string, bool, json.Number:
		return j.with.SetField(&person.User, field, fmt.Sprint(value))
	}
	return refuse(field, "a text, or true or false")
}

// differing returns the members by which an entry is other than who is here. A password
// is theirs by now.
func (j *judge) differing(before storage.Arrival, u User, known here) (fields []string) {
	for _, field := range inOrder(u) {
		after := before
		after.User.Profile.Thumbnails = maps.Clone(before.User.Profile.Thumbnails)
		if field == fieldHash {
			continue
		}
		if j.set(&after, field, u[field]) != nil || !reflect.DeepEqual(after, before) {
			fields = append(fields, field)
		}
	}
	in := map[string]bool{}
	for _, id := range before.Groups {
		in[known.names[id]] = true
	}
	for _, name := range u.groups() {
		if !in[textkey.Fold(name)] {
			return append(fields, fieldGroups)
		}
	}
	return fields
}

// memberships returns the ids of the person's groups. One that is not here yet is made.
func (j *judge) memberships(ctx context.Context, u User, known here) (ids []string, err error) {
	for _, name := range u.groups() {
		group, isHere := known.groups[textkey.Fold(name)]
		if !isHere {
			if group, err = j.newGroup(ctx, Group{Name: name}); err != nil {
				return nil, err
			}
			known.groups[textkey.Fold(name)] = group
		}
		if !slices.Contains(ids, group.ID) {
			ids = append(ids, group.ID)
		}
	}
	return ids, nil
}

func refuse(field, wants string) error {
	return fault.Newf(fault.Invalid, ReasonLine, "This must be %s.", wants).At(field)
}

// at names the field of a fault that names none.
func at(err error, field string) error {
	if err == nil {
		return nil
	}
	return fault.From(err).At(field)
}
