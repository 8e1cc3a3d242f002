package moving

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
)

// keycloakUser is a person of a realm export. Newer ones have passwords as two texts
// of JSON, those before Keycloak 8 as plain members.
type keycloakUser struct {
	ID              string
	Username        string
	Email           string
	EmailVerified   bool
	FirstName       string
	LastName        string
	Enabled         bool
	ServiceOf       string `json:"serviceAccountClientId"`
	Attributes      map[string][]string
	Groups          []string
	RealmRoles      []string
	ClientRoles     map[string][]string
	Credentials     []keycloakCredential
	FederatedIdents []json.RawMessage `json:"federatedIdentities"`
	Actions         []string          `json:"requiredActions"`
	Federation      string            `json:"federationLink"`
}

// keycloak reads what "kc.sh export" writes: a file for the realm, or one for it and
// others for its people.
func keycloak(files []io.Reader, out *writer) error {
	realm := &keycloakRealm{out: out, byGroup: map[string][]string{}, within: map[string][]string{}}
	for _, file := range files {
		decoder := json.NewDecoder(file)
		for more := true; more; more = decoder.More() { // several may come by one pipe
			if err := realm.read(decoder); err != nil {
				return unreadable("Keycloak", err)
			}
		}
		if _, err := decoder.Token(); !errors.Is(err, io.EOF) { // what is left is no document
			return unreadable("Keycloak", err)
		}
	}
	out.several(realm.names, "User names that can't be one here are left out, and these sign in by their address: %s.")
	out.several(realm.renew, "Have to choose a new password there: %s. Here the one that they have stays: send them a link.")
	out.several(realm.federated,
		"Come from a directory there: %s. They have no password here: connect the directory, and their accounts to it.")
	out.several(realm.factors, "Second factors are set up anew by: %s.")
	out.several(realm.ofClients, "Roles of clients are left out of: %s.")
	if realm.late {
		out.note("Roles that people have by their groups or by other roles are left out. Give the file of the realm first.")
	}
	out.several(realm.linked, "Accounts at identity providers are linked anew by: %s.")
	out.several(realm.asked, "Asking for passwords itself (direct access grants) is nothing that apps do here: %s.")
	out.leftOut()
	out.several(realm.taught, "Apps may count on what Keycloak was taught for them. Set up anew: %s.")
	out.several(realm.elsewhere, "Set up by hand, if wanted: %s.")
	return out.err
}

var errNoRealm = errors.New("it names no realm")

// read goes through the members of an export, of which lists may be long. Each file of one
// names the realm.
func (k *keycloakRealm) read(d *json.Decoder) error {
	if err := opens(d, '{'); err != nil {
		return err
	}
	var realm string
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		switch name {
		case "realm":
			err = d.Decode(&realm)
		case "roles":
			err = k.roles(d)
		case "groups":
			err = each(d, func(g keycloakGroup) { k.group(g, nil) })
		case "users":
			err = each(d, k.user)
		case "clients":
			err = each(d, k.client)
		case "identityProviders":
			err = each(d, func(p struct{ Alias, ProviderID string }) {
				k.elsewhere = append(k.elsewhere, "the identity provider "+p.Alias+" ("+p.ProviderID+")")
			})
		default:
			var passed json.RawMessage
			err = d.Decode(&passed)
		}
		if err != nil {
			return err
		}
	}
	_, err := d.Token()
	if err == nil && realm == "" {
		err = errNoRealm
	}
	return err
}

// opens reads the bracket that a list or an object begins with.
func opens(d *json.Decoder, bracket json.Delim) error {
	token, err := d.Token()
	if err == nil && token != bracket {
		err = &json.UnmarshalTypeError{Value: "another kind of value"}
	}
	return err
}

// each reads a list, an element at a time.
func each[E any](d *json.Decoder, work func(E)) error {
	if err := opens(d, '['); err != nil {
		return err
	}
	for d.More() {
		var element E
		if err := d.Decode(&element); err != nil {
			return err
		}
		work(element)
	}
	_, err := d.Token()
	return err
}

// keycloakAttributes are attributes of people and the fields that they are here; those that
// are none are Keycloak's own, of people of a directory.
var keycloakAttributes = map[string]string{"locale": "locale", "phoneNumber": "phone_number", "LDAP_ID": "",
	"LDAP_ENTRY_DN": "", "createTimestamp": "", "modifyTimestamp": ""}

func (k *keycloakRealm) user(of keycloakUser) {
	if of.ServiceOf != "" {
		return // that of a client, which has its own credentials here
	}
	k.people = true
	u := User{fieldID: of.ID, fieldDisabled: !of.Enabled}
	u.put(fieldEmail, of.Email)
	k.out.fill(u, of.Username, "given_name", of.FirstName)
	k.out.fill(u, of.Username, "family_name", of.LastName)
	if of.EmailVerified {
		u[fieldVerified] = true
	}
	for attribute, values := range of.Attributes {
		field, here := keycloakAttributes[attribute]
		switch {
		case here && field != "" && len(values) > 0:
			k.out.fill(u, of.Username, field, values[0])
		case !here:
			k.out.leave(attribute)
		}
	}
	if !u.name(of.Username) {
		k.names = append(k.names, of.Username)
	}
	u[fieldGroups] = asList(k.groupsOf(of))
	for _, c := range of.Credentials {
		if c.Type == "password" {
			u.put(fieldHash, c.hash())
		} else {
			k.factors = append(k.factors, of.Username)
		}
	}
	if slices.Contains(of.Actions, "UPDATE_PASSWORD") {
		k.renew = append(k.renew, of.Username)
	}
	if of.Federation != "" {
		k.federated = append(k.federated, of.Username)
	}
	if len(of.ClientRoles) > 0 {
		k.ofClients = append(k.ofClients, of.Username)
	}
	if len(of.FederatedIdents) > 0 {
		k.linked = append(k.linked, of.Username)
	}
	k.out.put(Entry{User: u})
}
