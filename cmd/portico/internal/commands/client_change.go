package commands

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

const clientUpdateHelp = `Change an application's registration. What is not named stays; a list is replaced
by the values given, and one empty value empties it. The type stays for life.

  portico client update CLIENT_ID --name "New name"
  portico client update CLIENT_ID --redirect-uri https://a.example.com/cb --redirect-uri https://b.example.com/cb
  portico client update CLIENT_ID --scope "openid profile data:read" --first-party
  portico client update CLIENT_ID --post-logout-uri "" --first-party=false`

func newClientUpdate(e *Env) *cobra.Command {
	var f clientFlags
	command := &cobra.Command{Use: "update CLIENT_ID", Short: "Change an application", Long: clientUpdateHelp,
		Args: cobra.ExactArgs(1)}
	f.add(command)
	command.Flags().Lookup("profile").DefValue = ""
	command.Flags().VisitAll(func(f *pflag.Flag) { mayBeEmpty(command, f.Name) })
	command.RunE = func(command *cobra.Command, args []string) error {
		if err := f.readKeys(); err != nil {
			return err
		}
		change := f.change(command)
		if change == (apps.Change{}) {
			return usagef("nothing to change: name at least one flag")
		}
		return e.withApps(command.Context(), func(rules *apps.Apps) error {
			client, err := rules.Update(command.Context(), e.act(), args[0], change)
			if err != nil {
				return err
			}
			e.noteAll(rules.Notices(command.Context(), client))
			return e.printClient(f.asJSON, client)
		})
	}
	return command
}

// change returns the flags that were given as a change.
func (f *clientFlags) change(command *cobra.Command) apps.Change {
	var change apps.Change
	command.Flags().Visit(func(given *pflag.Flag) {
		switch given.Name {
		case "name":
			change.Name = &f.name
		case "profile":
			change.Profile = &f.profile
		case "redirect-uri":
			change.RedirectURIs = values(f.redirects)
		case "post-logout-uri":
			change.PostLogoutRedirectURIs = values(f.postLogouts)
		case "origin":
			change.Origins = values(f.origins)
		case "scope":
			scopes := f.scopeList(command)
			change.Scopes = &scopes
		case "backchannel-logout-uri":
			change.BackchannelLogoutURI = &f.backchannel
		case "logo-uri":
			change.LogoURI = &f.logo
		case "client-uri":
			change.HomeURI = &f.home
		case "initiate-login-uri":
			change.InitiateLoginURI = &f.initiate
		case "require-second-factor":
			change.SecondFactor = &f.secondFactor
		case "policy-uri":
			change.PolicyURI = &f.policy
		case "terms-uri":
			change.TermsURI = &f.terms
		case "lean-id-token":
			change.LeanIDToken = &f.leanIDToken
		case "devices":
			change.Devices = &f.devices
		case "plain-jwt":
			change.PlainJWT = &f.plainJWT
		case "id-token-alg":
			change.IDTokenAlg = &f.idTokenAlg
		case "access-token-alg":
			change.AccessTokenAlg = &f.accessTokenAlg
		case "auth-method":
			change.AuthMethod = &f.authMethod
		case "jwks":
			change.JWKS = &f.keys
		case "jwks-uri":
			change.JWKSURI = &f.keysURI
		case "assertion-alg":
			change.AssertionAlg = &f.assertionAlg
		case "certificate-bound":
			change.CertificateNeeded = &f.certificateNeeded
		case "certificate-name":
			change.NameCertificate(f.certificateName)
		case "dpop-bound":
			change.ProofNeeded = &f.proofNeeded
		case "legacy-audience":
			change.LegacyAudience = &f.legacyAudience
		case "require-par":
			change.RequirePushed = &f.requirePushed
		case "require-signed":
			change.RequireSigned = &f.requireSigned
		case "require-pkce":
			change.RequirePKCE = &f.requirePKCE
		case "first-party":
			change.FirstParty = &f.firstParty
		case "internal":
			change.Internal = &f.internal
		case "vouched":
			change.Vouched = &f.vouched
		case "default-scope":
			change.DefaultScopes = new(words(f.defaults))
		case "exchange-for":
			change.ExchangeFor = values(f.exchanges)
		case "introduce-to":
			change.IntroducesTo = values(f.introduces)
		case "impersonates":
			change.Impersonates = &f.impersonates
		case "optional-scope":
			change.OptionalScopes = new(words(f.optionals))
		case "restricted":
			change.Restricted = &f.restricted
		}
	})
	return change
}

// values is a list flag's values without the empty one that empties a list.
func values(given []string) *[]string {
	kept := slices.DeleteFunc(slices.Clone(given), func(v string) bool { return v == "" })
	return &kept
}

func newClientRotateSecret(e *Env) *cobra.Command {
	var wanted apps.NewSecret
	var ends string
	command := &cobra.Command{
		Use: "rotate-secret CLIENT_ID", Short: "Give an application a new secret", Args: cobra.ExactArgs(1),
		Long: `Give an application a new secret, shown this once. The one before stays good, so
that you can move the application over. When two work already, --end says which of
them ends: "portico client show --json" has their ids. After a leak --drop-others
ends all but the new one at once.

  portico client rotate-secret CLIENT_ID
  portico client rotate-secret CLIENT_ID --label "second data centre" --until 2027-06-30
  portico client rotate-secret CLIENT_ID --end SECRET_ID
  portico client rotate-secret CLIENT_ID --drop-others --yes`,
	}
	asJSON, yes := jsonFlag(command), yesFlag(command)
	lasting := termFlags(command, "secret")
	command.Flags().BoolVar(&wanted.DropOthers, "drop-others", false, "End every other secret at once.")
	command.Flags().StringVar(&ends, "end", "", "End the secret `SECRET_ID` at once.")
	command.RunE = func(command *cobra.Command, args []string) error {
		var err error
		if wanted.Term, err = lasting(); err != nil {
			return err
		}
		return e.withApps(command.Context(), func(rules *apps.Apps) error {
			client, err := rules.Find(command.Context(), args[0])
			if err != nil {
				return err
			}
			if wanted.Ends, err = ending(client, ends); err != nil {
				return err
			}
			if wanted.DropOthers {
				if err := e.confirm(*yes, "End the present secrets of %s, so that whatever runs with them stops working?",
					client.Name); err != nil {
					return err
				}
			}
			created, err := rules.RotateSecret(command.Context(), e.act(), client.ID, wanted)
			if err != nil {
				return err
			}
			return e.printCreated(*asJSON, created)
		})
	}
	return command
}

// ending returns the secret that is to end, if any. Who slips in its id must not believe that
// it has ended.
func ending(client storage.Client, id string) ([]string, error) {
	if id == "" {
		return nil, nil
	}
	if !slices.ContainsFunc(client.Secrets, func(s storage.ClientSecret) bool { return s.ID == id }) {
		return nil, fmt.Errorf("--end: The app has no such secret. See portico client show %s --json", client.ID)
	}
	return []string{id}, nil
}

func newClientDisable(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "disable CLIENT_ID", Short: "Stop an application", Args: cobra.ExactArgs(1),
		Long: `Stop an application: it gets no more tokens, and those it has end within a second.
portico client enable lets it go on; what people granted it has to be granted anew.

  portico client disable CLIENT_ID`,
	}
	return e.settingDisabled(command, true, "disabled")
}

func newClientEnable(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "enable CLIENT_ID", Short: "Let a stopped application go on", Args: cobra.ExactArgs(1),
		Long: `Let a stopped application get tokens again.

  portico client enable CLIENT_ID`,
	}
	return e.settingDisabled(command, false, "enabled")
}

func (e *Env) settingDisabled(command *cobra.Command, disabled bool, word string) *cobra.Command {
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withApps(command.Context(), func(rules *apps.Apps) error {
			if err := rules.SetDisabled(command.Context(), e.act(), args[0], disabled); err != nil {
				return err
			}
			e.printf("%s is %s.\n", args[0], word)
			return nil
		})
	}
	return command
}

func newClientDelete(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "delete CLIENT_ID", Short: "Remove an application for good", Args: cobra.ExactArgs(1),
		Long: `Remove an application for good, with its secrets and everything people granted it.
It asks first; scripts say --yes. To stop it for a while, disable it instead.

  portico client delete CLIENT_ID --yes`,
	}
	yes := yesFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withApps(command.Context(), func(rules *apps.Apps) error {
			client, err := rules.Find(command.Context(), args[0])
			if err != nil {
				return err
			}
			if err := e.confirm(*yes, "Delete %s (%s) with everything people granted it?", client.Name, client.ID); err != nil {
				return err
			}
			if err := rules.Delete(command.Context(), e.act(), client.ID); err != nil {
				return err
			}
			e.printf("%s is deleted.\n", client.ID)
			return nil
		})
	}
	return command
}
