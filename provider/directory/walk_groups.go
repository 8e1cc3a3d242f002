package directory

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/go-ldap/ldap/v3"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// readGroups reads all groups with their members, to the end: half of them are none.
func (w *walk) readGroups(ctx context.Context, l *link) error {
	if w.config.GroupBase == "" {
		return nil
	}
	named, err := w.with.Store.ListUpstreamGroups(ctx, w.ID)
	if err != nil {
		return err
	}
	w.graph = &graph{within: map[string][]int32{}, byUID: strings.EqualFold(w.config.Member, "memberUid"),
		mapped: len(named) > 0}
	w.said.Groups = 0
	attributes := append(w.config.ofGroups(), w.config.Member)
	each := func(page *ldap.SearchResult) error {
		w.graph.part = w.graph.part || w.refers(page)
		for _, entry := range page.Entries {
			group, err := w.groupOf(entry)
			if err != nil {
				w.graph.blind = true // whichever it is, it is there, and may be in one that is told
				w.skip(ctx, err)
			} else {
				w.said.Groups++
			}
			members, err := w.membersOf(l, entry)
			if err != nil {
				return err
			}
			w.graph.add(group, members)
		}
		return w.hold(ctx)
	}
	err = w.pagesOf(ctx, l, pageOfMembers, w.config.GroupBase, w.config.GroupFilter, attributes, each)
	w.graph.members = make([][]string, len(w.graph.groups))
	w.graph.blind = w.graph.blind || w.graph.part
	return err
}

// membersOf returns all members of a group, of which Active Directory tells 1500 at once
// (member;range=0-1499).
func (w *walk) membersOf(l *link, entry *ldap.Entry) ([]string, error) {
	all := entry.GetEqualFoldAttributeValues(w.config.Member)
	for next := 0; ; {
		part, end, more := rangeOf(entry, w.config.Member)
		all = append(all, part...)
		if !more {
			return all, nil
		}
		if end < next {
			return nil, causef("the group %q does not tell its members", entry.DN)
		}
		next = end + 1
		attribute := w.config.Member + ";range=" + strconv.Itoa(next) + "-*"
		result, err := l.Search(w.search(entry.DN, ldap.ScopeBaseObject, "(objectClass=*)", []string{attribute}))
		if err != nil {
			return nil, err
		}
		if len(result.Entries) != 1 {
			return nil, causef("the group %q does not tell its members", entry.DN)
		}
		entry = result.Entries[0]
	}
}

// writeGroups makes groups here of those there, with everybody who is in them. One that
// is there no more stays, and is empty.
func (w *walk) writeGroups(ctx context.Context) error {
	if w.graph == nil || !w.config.GroupsCome {
		return nil
	}
	here := map[string]storage.SCIMGroup{}
	for skip := 0; ; skip += pageSize {
		page, _, err := w.with.Store.ListSCIMGroups(ctx, w.ID, storage.SCIMFilter{}, storage.SCIMPage{Skip: skip,
			Limit: pageSize})
		if err != nil {
			return err
		}
		for _, g := range page {
			here[g.ExternalID] = g
		}
		if len(page) < pageSize {
			break
		}
	}
	known := len(here)
	for number, group := range w.graph.groups {
		if number%perFilter == 0 {
			if err := w.hold(ctx); err != nil {
				return err
			}
		}
		if group.untold() {
			continue
		}
		if err := w.writeGroup(ctx, here[group.subject], group, w.graph.members[number]); err != nil {
			return err
		}
		w.graph.members[number] = nil
		delete(here, group.subject)
	}
	return w.emptyGroups(ctx, here, known)
}

func (w *walk) writeGroup(ctx context.Context, here storage.SCIMGroup, there groupEntry, members []string) error {
	now := w.with.Ambient.Now()
	if here.ID == "" {
		group := storage.SCIMGroup{DisplayName: there.name, SCIMResource: storage.SCIMResource{ConnectionID: w.ID,
			ID: w.with.Ambient.UID(), ExternalID: there.subject, CreatedAt: now, UpdatedAt: now}}
		_, err := w.with.Store.CreateSCIMGroup(ctx, w.act(), group, members)
		return w.changedGroup(ctx, err)
	}
	step, err := w.difference(ctx, here.ID, members)
	if err != nil {
		return err
	}
	if len(step.Remove) > 0 && w.graph.part && !w.unbraked {
		step.Remove, w.said.Detail = nil, partDetail
	}
	if here.DisplayName != there.name {
		step.DisplayName = &there.name
	}
	if step.DisplayName == nil && len(step.Add)+len(step.Remove) == 0 {
		return nil
	}
	return w.changedGroup(ctx, w.changeGroup(ctx, here.ID, step))
}

// changedGroup passes over a group whose name another has.
func (w *walk) changedGroup(ctx context.Context, err error) error {
	if fault.Is(err, fault.Conflict) {
		w.skip(ctx, err)
		return nil
	}
	w.said.Changed++
	return err
}

// maxMembers is more than a group has.
const maxMembers = 1 << 30

// difference is what makes of the members of a group those who are wanted.
func (w *walk) difference(ctx context.Context, id string, wanted []string) (step storage.SCIMGroupChange, err error) {
	rows, err := w.with.Store.ListSCIMMembers(ctx, []string{id}, maxMembers)
	if err != nil {
		return step, err
	}
	slices.Sort(wanted)
	in := make([]string, len(rows))
	for i, row := range rows {
		in[i] = row.UserID
		if _, stays := slices.BinarySearch(wanted, row.UserID); !stays && !w.kept[row.UserID] {
			step.Remove = append(step.Remove, row.UserID)
		}
	}
	slices.Sort(in)
	for _, id := range wanted {
		if _, there := slices.BinarySearch(in, id); !there {
			step.Add = append(step.Add, id)
		}
	}
	return step, nil
}

// emptyGroups takes everybody out of the groups that are gone, of those that are known
// here, unless they are too many. One that is empty already is nobody's loss.
func (w *walk) emptyGroups(ctx context.Context, gone map[string]storage.SCIMGroup, known int) error {
	losses := map[string]storage.SCIMGroupChange{}
	for _, group := range gone {
		step, err := w.difference(ctx, group.ID, nil)
		if err != nil {
			return err
		}
		if len(step.Remove) > 0 {
			losses[group.ID] = step
		}
	}
	live := known - len(gone) + len(losses)
	if detail := w.brakeGroups(len(losses), live); detail != "" && !w.unbraked {
		w.said.Outcome, w.said.Detail = storage.WalkStopped, detail
		return nil
	}
	for id, step := range losses {
		if err := w.changeGroup(ctx, id, step); err != nil {
			return err
		}
	}
	return nil
}
