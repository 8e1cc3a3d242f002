package directory

import (
	"strconv"
	"strings"

	"github.com/go-ldap/ldap/v3"
)

// graph is who is in which group of a directory, by numbers of groups.
type graph struct {
	groups  []groupEntry
	byUID   bool               // members are named by uid
	within  map[string][]int32 // by key of a DN, or by uid
	members [][]string         // ids of users, by group
	blind   bool               // some of what is there was not told
	part    bool               // nor who is in it
	mapped  bool               // an administrator named groups here for some of them
}

// rangeOf returns the values of a part of an attribute, the number of its last, and
// whether there are more.
func rangeOf(entry *ldap.Entry, attribute string) (values []string, end int, more bool) {
	for _, one := range entry.Attributes {
		head, span, found := strings.Cut(strings.ToLower(one.Name), ";range=")
		if !found || head != strings.ToLower(attribute) {
			continue
		}
		_, last, _ := strings.Cut(span, "-")
		end, err := strconv.Atoi(last) // of the last part it is *
		return one.Values, end, err == nil
	}
	return nil, 0, false
}

func (g *graph) add(group groupEntry, members []string) {
	number := int32(len(g.groups)) // #nosec G115 -- groups fit into memory
	g.groups = append(g.groups, group)
	for _, member := range members {
		key := g.key(member)
		g.within[key] = append(g.within[key], number)
	}
}

func (g *graph) key(member string) string {
	if g.byUID {
		return "uid " + strings.ToLower(member)
	}
	return keyOf(member)
}

// of returns the groups that the person is in, and those that these are in; whole is
// false where they are nested too deep to be told.
func (g *graph) of(p person) (all []int32, whole bool) {
	name := p.dn
	if g.byUID {
		name = p.uid
	}
	seen := map[int32]bool{}
	layer := g.within[g.key(name)]
	for depth := 0; len(layer) > 0; depth++ {
		if depth > maxDepth {
			return nil, false
		}
		var next []int32
		for _, number := range layer {
			if seen[number] {
				continue
			}
			seen[number] = true
			all = append(all, number)
			next = append(next, g.within[keyOf(g.groups[number].dn)]...)
		}
		layer = next
	}
	return all, true
}

func (g *graph) put(userID string, groups []int32) {
	for _, number := range groups {
		g.members[number] = append(g.members[number], userID)
	}
}
