package moving

import (
	"cmp"
	"encoding/base64"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// dexFile is a configuration of Dex.
type dexFile struct {
	Clients []struct {
		ID           string
		Name         string
		Secret       string
		SecretEnv    string   `yaml:"secretEnv"`
		RedirectURIs []string `yaml:"redirectURIs"`
		Public       bool
		Peers        []string `yaml:"trustedPeers"`
	} `yaml:"staticClients"`
	People []struct {
		Email    string
		Hash     string
		HashEnv  string `yaml:"hashFromEnv"`
		Username string
		Name     string
		Verified *bool  `yaml:"emailVerified"` // it is, where nothing is said
		UserID   string `yaml:"userID"`
		Login    string `yaml:"preferredUsername"`
		Groups   []string
	} `yaml:"staticPasswords"`
	Connectors []struct{ Type, ID, Name string }
	OAuth2     struct {
		SkipApproval bool `yaml:"skipApprovalScreen"`
	}
}

func dex(files []io.Reader, out *writer) error {
	err := documents("Dex", files, func(one *yaml.Node) error {
		var all dexFile
		err := one.Decode(&all)
		if err == nil {
			all.write(out)
		}
		return err
	}, "issuer", "staticClients", "staticPasswords", "connectors")
	return errors.Join(err, out.err)
}

func (all dexFile) write(out *writer) {
	for _, of := range all.People {
		u := User{}
		u.put(fieldID, dexSubject(of.UserID))
		u.put(fieldEmail, of.Email)
		u[fieldVerified] = of.Verified == nil || *of.Verified
		u.put(fieldName, cmp.Or(of.Name, of.Username))
		u.put(fieldHash, dexHash(of.Hash))
		u.name(cmp.Or(of.Login, of.Username))
		if len(of.Groups) > 0 {
			u[fieldGroups] = asList(of.Groups)
		}
		if of.HashEnv != "" {
			out.note("The password of %s is in the environment there (%s): give them a new one.", of.Email, of.HashEnv)
		}
		out.put(Entry{User: u})
	}
	for _, of := range all.Clients {
		client := &Client{ID: of.ID, Name: of.Name, Type: "web", RedirectURIs: out.listed(of.ID, of.RedirectURIs),
			Scopes: scopesOf([]string{"profile", "email", "groups", "offline_access"}), FirstParty: all.OAuth2.SkipApproval}
		switch {
		case of.Public:
			client.Type = publicType(client.RedirectURIs, nil)
		case of.Secret != "":
			client.Secrets = []string{of.Secret}
		case of.SecretEnv != "":
			out.note("The secret of the client %s is in the environment there (%s).", of.ID, of.SecretEnv)
		}
		if len(of.Peers) > 0 {
			out.note("The client %s has tokens for others there (trustedPeers): set up token exchange, if it is used.", of.ID)
		}
		out.put(Entry{Client: client})
	}
	for _, c := range all.Connectors {
		out.note("Set up by hand: the connector %s (%s), as an upstream or a directory.", c.ID, c.Type)
	}
}

// dexHash is a hash as it is, of which Dex takes the base64 as well, and passes over a line end
// behind it. What is none is refused as it stands.
func dexHash(said string) string {
	raw, err := base64.StdEncoding.DecodeString(said)
	if err != nil || !strings.HasPrefix(string(raw), "$2") {
		return strings.TrimSpace(said)
	}
	return strings.TrimSpace(string(raw))
}

// dexSubject is how Dex tells apps of a person with a password of its own: the id and
// the name of the connector "local" as a message of Protocol Buffers, in base64url.
func dexSubject(userID string) string {
	if userID == "" || len(userID) > 127 {
		return ""
	}
	message := append([]byte{0x0a, byte(len(userID))}, userID...)
	message = append(append(message, 0x12, 5), "local"...)
	return base64.RawURLEncoding.EncodeToString(message)
}
