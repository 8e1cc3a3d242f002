package upstreams

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/provider/said"
	"github.com/portico-id/portico/storage"
)

// Config is what an upstream needs beside its name; nothing of it is secret.
type Config struct {
	Issuer   string   `json:"issuer,omitempty"`    // byte for byte; {tenantid} stands for the tenant's
	ClientID string   `json:"client_id,omitempty"` // by which it knows this server
	Scopes   []string `json:"scopes,omitempty"`

	Tenants []string `json:"tenants,omitempty"` // whose people are let in, where it has several (tid)
	Hosted  []string `json:"hosted,omitempty"`  // likewise, by Google's hd

	Join  string   `json:"join,omitempty"` // who becomes a user: off (none), domain (of JoinDomains), open
	From  []string `json:"join_domains,omitempty"`
	Link  string   `json:"link,omitempty"`        // ask, or verified: addresses proven on both sides link by themselves
	Trust bool     `json:"trust_email,omitempty"` // its email_verified counts
	Vouch []string `json:"vouches_for,omitempty"` // domains whose addresses count without

	TrustFactors bool     `json:"trust_mfa,omitempty"`
	FactorACRs   []string `json:"mfa_acrs,omitempty"` // that stand for two factors there

	GroupsClaim string `json:"groups_claim,omitempty"`
	OwnGroups   bool   `json:"own_groups,omitempty"` // also takes people out of groups that it put them into

	AssertionClients []string `json:"assertion_clients,omitempty"` // apps here to which it vouches for people

	OfferLogout bool     `json:"offer_logout,omitempty"`       // who signs out here can sign out there, too
	Recheck     string   `json:"recheck,omitempty"`            // how often it is asked who is still there; 0: never
	EndGrants   bool     `json:"logout_ends_grants,omitempty"` // its back-channel logout ends the access of apps, too
	Networks    []string `json:"networks,omitempty"`           // private ones on which it may lie

	TeamID string `json:"team_id,omitempty"` // Apple's
	KeyID  string `json:"key_id,omitempty"`
}

// Who becomes a user by arriving.
const (
	JoinOff    = "off"
	JoinDomain = "domain"
	JoinOpen   = "open"
)

// Whether an account that is there is linked by its address.
const (
	LinkAsk      = "ask"
	LinkVerified = "verified"
)

// Preset is what is known of a provider.
type Preset struct {
	Kind   string
	Name   string
	Config Config
}

const (
	tenantMark = "{tenantid}"
	google     = "https://accounts.google.com"
)

// Presets are the providers that are known by name.
func Presets() map[string]Preset {
	plain := []string{"openid", "email", "profile"}
	return map[string]Preset{
		"oidc":   {storage.UpstreamOIDC, "", Config{Scopes: plain, GroupsClaim: "groups"}},
		"google": {storage.UpstreamOIDC, "Google", Config{Issuer: google, Scopes: plain}},
		"entra": {storage.UpstreamOIDC, "Microsoft", Config{
			Issuer: "https://login.microsoftonline.com/" + tenantMark + "/v2.0", Scopes: plain, GroupsClaim: "groups"}},
		"apple": {storage.UpstreamApple, "Apple", Config{Issuer: "https://appleid.apple.com",
			Scopes: []string{"openid", "email", "name"}, Trust: true}},
		"github": {storage.UpstreamGitHub, "GitHub", Config{Issuer: gitHub,
			Scopes: []string{"read:user", "user:email"}, Trust: true}},
		"gitlab": {storage.UpstreamOIDC, "GitLab",
			Config{Issuer: "https://gitlab.com", Scopes: plain, GroupsClaim: "groups_direct"}},
		"portico": {storage.UpstreamOIDC, "", Config{Scopes: plain, GroupsClaim: "groups"}},
	}
}

func configOf(upstream storage.Upstream) (config Config, err error) {
	err = json.Unmarshal([]byte(upstream.Config), &config)
	said.Fold(config.From)
	said.Fold(config.Vouch)
	return config, err
}

func invalid(field, detail string) error {
	return fault.New(fault.Invalid, "invalid_value", detail).At(field)
}

// defaultRecheck is how often an upstream is asked that gives something to ask with.
const defaultRecheck = 15 * time.Minute

// recheck is how often; 0: never. What is no duration is a bad one.
func (c Config) recheck() time.Duration {
	every, err := time.ParseDuration(cmp.Or(c.Recheck, defaultRecheck.String()))
	if err != nil {
		return -1
	}
	return every
}

// check says what is wrong with what an administrator said.
func (c Config) check(kind string) error {
	var faults fault.List
	plain := len(c.Networks) > 0 && strings.HasPrefix(c.Issuer, "http://")
	if !strings.HasPrefix(c.Issuer, "https://") && !plain {
		faults.Add(invalid("issuer", "The issuer must be an https URL, as the provider's metadata has it."))
	}
	if strings.Contains(c.Issuer, tenantMark) && len(c.Tenants) == 0 {
		faults.Add(invalid("tenants", "Name the tenants whose people are let in."))
	}
	if c.ClientID == "" {
		faults.Add(invalid("client_id", "Name the client id that the provider gave this server."))
	}
	if !slices.Contains([]string{"", JoinOff, JoinDomain, JoinOpen}, c.Join) {
		faults.Add(invalid("join", "Say off, domain or open."))
	}
	if !slices.Contains([]string{"", LinkAsk, LinkVerified}, c.Link) {
		faults.Add(invalid("link", "Say ask or verified."))
	}
	if kind == storage.UpstreamApple && (c.TeamID == "" || c.KeyID == "") {
		faults.Add(invalid("team_id", "Apple needs the ids of your team and of its key."))
	}
	if every := c.recheck(); every != 0 && (every < time.Minute || every > 24*time.Hour) {
		faults.Add(invalid("recheck", "Say how often, from 1m to 24h, or 0 for never."))
	}
	if len(outbound.ReadNetworks(c.Networks)) != len(c.Networks) {
		faults.Add(invalid("networks", "Name networks as 10.0.0.0/8."))
	}
	return faults.Err()
}
