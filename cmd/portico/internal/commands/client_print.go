package commands

import (
	"encoding/json"
	"strings"

	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// clientJSON is a client on the command line: what the API tells, and what
// follows from it.
type clientJSON struct {
	apps.JSON
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
}

func toClientJSON(c storage.Client) clientJSON {
	return clientJSON{apps.NewJSON(c), notNull(provider.GrantTypes(c)), notNull(clientprofile.ResponseTypes(c))}
}

// notNull lets an absent list be [] in JSON.
func notNull(list []string) []string { return append([]string{}, list...) }

// printCreated prints a client whose secret, if it has one, is new.
func (e *Env) printCreated(asJSON bool, created apps.Created) error {
	if asJSON {
		view := toClientJSON(created.Client)
		view.ClientSecret, view.PrivateKey = created.Secret, json.RawMessage(created.PrivateKey)
		return e.printJSON(view)
	}
	e.printRows(clientRows(created.Client, created.Secret))
	if created.PrivateKey != "" {
		e.printRows([]row{{"private key", created.PrivateKey}})
		e.note("Keep the private key now: it is not shown again.")
	}
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
		{"redirect URIs", strings.Join(c.RedirectURIs, "\n")},
		{"post-logout URIs", strings.Join(c.PostLogoutRedirectURIs, "\n")},
		{"origins", strings.Join(c.Origins, "\n")}, {"scope", scope.Format(c.Scopes)},
		{"grants", strings.Join(provider.GrantTypes(c), " ")}, {"back-channel logout", c.BackchannelLogoutURI},
		{"lean ID tokens", yesNo(c.LeanIDToken)}, {"plain JWT", yesNo(c.PlainJWT)},
		{"devices", yesNo(c.Devices)},
		{"proves itself by", apps.AuthMethod(c)},
		{"signed with", c.IDTokenAlg + " (ID tokens), " + c.AccessTokenAlg + " (access tokens)"},
		{"requires PKCE", yesNo(clientprofile.PKCERequired(c))}, {"first party", yesNo(c.FirstParty)},
		{"internal", yesNo(c.Internal)}, {"restricted", yesNo(c.Restricted)},
		{"optional scopes", scope.Format(c.OptionalScopes)}, {"vouched for", yesNo(c.Vouched)},
		{"default scopes", scope.Format(c.DefaultScopes)}, {"exchanges for", strings.Join(c.ExchangeFor, "\n")},
		{"introduces to", strings.Join(c.IntroducesTo, "\n")},
		{"home page", c.HomeURI}, {"sign-in begins at", c.InitiateLoginURI},
		{"requires a second factor", yesNo(c.SecondFactor)}, {"disabled", yesNo(c.Disabled)}, {"owner", c.OwnerUserID},
	}
	for _, s := range c.Secrets {
		rows = append(rows, row{"secret", secretText(s)})
	}
	return append(rows, row{"created", moment(c.CreatedAt)}, row{"updated", moment(c.UpdatedAt)})
}

func secretText(s storage.ClientSecret) string {
	text := "of " + moment(s.CreatedAt) + ", last used " + moment(s.LastUsedAt)
	if s.Label != "" {
		text = s.Label + ", " + text
	}
	if !s.EndsAt.IsZero() {
		text += ", ends " + moment(s.EndsAt)
	}
	return text
}

func (e *Env) printClients(asJSON bool, clients []storage.Client) error {
	return printList(e, asJSON, "clients", "CLIENT_ID NAME TYPE PROFILE STATE", clients, toClientJSON,
		func(c storage.Client) []string {
			return []string{c.ID, c.Name, string(c.Type), c.Profile, standing(false, c.Disabled)}
		})
}
