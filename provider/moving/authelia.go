package moving

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/portico-id/portico/internal/password"
)

// autheliaFile is users_database.yml, configuration.yml, or what "authelia storage user
// identifiers export" writes.
type autheliaFile struct {
	Users map[string]struct {
		Disabled bool
		Display  string `yaml:"displayname"`
		Password string
		Email    string
		Groups   []string
		Address  map[string]string
		More     map[string]yaml.Node `yaml:",inline"`
	}
	Providers struct {
		OIDC struct{ Clients []autheliaClient }
	} `yaml:"identity_providers"`
	Identifiers []struct{ Service, Sector, Username, Identifier string }
	Backend     struct{ LDAP map[string]any } `yaml:"authentication_backend"`
}

// autheliaFields are what Authelia knows of people since 4.39 under the names that it has here.
var autheliaFields = []string{"given_name", "middle_name", "family_name", "nickname", "gender", "birthdate", "website",
	"profile", "picture", "locale", "zoneinfo", "phone_number"}

// autheliaClient is an application; names changed with Authelia 4.38.
type autheliaClient struct {
	ClientID     string `yaml:"client_id"`
	FormerID     string `yaml:"id"`
	ClientName   string `yaml:"client_name"`
	FormerName   string `yaml:"description"`
	ClientSecret string `yaml:"client_secret"`
	FormerSecret string `yaml:"secret"`
	Public       bool
	Policy       string   `yaml:"authorization_policy"`
	Consent      string   `yaml:"consent_mode"`
	RedirectURIs []string `yaml:"redirect_uris"`
	Scopes       []string
	RequirePKCE  bool   `yaml:"require_pkce"`
	RequirePAR   bool   `yaml:"require_pushed_authorization_requests"`
	Challenge    string `yaml:"pkce_challenge_method"`
	KeysURI      string `yaml:"jwks_uri"`
	AuthMethod   string `yaml:"token_endpoint_auth_method"`
	Sector       string `yaml:"sector_identifier_uri"`
}

func authelia(files []io.Reader, out *writer) error {
	var all []autheliaFile
	err := documents("Authelia", files, func(one *yaml.Node) error {
		all = append(all, autheliaFile{})
		return one.Decode(&all[len(all)-1])
	}, "users", "identity_providers", "identifiers", "authentication_backend")
	if err != nil {
		return err
	}
	subjects := map[string]string{}
	for _, file := range all {
		for _, one := range file.Identifiers {
			if one.Service == "openid" && one.Sector == "" {
				subjects[one.Username] = one.Identifier
			}
		}
	}
	var without []string
	for _, file := range all {
		without = append(without, file.people(out, subjects)...)
	}
	out.leftOut()
	out.several(without, "Apps know these by another subject (sub) from now on, as no identifiers were given of them: %s.")
	if slices.ContainsFunc(all, func(file autheliaFile) bool { return len(file.Backend.LDAP) > 0 }) {
		out.note("People of the directory (LDAP) are not in these files: connect the directory.")
	}
	for _, file := range all {
		for _, client := range file.Providers.OIDC.Clients {
			client.write(out)
		}
	}
	return out.err
}

// people writes those of the file, and returns who of them has no subject there.
func (f autheliaFile) people(out *writer, subjects map[string]string) (without []string) {
	for _, username := range slices.Sorted(maps.Keys(f.Users)) {
		of := f.Users[username]
		u := User{fieldDisabled: of.Disabled, fieldGroups: asList(of.Groups), fieldVerified: true} // apps are told so there
		u.put(fieldID, subjects[username])
		u.put(fieldEmail, of.Email)
		u.put(fieldName, of.Display)
		u.put(fieldHash, of.Password)
		for field, value := range of.More {
			switch known := slices.Contains(autheliaFields, field) && value.Kind == yaml.ScalarNode; {
			case !known:
				out.leave(field)
			case value.ShortTag() != "!!null":
				out.fill(u, username, field, value.Value) // as it is written: a telephone is no number
			}
		}
		for part, value := range of.Address {
			out.fill(u, username, "address."+part, value)
		}
		if subjects[username] == "" {
			without = append(without, username)
		}
		if !u.name(username) {
			out.note("The user name %s can't be one here: they sign in by their address.", username)
		}
		out.put(Entry{User: u})
	}
	return without
}

func (c autheliaClient) write(out *writer) {
	id := cmp.Or(c.ClientID, c.FormerID)
	client := &Client{ID: id, Name: cmp.Or(c.ClientName, c.FormerName), Type: "web",
		RedirectURIs: out.listed(id, c.RedirectURIs), Scopes: scopesOf(c.Scopes), KeysURI: c.KeysURI,
		RequirePKCE: c.RequirePKCE || c.Challenge == "S256", FirstParty: c.Consent == "implicit",
		SecondFactor: c.Policy == "" || c.Policy == "two_factor"}
	if c.Public {
		client.Type = publicType(client.RedirectURIs, nil)
	}
	secret := cmp.Or(c.ClientSecret, c.FormerSecret)
	plain, isPlain := strings.CutPrefix(secret, "$plaintext$")
	switch {
	case c.Public || secret == "" || client.KeysURI != "":
	case isPlain || !strings.HasPrefix(secret, "$"):
		client.Secrets = []string{plain}
	case password.CheckHash(secret) == nil:
		client.SecretHashes = []string{secret}
	default:
		out.note("The secret of the client %s is a hash there that can't be checked here: give it a new one.", id)
	}
	switch {
	case c.AuthMethod == "client_secret_jwt":
		out.note("The client %s signs with its secret there, which it can't here: have it send the secret.", id)
	case c.AuthMethod == "private_key_jwt" && c.KeysURI == "":
		out.note("The client %s proves itself by its keys there: register them here.", id)
	}
	if c.Policy != "" && c.Policy != "one_factor" && c.Policy != "two_factor" {
		client.Disabled = true // it would be open to everybody
		out.note("Who may use the client %s (the policy %s) is set up by hand: until then it is disabled.", id, c.Policy)
	}
	if c.RequirePAR {
		out.note("The client %s has to push its requests there: demand it here, too, if wanted.", id)
	}
	if c.Sector != "" {
		out.note("The client %s has subjects of its sector there, and the usual ones here.", id)
	}
	out.put(Entry{Client: client})
}
