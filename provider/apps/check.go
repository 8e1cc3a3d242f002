package apps

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-playground/validator/v10"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/redirecturi"
	"github.com/portico-id/portico/provider/resources"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates/texts"
)

// Reasons of the faults of a registration, beside those of redirecturi.
const (
	ReasonField         = "invalid_field"      // a plain field is missing, too long, or not one of the values
	ReasonScope         = "unknown_scope"      // no such scope
	ReasonAdministrator = "administrator_only" // only a server administrator may give this
	ReasonNotForType    = "not_for_type"       // a client of this type has no use for it
	ReasonNeedsRedirect = "redirect_uri_required"
	ReasonPublicClient  = "public_client"
	ReasonNoClient      = "client_not_found"
	ReasonNotNamed      = "not_named" // who is to be named for an app is not there
)

// The sources of the faults that have no constant in redirecturi.
const (
	FieldName         = "name"
	FieldType         = "type"
	FieldProfile      = "profile"
	FieldScopes       = "scopes"
	FieldOptional     = "optional_scopes"
	FieldDefault      = "default_scopes"
	FieldExchange     = "exchange_for"
	FieldImpersonates = "impersonates"
	FieldIntroduces   = "introduces_to"
	FieldVouched      = "vouched"
	FieldFirstParty   = "first_party"
	FieldInternal     = "internal"
	FieldLogo         = "logo_uri"
	FieldLogoFile     = "logo"
	FieldPolicy       = "policy_uri"
	FieldTerms        = "tos_uri"
	FieldMember       = "member"
	FieldOwner        = "owner_user_id"
	FieldHome         = "client_uri"
	FieldInitiate     = "initiate_login_uri"
	FieldFactor       = "require_second_factor"

	FieldIDTokenAlg     = "id_token_signed_response_alg"
	FieldAccessTokenAlg = "access_token_signed_response_alg"
	FieldAuthMethod     = "token_endpoint_auth_method"
	FieldAssertionAlg   = "token_endpoint_auth_signing_alg"
	FieldJWKS           = "jwks"
	FieldJWKSURI        = "jwks_uri"
	FieldLegacyAudience = "legacy_audience"
	FieldProofNeeded    = "dpop_bound_access_tokens"
	FieldRequirePushed  = "require_pushed_authorization_requests"
	FieldRequireSigned  = "require_signed_request_object"

	FieldCertificateNeeded = "tls_client_certificate_bound_access_tokens"
	FieldCertificateName   = "tls_client_auth_subject_dn" // or another one of clientcert.Fields
)

// shape is what the validator looks at: lengths, and fields that have one of
// a few values.
type shape struct {
	Name        string   `validate:"seen,max=100,line" field:"name"`
	Type        string   `validate:"oneof=web service native spa" field:"type"`
	Profile     string   `validate:"oneof=platform standard fapi fapi-signed" field:"profile"`
	Redirects   []string `validate:"max=50" field:"redirect_uris"`
	PostLogouts []string `validate:"max=50" field:"post_logout_redirect_uris"`
	Origins     []string `validate:"max=50" field:"origins"`
	Scopes      []string `validate:"max=50" field:"scopes"`
}

func newValidator() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(func(field reflect.StructField) string { return field.Tag.Get("field") })
	for tag, holds := range map[string]func(string) bool{
		"line": textkey.IsLine,
		"seen": func(text string) bool { return !textkey.Blank(text) },
	} {
		err := v.RegisterValidation(tag, func(field validator.FieldLevel) bool { return holds(field.Field().String()) }, true)
		if err != nil {
			panic(err) // only for an empty tag name
		}
	}
	return v
}

// check returns everything that is wrong with what the client would become,
// nil when nothing is. Only what differs from before needs a right.
func (a *Apps) check(ctx context.Context, before, after storage.Client, mayElevate bool) error {
	var faults fault.List
	faults.Add(a.checkShape(after))
	faults.Add(checkAddresses(after))
	if after.BackchannelLogoutURI != before.BackchannelLogoutURI &&
		redirecturi.CheckBackchannelLogout(after.BackchannelLogoutURI, after.Type) == nil {
		faults.Add(a.checkReach(ctx, after.BackchannelLogoutURI, redirecturi.FieldBackchannel, mayElevate))
	}
	if after.KeysURI != "" && after.KeysURI != before.KeysURI {
		faults.Add(a.checkReach(ctx, after.KeysURI, FieldJWKSURI, mayElevate))
	}
	faults.Add(checkScopes(after.Scopes))
	faults.Add(checkOptional(after))
	faults.Add(checkExchange(after))
	faults.Add(a.checkClaims(ctx, before, after))
	faults.Add(checkSecurity(after))
	if !mayElevate {
		faults.Add(checkElevation(before, after))
		if after.Name != before.Name {
			faults.Add(a.checkName(after.Name))
		}
	}
	return faults.Err()
}

func (a *Apps) checkShape(c storage.Client) error {
	err := a.validate.Struct(shape{
		Name: c.Name, Type: string(c.Type), Profile: c.Profile,
		Redirects: c.RedirectURIs, PostLogouts: c.PostLogoutRedirectURIs, Origins: c.Origins, Scopes: c.Scopes,
	})
	var broken validator.ValidationErrors
	if !errors.As(err, &broken) {
		return err
	}
	var faults fault.List
	for _, rule := range broken {
		faults.Add(sentence(rule))
	}
	return faults.Err()
}

// sentence says what the broken rule wants. Of texts there is the name alone.
func sentence(rule validator.FieldError) *fault.Error {
	field := rule.Field()
	words := strings.ReplaceAll(field, "_", " ")
	refuse := func(format string, args ...any) *fault.Error {
		return fault.Newf(fault.Invalid, ReasonField, format, args...).At(field)
	}
	switch {
	case rule.Tag() == "seen":
		return refuse("The name must not be empty.")
	case rule.Tag() == "line":
		return refuse("The name must be one line of readable text, without spaces around it.")
	case rule.Tag() == "max" && field == FieldName:
		return refuse("The name must not have more than %s characters.", rule.Param())
	case rule.Tag() == "max":
		return refuse("The %s must not have more than %s entries.", words, rule.Param())
	}
	return refuse("The %s must be one of: %s.", words, strings.ReplaceAll(rule.Param(), " ", ", "))
}

// checkAddresses judges every address, and whether the type has a use for it.
func checkAddresses(c storage.Client) error {
	var faults fault.List
	for _, uri := range c.RedirectURIs {
		faults.Add(about("redirect URI", uri, redirecturi.CheckRegistration(uri, c.Type)))
	}
	for _, uri := range c.PostLogoutRedirectURIs {
		faults.Add(about("post-logout redirect URI", uri, redirecturi.CheckPostLogout(uri, c.Type)))
	}
	for _, origin := range c.Origins {
		faults.Add(about("origin", origin, redirecturi.CheckOrigin(origin)))
	}
	if uri := c.BackchannelLogoutURI; uri != "" {
		faults.Add(about("back-channel logout URI", uri, redirecturi.CheckBackchannelLogout(uri, c.Type)))
	}
	faults.Add(checkLinks(c))
	faults.Add(checkUse(c))
	return faults.Err()
}

// checkLinks holds what people are shown on the consent page to addresses that
// a browser opens and that nobody can read or change on the way.
func checkLinks(c storage.Client) error {
	var faults fault.List
	for _, link := range []struct{ what, field, uri string }{
		{"logo address", FieldLogo, c.LogoURI},
		{"privacy policy address", FieldPolicy, c.PolicyURI},
		{"terms of service address", FieldTerms, c.TermsURI},
		{"home page address", FieldHome, c.HomeURI},
		{"address where a sign-in begins", FieldInitiate, c.InitiateLoginURI},
	} {
		if link.uri == "" {
			continue
		}
		if err := redirecturi.CheckLink(link.uri); err != nil {
			faults.Add(fault.From(about(link.what, link.uri, err)).At(link.field))
		}
	}
	return faults.Err()
}

// mayHaveDevices reports whether the type of the client has a use for devices.
func mayHaveDevices(c storage.Client) bool {
	return c.Type == storage.ClientNative || c.Type == storage.ClientWeb
}

// checkUse holds a service client, which nobody signs in to, to having no
// addresses of a browser, and a public one, which can do nothing but sign
// people in, to having one to come back to, unless they do so from devices. A web
// client may wait: it also has client credentials of its own.
func checkUse(c storage.Client) error {
	var faults fault.List
	if c.Devices && !clientprofile.ServesDevices(c) {
		faults.Add(fault.New(fault.Invalid, ReasonNotForType,
			"Devices are for a native or web client of the profile standard.").At(FieldDevices))
	}
	if c.Public() && len(c.RedirectURIs) == 0 && !c.Devices {
		faults.Add(fault.Newf(fault.Invalid, ReasonNeedsRedirect,
			"A %s client needs at least one redirect URI: signing people in is all it can do.",
			c.Type).At(redirecturi.FieldRedirect))
	}
	if c.Type != storage.ClientService {
		return faults.Err()
	}
	for _, list := range []struct {
		field string
		empty bool
	}{
		{redirecturi.FieldRedirect, len(c.RedirectURIs) == 0},
		{redirecturi.FieldPostLogout, len(c.PostLogoutRedirectURIs) == 0},
		{redirecturi.FieldOrigin, len(c.Origins) == 0},
		{redirecturi.FieldBackchannel, c.BackchannelLogoutURI == ""},
		{FieldHome, c.HomeURI == ""},
		{FieldInitiate, c.InitiateLoginURI == ""},
	} {
		if !list.empty {
			faults.Add(fault.New(fault.Invalid, ReasonNotForType,
				"A service client signs nobody in through a browser, so it can't have this; register a web client instead.").At(list.field))
		}
	}
	return faults.Err()
}

func checkScopes(scopes []string) error {
	var faults fault.List
	for _, name := range scopes {
		if !scope.Known(name) {
			faults.Add(fault.Newf(fault.Invalid, ReasonScope, "There is no scope %q.", name).At(FieldScopes))
		}
	}
	return faults.Err()
}

// checkOptional holds what people may leave out to what the app asks for. Signing
// in hangs on openid.
func checkOptional(c storage.Client) error {
	var faults fault.List
	for _, name := range c.OptionalScopes {
		switch {
		case name == scope.OpenID:
			faults.Add(fault.New(fault.Invalid, ReasonScope,
				"Nobody can leave out openid: signing in hangs on it.").At(FieldOptional))
		case !scope.Registered(c.Scopes, name):
			faults.Add(fault.Newf(fault.Invalid, ReasonScope, "The app does not ask for %s, so nobody can leave it out.",
				name).At(FieldOptional))
		}
	}
	return faults.Err()
}

// checkExchange holds what a client is given without asking to what it may ask for, and
// what it exchanges to being able to prove who it is.
func checkExchange(c storage.Client) error {
	var faults fault.List
	for _, name := range c.DefaultScopes {
		if !scope.Registered(c.Scopes, name) {
			faults.Add(fault.Newf(fault.Invalid, ReasonScope, "The app may not ask for %s, so it is not given it either.",
				name).At(FieldDefault))
		}
	}
	if len(c.ExchangeFor) > 0 && (c.Public() || !clientprofile.Of(c).TakesResources()) {
		faults.Add(fault.New(fault.Invalid, ReasonNotForType,
			"Tokens are exchanged by apps that can prove who they are, and of another profile than platform.").
			At(FieldExchange))
	}
	if len(c.ExchangeFor) > 50 {
		faults.Add(fault.New(fault.Invalid, ReasonField, "At most 50 resources can be named.").At(FieldExchange))
	}
	faults.Add(checkIntroductions(c))
	for _, name := range c.ExchangeFor {
		if _, err := resources.Key(name); err != nil {
			faults.Add(fault.From(err).Retold(fault.Invalid, ReasonField).At(FieldExchange))
		}
	}
	return faults.Err()
}

// checkIntroductions holds an app that introduces people to other servers to signing
// them in itself, and to proving who it is.
func checkIntroductions(c storage.Client) error {
	switch {
	case len(c.IntroducesTo) == 0:
		return nil
	case c.Type != storage.ClientWeb || !clientprofile.Of(c).TakesResources():
		return fault.New(fault.Invalid, ReasonNotForType,
			"People are introduced to other servers by web apps of another profile than platform.").At(FieldIntroduces)
	case len(c.IntroducesTo) > 50:
		return fault.New(fault.Invalid, ReasonField, "At most 50 servers can be named.").At(FieldIntroduces)
	}
	if err := clientprofile.CheckIntroductions(c.IntroducesTo); err != nil {
		return fault.From(err).At(FieldIntroduces)
	}
	return nil
}

// checkClaims judges what the app is told beside the usual claims, and looks for
// groups that were not named before.
func (a *Apps) checkClaims(ctx context.Context, before, after storage.Client) error {
	if after.OwnClaims == before.OwnClaims {
		return nil
	}
	claims, err := clientprofile.ReadClaims(after.OwnClaims)
	if err != nil {
		return err
	}
	known, err := clientprofile.ReadClaims(before.OwnClaims)
	if err != nil {
		return err
	}
	var faults fault.List
	faults.Add(claims.Check(known))
	for _, claim := range claims {
		if claim.GroupID == "" || slices.Contains(known, claim) {
			continue
		}
		if _, err := a.store.FindUserGroup(ctx, claim.GroupID); err != nil {
			faults.Add(orInvalid(err, "There is no such group.", clientprofile.FieldClaims))
		}
	}
	return faults.Err()
}

// orInvalid is err, or where it is that something is absent, that the field names
// nothing.
func orInvalid(err error, detail, field string) error {
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.Invalid, ReasonNotNamed, detail).At(field).Because(err)
	}
	return err
}

// checkElevation refuses what the change would add of the things that only a
// server administrator may give (decisions C5 and C6, and the two scopes that
// open the administration API).
func checkElevation(before, after storage.Client) error {
	var faults fault.List
	refuse := func(field, what string) {
		faults.Add(fault.Newf(fault.Forbidden, ReasonAdministrator, "Only a server administrator may give a client %s.",
			what).At(field))
	}
	if after.FirstParty && !before.FirstParty {
		refuse(FieldFirstParty, "the first-party flag")
	}
	if after.Internal && !before.Internal {
		refuse(FieldInternal, "the internal flag")
	}
	if !slices.Equal(after.ExchangeFor, before.ExchangeFor) {
		refuse(FieldExchange, "resources to exchange tokens for")
	}
	if !slices.Equal(after.IntroducesTo, before.IntroducesTo) {
		refuse(FieldIntroduces, "other servers to introduce people to")
	}
	if after.Impersonates && !before.Impersonates {
		refuse(FieldImpersonates, "the right to pass for people")
	}
	if after.Restricted != before.Restricted {
		refuse(FieldRestricted, "a list of its people")
	}
	if after.Vouched && !before.Vouched {
		refuse(FieldVouched, "the operator's mark")
	}
	if after.SecondFactor != before.SecondFactor {
		refuse(FieldFactor, "a demand of a second factor")
	}
	if after.OwnClaims != before.OwnClaims {
		refuse(clientprofile.FieldClaims, "claims of its own")
	}
	for _, name := range after.Scopes {
		if scope.NeedsAdministrator(name) && !slices.Contains(before.Scopes, name) {
			refuse(FieldScopes, "the scope "+name)
		}
	}
	return faults.Err()
}

// about puts the address in front of what is wrong with it. Pages do so in their language:
// among fifty addresses nobody finds the one that is meant otherwise.
func about(what, address string, err error) error {
	if err == nil {
		return nil
	}
	f := *fault.From(err)
	f.Format, f.Values = "%q %s.", []any{address, texts.Fault(f.Detail, f.Format, f.Values)}
	f.Detail = fmt.Sprintf("The %s %q %s.", what, address, f.Detail)
	return &f
}
