package directory

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/go-ldap/ldap/v3"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/provider/said"
	"github.com/portico-id/portico/storage"
)

// Config is what a directory needs beside its name; nothing of it is secret.
type Config struct {
	Hosts    []string `json:"hosts,omitempty"` // such as ldaps://dc1.example.com, tried in this order
	StartTLS bool     `json:"start_tls,omitempty"`
	CA       string   `json:"ca,omitempty"` // PEM; empty: the system's
	BindDN   string   `json:"bind_dn,omitempty"`
	Networks []string `json:"networks,omitempty"` // private ones on which it may lie

	Base    string   `json:"base,omitempty"`   // below which people are
	Filter  string   `json:"filter,omitempty"` // who is one
	Logins  []string `json:"logins,omitempty"` // attributes whose values people type as their name
	Subject string   `json:"subject,omitempty"`
	Email   string   `json:"email,omitempty"` // attributes
	Name    string   `json:"name_attribute,omitempty"`

	GroupBase   string `json:"group_base,omitempty"` // empty: groups don't matter
	GroupFilter string `json:"group_filter,omitempty"`
	GroupName   string `json:"group_name,omitempty"`
	Member      string `json:"member,omitempty"` // member, uniqueMember or memberUid
	MemberUID   string `json:"member_uid,omitempty"`

	ActiveDirectory bool `json:"active_directory,omitempty"`

	Domain     string   `json:"domain,omitempty"` // as apps are told of it; empty: what base says
	Join       string   `json:"join,omitempty"`   // off, sign-in or all
	Link       string   `json:"link,omitempty"`   // ask or verified
	Vouch      []string `json:"vouches_for,omitempty"`
	GroupsCome bool     `json:"groups_come,omitempty"` // its groups become groups here
	OwnGroups  bool     `json:"own_groups,omitempty"`  // it takes people out of groups that it put them into
	Unbraked   bool     `json:"unbraked,omitempty"`    // however many are missing, they are out
}

// Who becomes a user.
const (
	JoinOff    = "off"     // nobody who is not connected
	JoinSignIn = "sign-in" // who signs in
	JoinAll    = "all"     // everybody whom a walk sees
)

// LinkVerified says that an account with an address for which the directory vouches
// becomes the directory's.
const LinkVerified = "verified"

// Presets are the kinds of directories that are known by name.
func Presets() map[string]Config {
	plain := Config{Filter: "(objectClass=inetOrgPerson)", Logins: []string{"uid", "mail"}, Subject: "entryUUID",
		Email: "mail", Name: "cn", GroupFilter: "(objectClass=groupOfNames)", GroupName: "cn", Member: "member",
		MemberUID: "uid", Join: JoinSignIn}
	netscape, ipa, ad := plain, plain, plain
	netscape.Subject, netscape.GroupFilter = "nsUniqueId", "(|(objectClass=groupOfNames)(objectClass=groupOfUniqueNames))"
	ipa.Subject, ipa.Filter = "ipaUniqueID", "(objectClass=posixAccount)"
	ipa.GroupFilter = "(objectClass=groupOfNames)"
	ad.ActiveDirectory, ad.Subject, ad.Name = true, "objectGUID", "displayName"
	ad.Filter, ad.GroupFilter = "(&(objectCategory=person)(objectClass=user))", "(objectClass=group)"
	ad.Logins = []string{"sAMAccountName", "userPrincipalName", "mail"}
	ad.MemberUID = "sAMAccountName"
	return map[string]Config{"openldap": plain, "389": netscape, "ipa": ipa, "ad": ad}
}

func configOf(upstream storage.Upstream) (config Config, err error) {
	err = json.Unmarshal([]byte(upstream.Config), &config)
	said.Fold(config.Vouch)
	return config, err
}

// domain is what apps are told that somebody's directory is.
func (c Config) domain() string {
	if c.Domain != "" {
		return c.Domain
	}
	base, err := ldap.ParseDN(c.Base)
	if err != nil {
		return ""
	}
	var parts []string
	for _, rdn := range base.RDNs {
		for _, one := range rdn.Attributes {
			if strings.EqualFold(one.Type, "dc") {
				parts = append(parts, strings.ToLower(one.Value))
			}
		}
	}
	return strings.Join(parts, ".")
}

func invalid(field, detail string) error {
	return fault.New(fault.Invalid, "invalid_value", detail).At(field)
}

const hostsDetail = "Name hosts as ldaps://dc1.example.com; ldap:// needs start_tls, but on this machine."

// check says everything that is wrong with what an administrator said.
func (c Config) check() error {
	var faults fault.List
	if len(c.Hosts) == 0 || slices.ContainsFunc(c.Hosts, func(h string) bool { return !c.safe(h) }) {
		faults.Add(invalid("hosts", hostsDetail))
	}
	if base, err := ldap.ParseDN(c.Base); err != nil || len(base.RDNs) == 0 {
		faults.Add(invalid("base", "Name the entry below which people are, such as ou=people,dc=example,dc=com."))
	}
	if _, err := ldap.ParseDN(c.GroupBase); err != nil {
		faults.Add(invalid("group_base", "Name the entry below which groups are."))
	}
	for field, filter := range map[string]string{"filter": c.Filter, "group_filter": c.GroupFilter} {
		if _, err := ldap.CompileFilter(filter); err != nil {
			faults.Add(invalid(field, "This is no filter of LDAP, such as (objectClass=person)."))
		}
	}
	if len(c.Logins) == 0 || slices.ContainsFunc(c.attributes(), notAnAttribute) {
		faults.Add(invalid("logins", "Attributes have names such as uid, mail and entryUUID."))
	}
	if !slices.Contains([]string{JoinOff, JoinSignIn, JoinAll}, c.Join) {
		faults.Add(invalid("join", "Say off, sign-in or all."))
	}
	if !slices.Contains([]string{"", "ask", LinkVerified}, c.Link) {
		faults.Add(invalid("link", "Say ask or verified."))
	}
	if c.CA != "" && !x509.NewCertPool().AppendCertsFromPEM([]byte(c.CA)) {
		faults.Add(invalid("ca", "There is no certificate in PEM in it."))
	}
	if len(outbound.ReadNetworks(c.Networks)) != len(c.Networks) {
		faults.Add(invalid("networks", "Name networks as 10.0.0.0/8."))
	}
	return faults.Err()
}

// attributes are the names of attributes that an administrator says.
func (c Config) attributes() []string {
	return append([]string{c.Subject, c.Email, c.Name, c.GroupName, c.Member, c.MemberUID}, c.Logins...)
}

func notAnAttribute(name string) bool {
	return name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.") != ""
}

// safe reports whether passwords may go to the host.
func (c Config) safe(host string) bool {
	u, err := url.Parse(host)
	if err != nil || u.Hostname() == "" || u.Path != "" || u.User != nil || u.RawQuery != "" {
		return false
	}
	return u.Scheme == "ldaps" && !c.StartTLS || u.Scheme == "ldap" && (c.StartTLS || outbound.ThisMachine(u.Hostname()))
}

// merge changes the fields that the JSON object names.
func (c *Config) merge(object []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(c); err != nil {
		return invalid("config", "There is no such field, or its value is of another kind.")
	}
	return nil
}
