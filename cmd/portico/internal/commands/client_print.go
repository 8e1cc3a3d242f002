package commands

import (
	"strings"
	"time"

	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// clientJSON is a client on the command line. Names follow RFC 7591 where it
// has one.
type clientJSON struct {
	ClientID             string   `json:"client_id"`
	ClientSecret         string   `json:"client_secret,omitempty"` // when it is new, and never again
	Name                 string   `json:"name"`
	Type                 string   `json:"type"`
	Profile              string   `json:"profile"`
	RedirectURIs         []string `json:"redirect_uris"`
	PostLogoutURIs       []string `json:"post_logout_redirect_uris"`
	Origins              []string `json:"origins"`
	Scope                string   `json:"scope"`
	GrantTypes           []string `json:"grant_types"`
	ResponseTypes        []string `json:"response_types"`
	BackchannelLogoutURI string   `json:"backchannel_logout_uri"`
	LogoURI              string   `json:"logo_uri"`
	PolicyURI            string   `json:"policy_uri"`
	TermsURI             string   `json:"tos_uri"`
	apps.Security
	LeanIDToken bool         `json:"lean_id_token"`
	PlainJWT    bool         `json:"plain_jwt"`
	RequirePKCE bool         `json:"require_pkce"`
	FirstParty  bool         `json:"first_party"`
	Internal    bool         `json:"internal"`
	Disabled    bool         `json:"disabled"`
	OwnerUserID string       `json:"owner_user_id"`
	Secrets     []secretJSON `json:"secrets"`
	CreatedAt   time.Time    `json:"created_at"`
	UpdatedAt   time.Time    `json:"updated_at"`
}

type secretJSON struct {
	ID         string     `json:"id"`
	CreatedAt  time.Time  `json:"created_at"`
	LastUsedAt *time.Time `json:"last_used_at"`
}

func toClientJSON(c storage.Client) clientJSON {
	secrets := []secretJSON{}
	for _, s := range c.Secrets {
		secrets = append(secrets, secretJSON{ID: s.ID, CreatedAt: s.CreatedAt, LastUsedAt: moments(s.LastUsedAt)})
	}
	return clientJSON{
		ClientID: c.ID, Name: c.Name, Type: string(c.Type), Profile: c.Profile,
		RedirectURIs: notNull(c.RedirectURIs), PostLogoutURIs: notNull(c.PostLogoutRedirectURIs), Origins: notNull(c.Origins),
		Scope: scope.Format(c.Scopes), GrantTypes: notNull(provider.GrantTypes(c)), ResponseTypes: notNull(clientprofile.ResponseTypes(c)),
		BackchannelLogoutURI: c.BackchannelLogoutURI, LogoURI: c.LogoURI, PolicyURI: c.PolicyURI, TermsURI: c.TermsURI,
		Security: apps.SecurityOf(c), LeanIDToken: c.LeanIDToken, PlainJWT: c.PlainJWT, RequirePKCE: clientprofile.PKCERequired(c), FirstParty: c.FirstParty,
		Internal: c.Internal, Disabled: c.Disabled, OwnerUserID: c.OwnerUserID, Secrets: secrets,
		CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
	}
}

// notNull lets an absent list be [] in JSON.
func notNull(list []string) []string { return append([]string{}, list...) }

// printCreated prints a client whose secret, if it has one, is new.
func (e *Env) printCreated(asJSON bool, created apps.Created) error {
	if asJSON {
		view := toClientJSON(created.Client)
		view.ClientSecret = created.Secret
		return e.printJSON(view)
	}
	e.printRows(clientRows(created.Client, created.Secret))
	if created.Secret != "" {
		e.note("Keep the secret now: it is not shown again.")
	}
	return nil
}

func (e *Env) printClient(asJSON bool, c storage.Client) error {
	if asJSON {
		return e.printJSON(toClientJSON(c))
	}
	e.printRows(clientRows(c, ""))
	return nil
}

func clientRows(c storage.Client, secret string) []row {
	rows := []row{
		{"client_id", c.ID}, {"client_secret", secret}, {"name", c.Name}, {"type", string(c.Type)}, {"profile", c.Profile},
		{"redirect URIs", strings.Join(c.RedirectURIs, "\n")}, {"post-logout URIs", strings.Join(c.PostLogoutRedirectURIs, "\n")},
		{"origins", strings.Join(c.Origins, "\n")}, {"scope", scope.Format(c.Scopes)},
		{"grants", strings.Join(provider.GrantTypes(c), " ")}, {"back-channel logout", c.BackchannelLogoutURI},
		{"lean ID tokens", yesNo(c.LeanIDToken)}, {"plain JWT", yesNo(c.PlainJWT)},
		{"signed with", c.IDTokenAlg + " (ID tokens), " + c.AccessTokenAlg + " (access tokens)"},
		{"requires PKCE", yesNo(clientprofile.PKCERequired(c))}, {"first party", yesNo(c.FirstParty)},
		{"internal", yesNo(c.Internal)}, {"disabled", yesNo(c.Disabled)}, {"owner", c.OwnerUserID},
	}
	for _, s := range c.Secrets {
		rows = append(rows, row{"secret", "of " + moment(s.CreatedAt) + ", last used " + moment(s.LastUsedAt)})
	}
	return append(rows, row{"created", moment(c.CreatedAt)}, row{"updated", moment(c.UpdatedAt)})
}

func (e *Env) printClients(asJSON bool, clients []storage.Client) error {
	if asJSON {
		list := make([]clientJSON, len(clients))
		for i, c := range clients {
			list[i] = toClientJSON(c)
		}
		return e.printJSON(map[string]any{"clients": list})
	}
	lines := make([][]string, len(clients))
	for i, c := range clients {
		lines[i] = []string{c.ID, c.Name, string(c.Type), c.Profile, standing(false, c.Disabled)}
	}
	e.printTable("CLIENT_ID NAME TYPE PROFILE STATE", lines)
	return nil
}
