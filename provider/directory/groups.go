package directory

import (
	"context"
	"slices"
	"strings"

	"github.com/go-ldap/ldap/v3"

	"github.com/portico-id/portico/storage"
)

// Limits of nesting.
const (
	maxDepth  = 10
	perFilter = 50 // names in one filter
)

// groupEntry is a group of a directory.
type groupEntry struct {
	dn      string
	subject string // empty: the directory does not tell, and which one it is here nobody knows
	name    string
}

func (g groupEntry) untold() bool { return g.subject == "" }

// groupsOf returns the groups that the person is in, and those that these are in, or
// fails: half of an answer is none. They may be in more where whole is false.
func (d directory) groupsOf(ctx context.Context, p person) (all []groupEntry, whole bool, err error) {
	if d.config.GroupBase == "" {
		return nil, true, nil
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	err = d.serve(ctx, func(l *link) error {
		if d.config.ActiveDirectory {
			all, whole, err = d.groupsBySID(ctx, l, p)
		} else {
			all, whole, err = d.groupsUpwards(ctx, l, p)
		}
		return err
	})
	return all, whole, err
}

// groupsUpwards goes from the person to their groups and on to those that hold these,
// many in one question.
func (d directory) groupsUpwards(ctx context.Context, l *link, p person) (all []groupEntry, whole bool, err error) {
	whole = true
	seen, names := map[string]bool{}, []string{p.dn}
	if strings.EqualFold(d.config.Member, "memberUid") {
		names = []string{p.uid}
	}
	for depth := 0; len(names) > 0; depth++ {
		if depth > maxDepth {
			return nil, false, causef("groups of %q are nested more than %d deep", p.dn, maxDepth)
		}
		found, told, err := d.groupsWith(ctx, l, d.config.Member, names)
		if err != nil {
			return nil, false, err
		}
		names, whole = nil, whole && told
		for _, g := range found {
			if key := keyOf(g.dn); !seen[key] {
				seen[key] = true
				all, names = append(all, g), append(names, g.dn)
			}
		}
	}
	return all, whole, nil
}

// groupsBySID asks Active Directory, which knows all groups of somebody, nested ones and
// the primary one too.
func (d directory) groupsBySID(ctx context.Context, l *link, p person) ([]groupEntry, bool, error) {
	result, err := l.Search(d.search(p.dn, ldap.ScopeBaseObject, "(objectClass=*)", []string{"tokenGroups"}))
	if err != nil {
		return nil, false, err
	}
	if len(result.Entries) != 1 {
		return nil, false, causef("the entry %q is not to be read", p.dn)
	}
	var sids []string
	for _, raw := range result.Entries[0].GetEqualFoldRawAttributeValues("tokenGroups") {
		sids = append(sids, string(raw))
	}
	return d.groupsWith(ctx, l, "objectSid", sids)
}

// groupsWith returns the groups whose attribute has one of the values. There are more where
// whole is false.
func (d directory) groupsWith(ctx context.Context, l *link, attribute string,
	values []string) (all []groupEntry, whole bool, err error) {
	whole = true
	for some := range slices.Chunk(values, perFilter) {
		either := ""
		for _, value := range some {
			either += "(" + attribute + "=" + ldap.EscapeFilter(value) + ")"
		}
		filter := "(&" + d.config.GroupFilter + "(|" + either + "))"
		err := d.pages(ctx, l, d.config.GroupBase, filter, d.config.ofGroups(), func(page *ldap.SearchResult) error {
			whole = whole && !d.refers(page)
			for _, entry := range page.Entries {
				group, _ := d.groupOf(entry) // one that can't be told may be in one that can
				all = append(all, group)
			}
			return nil
		})
		if err != nil {
			return nil, false, err
		}
	}
	return all, whole, nil
}

func (c Config) ofGroups() []string { return []string{c.Subject, c.GroupName} }

func (d directory) groupOf(entry *ldap.Entry) (groupEntry, error) {
	subject, err := subjectOf(entry, d.config.Subject)
	name := line(entry.GetEqualFoldAttributeValue(d.config.GroupName))
	if err == nil && (name == "" || !below(entry.DN, d.config.GroupBase)) {
		err = causef("the group %q has no name, or is not below the base", entry.DN)
	}
	if err != nil {
		return groupEntry{dn: entry.DN}, err
	}
	return groupEntry{entry.DN, subject, name}, nil
}

// pageSize is how many entries come at once. Active Directory tells no more than 1000.
// Groups that come with their members are large.
const (
	pageSize      = 500
	pageOfMembers = 20
)

// pages searches to the end, page by page. A part of an answer is an error.
func (d directory) pages(ctx context.Context, l *link, base, filter string, attributes []string,
	each func(*ldap.SearchResult) error) error {
	return d.pagesOf(ctx, l, pageSize, base, filter, attributes, each)
}

// pagesOf is pages of a size.
func (d directory) pagesOf(ctx context.Context, l *link, size uint32, base, filter string, attributes []string,
	each func(*ldap.SearchResult) error) error {
	paging := ldap.NewControlPaging(size)
	for {
		request := d.search(base, ldap.ScopeWholeSubtree, filter, attributes)
		request.Controls = []ldap.Control{paging}
		result, err := l.Search(request)
		if err != nil {
			return err
		}
		d.noteReferrals(ctx, result)
		if err := each(result); err != nil {
			return err
		}
		said, _ := ldap.FindControl(result.Controls, ldap.ControlTypePaging).(*ldap.ControlPaging)
		if said == nil || len(said.Cookie) == 0 {
			return nil
		}
		paging.SetCookie(said.Cookie)
	}
}

// meetGroups puts the person into the groups that go with those of the directory. What it
// could not tell takes them out of none.
func (d directory) meetGroups(ctx context.Context, p person, userID string) error {
	groups, whole, err := d.groupsOf(ctx, p)
	if err != nil || d.config.GroupBase == "" {
		return err
	}
	if err := d.mapGroups(ctx, userID, groups, whole); err != nil || !d.config.GroupsCome {
		return err
	}
	whole = whole && !slices.ContainsFunc(groups, groupEntry.untold)
	wanted, err := d.cameFrom(ctx, groups)
	if err != nil {
		return err
	}
	mine, err := d.with.Store.ListSCIMGroupsOf(ctx, []string{userID})
	if err != nil {
		return err
	}
	for _, m := range mine {
		if _, stays := wanted[m.GroupID]; !stays && whole {
			if err := d.changeGroup(ctx, m.GroupID, storage.SCIMGroupChange{Remove: []string{userID}}); err != nil {
				return err
			}
		}
		delete(wanted, m.GroupID)
	}
	for id := range wanted {
		if err := d.changeGroup(ctx, id, storage.SCIMGroupChange{Add: []string{userID}}); err != nil {
			return err
		}
	}
	return nil
}

// mapGroups puts the user into the groups that an administrator named for those there, and
// out of others where these are the whole of them.
func (d directory) mapGroups(ctx context.Context, userID string, groups []groupEntry, whole bool) error {
	names := make([]string, len(groups))
	for i, g := range groups {
		names[i] = keyOf(g.dn)
	}
	return d.with.Store.MeetGroups(ctx, d.act(), d.ID, userID, names, d.config.OwnGroups && whole)
}

func (d directory) changeGroup(ctx context.Context, id string, step storage.SCIMGroupChange) error {
	_, err := d.with.Store.UpdateSCIMGroup(ctx, d.act(), d.ID, id, func(storage.SCIMGroup) error { return nil },
		[]storage.SCIMGroupChange{step})
	return err
}

// cameFrom returns the groups here that came from those there, by id.
func (d directory) cameFrom(ctx context.Context, groups []groupEntry) (map[string]storage.SCIMGroup, error) {
	all := map[string]storage.SCIMGroup{}
	groups = slices.DeleteFunc(groups, groupEntry.untold)
	for some := range slices.Chunk(groups, perFilter) {
		var either storage.SCIMFilter
		for _, g := range some {
			either.Any = append(either.Any, storage.SCIMFilter{Field: storage.SCIMExternalID, Op: storage.OpEqual,
				Value: g.subject})
		}
		found, _, err := d.with.Store.ListSCIMGroups(ctx, d.ID, either, storage.SCIMPage{Limit: len(some)})
		if err != nil {
			return nil, err
		}
		for _, g := range found {
			all[g.ID] = g
		}
	}
	return all, nil
}
