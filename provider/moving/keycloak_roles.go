package moving

import (
	"encoding/json"
	"slices"
	"strings"
)

// keycloakRealm is a realm that becomes a document, with what is to be told at its end.
type keycloakRealm struct {
	out *writer

	factors, ofClients, linked, elsewhere, names, asked, renew, taught, federated []string

	byGroup map[string][]string // realm roles by the paths of groups, with those of the groups above
	within  map[string][]string // those that whoever has the role has, too
	people  bool                // some were read
	late    bool                // and before roles and groups
}

type keycloakGroup struct {
	Path        string
	SubGroups   []keycloakGroup
	RealmRoles  []string
	ClientRoles map[string][]string
}

// roles reads which roles have others in them.
func (k *keycloakRealm) roles(d *json.Decoder) error {
	var all struct {
		Realm []struct {
			Name       string
			Composites struct{ Realm []string }
		}
	}
	err := d.Decode(&all)
	for _, role := range all.Realm {
		k.within[role.Name] = role.Composites.Realm
	}
	k.late = k.late || k.people
	return err
}

// group writes a group and those below it, by their paths.
func (k *keycloakRealm) group(g keycloakGroup, above []string) {
	name := strings.TrimPrefix(g.Path, "/")
	k.out.put(Entry{Group: &Group{Name: name}})
	if len(g.ClientRoles) > 0 {
		k.ofClients = append(k.ofClients, name)
	}
	roles := slices.Concat(above, g.RealmRoles)
	k.byGroup[g.Path], k.late = roles, k.late || k.people
	for _, below := range g.SubGroups {
		k.group(below, roles)
	}
}

// groupsOf returns the paths of the person's groups and the names of their roles, those by
// their groups and by other roles among them, without those that everybody has.
func (k *keycloakRealm) groupsOf(u keycloakUser) (names []string) {
	roles := slices.Clone(u.RealmRoles)
	for _, path := range u.Groups {
		names, roles = append(names, strings.TrimPrefix(path, "/")), append(roles, k.byGroup[path]...)
	}
	for i := 0; i < len(roles); i++ { // it grows
		for _, role := range k.within[roles[i]] {
			if !slices.Contains(roles, role) {
				roles = append(roles, role)
			}
		}
	}
	for _, role := range roles {
		everybodys := strings.HasPrefix(role, "default-roles-") || role == "offline_access" || role == "uma_authorization"
		if !everybodys && !slices.Contains(names, role) {
			names = append(names, role)
		}
	}
	return names
}
