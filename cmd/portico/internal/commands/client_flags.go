package commands

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// clientFlags are the flags that create and update share.
type clientFlags struct {
	name, profile, backchannel                string
	logo, policy, terms                       string
	home, initiate                            string
	secondFactor                              bool
	redirects, postLogouts, origins, scopes   []string
	leanIDToken, plainJWT, devices            bool
	idTokenAlg, accessTokenAlg                string
	authMethod, assertionAlg, keys, keysURI   string
	proofNeeded, certificateNeeded            bool
	certificateName                           string
	legacyAudience                            bool
	requirePushed, requireSigned              bool
	requirePKCE, firstParty, internal, asJSON bool
	restricted, vouched                       bool
	optionals                                 []string
	defaults, exchanges, introduces           []string
	impersonates                              bool
}

func (f *clientFlags) add(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&f.name, "name", "", "Name, as people read it when they are asked for consent.")
	flags.StringVar(&f.profile, "profile", storage.ProfilePlatform,
		"Rule book: platform (the token specification to the letter), standard (plain OAuth 2 and OpenID Connect), fapi (the same under the FAPI 2.0 Security Profile) or fapi-signed (and under FAPI 2.0 Message Signing).")
	flags.StringArrayVar(&f.redirects, "redirect-uri", nil,
		"`URI` that answers may go to, compared to the byte; may be repeated.")
	flags.StringArrayVar(&f.postLogouts, "post-logout-uri", nil,
		"`URI` a browser may go to after signing out; may be repeated.")
	flags.StringArrayVar(&f.origins, "origin", nil,
		"Browser `ORIGIN` that may call the server, beside those of an spa client's redirect URIs; may be repeated.")
	flags.StringArrayVar(&f.scopes, "scope", nil, "`SCOPES` it may ask for, separated by spaces; may be repeated.")
	flags.StringVar(&f.backchannel, "backchannel-logout-uri", "", "`URI` that is told when a person signs out.")
	flags.StringVar(&f.logo, "logo-uri", "",
		"`URI` of a picture that stands for it; kept, never loaded. Pages show the picture chosen in the portal.")
	flags.StringVar(&f.policy, "policy-uri", "", "`URI` of its privacy policy, shown when people are asked for consent.")
	flags.StringVar(&f.terms, "terms-uri", "", "`URI` of its terms of service, shown there too.")
	flags.StringVar(&f.home, "client-uri", "", "`URI` where people open it, from their home page.")
	flags.StringVar(&f.initiate, "initiate-login-uri", "",
		"`URI` where a sign-in begins that the server wants (OpenID Connect Core 4); goes before --client-uri.")
	flags.BoolVar(&f.secondFactor, "require-second-factor", false,
		"Nobody signs in to it without a second factor: whoever has none adds one.")
	flags.BoolVar(&f.leanIDToken, "lean-id-token", false,
		"Keep claims about people out of ID tokens where user info has them (OpenID Connect Core 5.4).")
	flags.BoolVar(&f.devices, "devices", false,
		"It may ask for people from devices without a browser, such as portico login (RFC 8628); native and web, standard.")
	flags.BoolVar(&f.plainJWT, "plain-jwt", false,
		"Give access tokens the typ JWT, for resource servers that refuse at+jwt.")
	flags.StringVar(&f.idTokenAlg, "id-token-alg", "", "What ID tokens are signed with: "+
		strings.Join(signing.Algorithms(), ", ")+"; RS256, or ES256 for the profile fapi, unless it is given.")
	flags.StringVar(&f.accessTokenAlg, "access-token-alg", "",
		"What access tokens are signed with, as its resource servers can take it; as ID tokens, unless it is given.")
	flags.StringVar(&f.authMethod, "auth-method", "",
		"How it proves itself: client_secret_basic or client_secret_post (a secret, which either may send in both ways), private_key_jwt (what it signs), tls_client_auth or self_signed_tls_client_auth (its certificate); none for types without a secret.")
	flags.StringVar(&f.keys, "jwks", "", "`FILE` with its public keys, a JSON Web Key Set.")
	flags.StringVar(&f.keysURI, "jwks-uri", "", "`URI` where it publishes them, instead of --jwks.")
	flags.StringVar(&f.assertionAlg, "assertion-alg", "", "What it signs to prove itself with: "+
		strings.Join(clientprofile.AssertionAlgorithms(), ", ")+"; whatever its keys can, unless it is given.")
	flags.BoolVar(&f.proofNeeded, "dpop-bound", false,
		"It gets no access tokens but those that are bound to a key of its own (RFC 9449).")
	flags.BoolVar(&f.certificateNeeded, "certificate-bound", false,
		"It gets no access tokens but those that are bound to the certificate that it connects with (RFC 8705).")
	flags.StringVar(&f.certificateName, "certificate-name", "",
		"What names it in its certificate, for tls_client_auth, as `FIELD=NAME`: subject_dn, san_dns, san_uri, san_ip or san_email.")
	flags.BoolVar(&f.legacyAudience, "legacy-audience", false,
		"What it signs is for the token endpoint and lives for an hour at most, as older libraries have it.")
	flags.BoolVar(&f.requirePushed, "require-par", false, "Refuse authorize requests that it did not push (RFC 9126).")
	flags.BoolVar(&f.requireSigned, "require-signed", false,
		"Refuse authorize requests that it did not sign with one of its keys (RFC 9101).")
	flags.BoolVar(&f.requirePKCE, "require-pkce", false,
		"Refuse authorize requests without PKCE (public clients always need it).")
	flags.BoolVar(&f.firstParty, "first-party", false, "Your own application: people are not asked for consent.")
	flags.BoolVar(&f.internal, "internal", false, "May create service accounts on behalf of other applications.")
	flags.StringArrayVar(&f.optionals, "optional-scope", nil,
		"`SCOPES` of those that people may leave out when they are asked for consent.")
	flags.StringArrayVar(&f.defaults, "default-scope", nil, "`SCOPES` of those that a request is given that names none.")
	flags.StringArrayVar(&f.exchanges, "exchange-for", nil,
		"`RESOURCE` that it may exchange tokens for which it was sent (RFC 8693), with the scopes that both call by the same name; may be repeated.")
	flags.StringArrayVar(&f.introduces, "introduce-to", nil, "Another server to which it may introduce the people who "+
		"signed in to it, as \"`ISSUER CLIENT_ID SCOPES`\" (ID-JAG); no scopes: whatever that server gives; may be repeated.")
	flags.BoolVar(&f.impersonates, "impersonates", false,
		"Tokens that it has so do not say that it acts for the person.")
	flags.BoolVar(&f.vouched, "vouched", false, "You vouch for it: people are told so when they are asked for consent.")
	flags.BoolVar(&f.restricted, "restricted", false, "Only for the groups and people that portico client allow names.")
	flags.BoolVar(&f.asJSON, "json", false, "Print one JSON object instead of a table.")
	complete(command, "profile", clientprofile.Names())
	complete(command, "scope", scope.All())
	complete(command, "id-token-alg", signing.Algorithms())
	complete(command, "access-token-alg", signing.Algorithms())
	complete(command, "assertion-alg", clientprofile.AssertionAlgorithms())
	complete(command, "auth-method", []string{"client_secret_basic", storage.AuthSecretInBody, storage.AuthPrivateKey,
		storage.AuthCertificate, storage.AuthOwnCertificate})
}

// readKeys replaces the name of a file with keys by what is in it.
func (f *clientFlags) readKeys() (err error) {
	if f.keys != "" {
		f.keys, err = inFile("--jwks", f.keys)
	}
	return err
}

func (f *clientFlags) security() storage.ClientSecurity {
	field, name, _ := strings.Cut(f.certificateName, "=")
	return storage.ClientSecurity{
		IDTokenAlg: f.idTokenAlg, AccessTokenAlg: f.accessTokenAlg, AuthMethod: f.authMethod, JWKS: f.keys,
		KeysURI: f.keysURI, AssertionAlg: f.assertionAlg, LegacyAudience: f.legacyAudience, ProofNeeded: f.proofNeeded,
		RequirePushed: f.requirePushed, RequireSigned: f.requireSigned,
		CertificateNeeded: f.certificateNeeded, CertificateField: field, CertificateName: name,
	}
}

// scopeList reads --scope. Not given it is nil; given but empty it is empty.
func (f *clientFlags) scopeList(command *cobra.Command) []string {
	if !command.Flags().Changed("scope") {
		return nil
	}
	return words(f.scopes)
}

// words are those of a flag that may be repeated.
func words(given []string) []string {
	return append([]string{}, strings.Fields(strings.Join(given, " "))...)
}

// clientTypes are the values of --type.
func clientTypes() []string {
	return []string{string(storage.ClientWeb), string(storage.ClientService), string(storage.ClientNative),
		string(storage.ClientSPA)}
}
