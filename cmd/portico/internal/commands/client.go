package commands

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/term"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/redirecturi"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

const clientHelp = `Applications that get tokens.

  portico client create --name "My site" --type web --redirect-uri https://app.example.com/callback
  portico client create --name "Night job" --type service --scope "data:read data:write"
  portico client list
  portico client rotate-secret CLIENT_ID

Every command works beside a running server, which acts on it within a second.`

func newClientCommand(e *Env) *cobra.Command {
	return group("client", "Register applications, and change them", clientHelp,
		newClientCreate(e), newClientList(e), newClientShow(e), newClientUpdate(e), newClientRotateSecret(e),
		newClientDisable(e), newClientEnable(e), newClientDelete(e), newClientLogouts(e), newClientUsage(e),
		newClientAccess(e), newClientAllow(e), newClientDisallow(e), newClientClaim(e), newClientMember(e),
		newClientLogo(e),
	)
}

// withApps opens the database around a command's work and puts its faults
// into the words of the command line.
func (e *Env) withApps(ctx context.Context, work func(*apps.Apps) error) error {
	err := e.with(ctx, func(p *wiring.Parts) error { return work(p.Apps()) })
	return seeAlso(inFlags(err, clientFlag), "client list")
}

// clientFlag returns the flag that a fault is about.
func clientFlag(f *fault.Error) string {
	flags := map[string]string{
		apps.FieldName: "--name", apps.FieldType: "--type", apps.FieldProfile: "--profile", apps.FieldScopes: "--scope",
		apps.FieldLogo: "--logo-uri", apps.FieldPolicy: "--policy-uri", apps.FieldTerms: "--terms-uri",
		apps.FieldHome: "--client-uri", apps.FieldInitiate: "--initiate-login-uri",
		apps.FieldFactor: "--require-second-factor",
		term.FieldLabel:  "--label", term.FieldEndsAt: "--until",
		apps.FieldIDTokenAlg: "--id-token-alg", apps.FieldAccessTokenAlg: "--access-token-alg",
		apps.FieldAuthMethod: "--auth-method", apps.FieldAssertionAlg: "--assertion-alg", apps.FieldJWKS: "--jwks",
		apps.FieldJWKSURI: "--jwks-uri", apps.FieldLegacyAudience: "--legacy-audience",
		apps.FieldProofNeeded: "--dpop-bound", apps.FieldCertificateNeeded: "--certificate-bound",
		apps.FieldCertificateName: "--certificate-name",
		apps.FieldRequirePushed:   "--require-par", apps.FieldRequireSigned: "--require-signed",
		apps.FieldFirstParty: "--first-party", apps.FieldInternal: "--internal", apps.FieldRestricted: "--restricted",
		apps.FieldVouched: "--vouched", apps.FieldOptional: "--optional-scope",
		apps.FieldDefault: "--default-scope", apps.FieldExchange: "--exchange-for",
		apps.FieldImpersonates: "--impersonates", apps.FieldIntroduces: "--introduce-to",
		apps.FieldGroup: "--group", apps.FieldUser: "--user",
		redirecturi.FieldRedirect: "--redirect-uri", redirecturi.FieldPostLogout: "--post-logout-uri",
		redirecturi.FieldOrigin: "--origin", redirecturi.FieldBackchannel: "--backchannel-logout-uri",
	}
	return flags[f.Source]
}

func clientCreateHelp() string {
	return `Register an application. The type decides what it can do:

  web      a site with a server: signs people in, keeps a secret
  service  a program without people: has a secret, calls in its own name
  native   a desktop or mobile app: signs people in with PKCE, no secret
  spa      an app in the browser: signs people in with PKCE, no secret

  portico client create --name "My site" --type web \
      --redirect-uri https://app.example.com/callback \
      --post-logout-uri https://app.example.com/ --scope "openid profile email"
  portico client create --name "Wiki" --type web --profile standard \
      --redirect-uri https://wiki.example.com/oauth/callback
  portico client create --name "Desktop app" --type native \
      --redirect-uri http://127.0.0.1/callback --redirect-uri com.example.app:/callback

The secret is shown this once and kept only as a hash. With --json the output is
one object; "client_id" and, unless the type is native or spa, "client_secret"
are in it.

A redirect URI is one exact address: https, or http on localhost, 127.0.0.1 and
[::1]; native clients may also use a scheme made of their domain turned round.
For native clients any port of these goes.

Without --scope the client gets what signs people in and reads:
  service           ` + scope.Format(apps.DefaultScopes(storage.ClientService)) + `
  other types       ` + scope.Format(apps.DefaultScopes(storage.ClientWeb)) + `

All scopes: ` + wrap(scope.All()) + `
  and data:read:<URN> for one folder, item or version.`
}

// wrap joins words to lines of a help text.
func wrap(words []string) string {
	var text strings.Builder
	length := 0
	for _, word := range words {
		if length+len(word) > 66 {
			text.WriteString("\n  ")
			length = 0
		} else if length > 0 {
			text.WriteString(" ")
		}
		text.WriteString(word)
		length += len(word) + 1
	}
	return text.String()
}

func newClientCreate(e *Env) *cobra.Command {
	var f clientFlags
	var clientType string
	var makeKey bool
	command := &cobra.Command{Use: "create", Short: "Register an application",
		Long: clientCreateHelp(), Args: cobra.NoArgs}
	f.add(command)
	command.Flags().BoolVar(&makeKey, "make-key", false,
		"Make a key for it to prove itself by, instead of --jwks; the private half is printed this once.")
	command.Flags().StringVar(&clientType, "type", "", "Sort of application: "+strings.Join(clientTypes(), ", ")+".")
	complete(command, "type", clientTypes())
	require(command, "name", "type")
	mayBeEmpty(command, "scope")
	command.RunE = func(command *cobra.Command, _ []string) error {
		if err := f.readKeys(); err != nil {
			return err
		}
		registration := apps.Registration{
			Name: f.name, Type: storage.ClientType(clientType), Profile: f.profile,
			RedirectURIs: f.redirects, PostLogoutRedirectURIs: f.postLogouts, Origins: f.origins,
			Scopes: f.scopeList(command), BackchannelLogoutURI: f.backchannel,
			LogoURI: f.logo, PolicyURI: f.policy, TermsURI: f.terms, HomeURI: f.home, InitiateLoginURI: f.initiate,
			SecondFactor:   f.secondFactor,
			ClientSecurity: f.security(), MakeKey: makeKey,
			LeanIDToken: f.leanIDToken, Devices: f.devices, PlainJWT: f.plainJWT, RequirePKCE: f.requirePKCE,
			FirstParty: f.firstParty,
			Internal:   f.internal, Restricted: f.restricted,
			Vouched: f.vouched, OptionalScopes: words(f.optionals), DefaultScopes: words(f.defaults),
			ClientExchange: storage.ClientExchange{ExchangeFor: f.exchanges, Impersonates: f.impersonates,
				IntroducesTo: f.introduces},
		}
		return e.withApps(command.Context(), func(rules *apps.Apps) error {
			created, err := rules.Create(command.Context(), e.act(), registration)
			if err != nil {
				return err
			}
			if created.Client.Type == storage.ClientWeb && len(created.Client.RedirectURIs) == 0 {
				e.note("It can't sign people in yet: portico client update %s --redirect-uri https://…", created.Client.ID)
			}
			e.noteAll(rules.Notices(command.Context(), created.Client))
			return e.printCreated(f.asJSON, created)
		})
	}
	return command
}

func newClientList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list [TEXT]", Short: "List applications", Args: cobra.MaximumNArgs(1),
		Long: `List applications by name, all or those in whose name TEXT is, or that somebody
registered whom it finds.

  portico client list
  portico client list wiki
  portico client list --owner USER_ID --json`,
	}
	owner := command.Flags().String("owner", "", "Only those that the user with this id registered.")
	opener := command.Flags().String("opener", "", "Only those that the user with this id can open from their home page.")
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		filter := storage.ClientFilter{Query: strings.Join(args, ""), Owner: *owner, Opener: *opener}
		return e.withApps(command.Context(), func(rules *apps.Apps) error {
			clients, err := everyName(func(page storage.PageRequest) (storage.Listing[storage.Client], error) {
				return rules.List(command.Context(), filter, page)
			})
			if err != nil {
				return err
			}
			return e.printClients(*asJSON, clients)
		})
	}
	return command
}

func newClientShow(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "show CLIENT_ID", Short: "Show an application", Args: cobra.ExactArgs(1),
		Long: `Show an application's registration and when its secrets were last used. The
secrets themselves are not kept.

  portico client show CLIENT_ID
  portico client show CLIENT_ID --json`,
	}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withApps(command.Context(), func(rules *apps.Apps) error {
			client, err := rules.Find(command.Context(), args[0])
			if err != nil {
				return err
			}
			return e.printClient(*asJSON, client)
		})
	}
	return command
}
