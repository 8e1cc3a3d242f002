package apps

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/clientcert"
	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/redirecturi"
	"github.com/portico-id/portico/storage"
)

// The words for how a client proves itself (RFC 7591, 2). One with a secret may
// send it in the body as well.
const (
	authSecret = "client_secret_basic"
	authNone   = "none"
)

// Security is storage.ClientSecurity as the administration API and the command
// line tell it. Names follow RFC 7591 and OpenID Connect Registration where they
// have one.
type Security struct {
	IDTokenAlg     string          `json:"id_token_signed_response_alg"`
	AccessTokenAlg string          `json:"access_token_signed_response_alg"`
	AuthMethod     string          `json:"token_endpoint_auth_method"`
	AssertionAlg   string          `json:"token_endpoint_auth_signing_alg"`
	JWKS           json.RawMessage `json:"jwks"`
	JWKSURI        string          `json:"jwks_uri"`
	LegacyAudience bool            `json:"legacy_audience"`
	ProofNeeded    bool            `json:"dpop_bound_access_tokens"`
	RequirePushed  bool            `json:"require_pushed_authorization_requests"`
	RequireSigned  bool            `json:"require_signed_request_object"`

	CertificateNeeded bool `json:"tls_client_certificate_bound_access_tokens"`
	certificateNames[string]
}

// SecurityOf returns what is told of the client.
func SecurityOf(c storage.Client) Security {
	s := settled(c)
	told := Security{
		IDTokenAlg: s.IDTokenAlg, AccessTokenAlg: s.AccessTokenAlg, AuthMethod: AuthMethod(c),
		AssertionAlg: s.AssertionAlg, JWKSURI: s.KeysURI, LegacyAudience: s.LegacyAudience,
		ProofNeeded: s.ProofNeeded, CertificateNeeded: s.CertificateNeeded,
		RequirePushed: s.RequirePushed, RequireSigned: s.RequireSigned,
	}
	if name := told.field(s.CertificateField); name != nil {
		*name = s.CertificateName
	}
	if s.JWKS != "" {
		told.JWKS = json.RawMessage(s.JWKS)
	}
	return told
}

// AuthMethod returns how the client proves itself.
func AuthMethod(c storage.Client) string {
	switch {
	case c.AuthMethod != "":
		return c.AuthMethod
	case c.Public():
		return authNone
	}
	return authSecret
}

// secretMethod returns how the client proves itself where it is by a secret: what it says of
// that stays what it said.
func secretMethod(c storage.Client) string {
	if c.AuthMethod == storage.AuthSecretInBody {
		return c.AuthMethod
	}
	return authSecret
}

// SecurityChange says what of it is to be different; nil leaves a field alone.
type SecurityChange struct {
	IDTokenAlg     *string `json:"id_token_signed_response_alg"`
	AccessTokenAlg *string `json:"access_token_signed_response_alg"`
	AuthMethod     *string `json:"token_endpoint_auth_method"`
	AssertionAlg   *string `json:"token_endpoint_auth_signing_alg"`
	JWKS           *string `json:"-"` // the text of a key set
	JWKSURI        *string `json:"jwks_uri"`
	LegacyAudience *bool   `json:"legacy_audience"`
	ProofNeeded    *bool   `json:"dpop_bound_access_tokens"`
	RequirePushed  *bool   `json:"require_pushed_authorization_requests"`
	RequireSigned  *bool   `json:"require_signed_request_object"`

	CertificateNeeded *bool `json:"tls_client_certificate_bound_access_tokens"`
	certificateNames[*string]
}

// NameCertificate sets the field of FIELD=NAME, and empties the others.
func (c *SecurityChange) NameCertificate(text string) { c.certificateNames = nameAlone(text) }

func (c SecurityChange) applied(s storage.ClientSecurity) storage.ClientSecurity {
	replace(&s.IDTokenAlg, c.IDTokenAlg)
	replace(&s.AccessTokenAlg, c.AccessTokenAlg)
	replace(&s.AuthMethod, c.AuthMethod)
	replace(&s.AssertionAlg, c.AssertionAlg)
	replace(&s.JWKS, c.JWKS)
	replace(&s.KeysURI, c.JWKSURI)
	replace(&s.LegacyAudience, c.LegacyAudience)
	replace(&s.ProofNeeded, c.ProofNeeded)
	replace(&s.RequirePushed, c.RequirePushed)
	replace(&s.RequireSigned, c.RequireSigned)
	replace(&s.CertificateNeeded, c.CertificateNeeded)
	s.CertificateField, s.CertificateName = nameAfter(c.certificateNames, s.CertificateField, s.CertificateName)
	return s
}

// settled writes out what an empty field means, and leaves out what goes without
// saying.
func settled(c storage.Client) storage.ClientSecurity {
	s := c.ClientSecurity
	for _, algorithm := range []*string{&s.IDTokenAlg, &s.AccessTokenAlg} {
		if *algorithm == "" {
			*algorithm = clientprofile.Of(c).SigningAlgorithms()[0]
		}
	}
	if s.AuthMethod == authSecret && !c.Public() || s.AuthMethod == authNone && c.Public() {
		s.AuthMethod = ""
	}
	s.JWKS = strings.TrimSpace(s.JWKS)
	return s
}

// checkSecurity holds the client to the algorithms of its profile, and to keys that
// it can prove itself with.
func checkSecurity(c storage.Client) error {
	var faults fault.List
	refuse := func(field, format string, args ...any) {
		faults.Add(fault.Newf(fault.Invalid, ReasonField, format, args...).At(field))
	}
	profile := clientprofile.Of(c)
	allowed := profile.SigningAlgorithms()
	for _, chosen := range []struct{ field, algorithm string }{
		{FieldIDTokenAlg, c.IDTokenAlg}, {FieldAccessTokenAlg, c.AccessTokenAlg},
	} {
		if !slices.Contains(allowed, chosen.algorithm) {
			refuse(chosen.field, "Tokens of a client of the profile %s are signed with: %s.", c.Profile,
				strings.Join(allowed, ", "))
		}
	}
	if c.Public() && profile.ConfidentialOnly() {
		refuse(FieldProfile, "A %s client can't keep a key to itself, which the profile %s demands.", c.Type, c.Profile)
	}
	if profile.RedirectsByHTTPS() && slices.ContainsFunc(c.RedirectURIs, isPlainHTTP) {
		refuse(redirecturi.FieldRedirect, "Redirect URIs of a client of the profile %s are https.", c.Profile)
	}
	if c.LegacyAudience && !profile.MayNameTokenEndpoint() {
		refuse(FieldLegacyAudience, "What a client of the profile %s signs is for the issuer alone.", c.Profile)
	}
	switch {
	case c.BySecret() && !profile.MayProveBySecret():
		refuse(FieldAuthMethod, "A client of the profile %s proves itself by %s.", c.Profile,
			strings.Join(keyMethods(), ", "))
	case c.AuthMethod == "", c.BySecret():
	case !slices.Contains(keyMethods(), c.AuthMethod) && c.AuthMethod != storage.AuthSecretInBody:
		refuse(FieldAuthMethod, "A client proves itself by %s, %s, %s or, if its type keeps no secret, %s.", authSecret,
			storage.AuthSecretInBody, strings.Join(keyMethods(), ", "), authNone)
	case c.Public():
		refuse(FieldAuthMethod, "A %s client can't keep a key to itself.", c.Type)
	case !profile.MayProveByKey():
		refuse(FieldAuthMethod, "A client of the profile %s proves itself by a secret.", c.Profile)
	case c.AuthMethod == storage.AuthCertificate && !slices.Contains(clientcert.Fields(), c.CertificateField):
		refuse(FieldCertificateName, "A client that proves itself by its certificate has exactly one name in it.")
	case c.AuthMethod == storage.AuthCertificate:
	case (c.JWKS == "") == (c.KeysURI == ""):
		refuse(FieldJWKS, "A client that proves itself by its keys has either the keys or the address where it publishes them.")
	}
	if c.CertificateNeeded && !profile.MayBind() {
		refuse(FieldCertificateNeeded, "Tokens of a client of the profile %s are bound to nothing.", c.Profile)
	}
	if c.ProofNeeded && !profile.MayBind() {
		refuse(FieldProofNeeded, "Tokens of a client of the profile %s are bound to nothing.", c.Profile)
	}
	if c.RequirePushed && !profile.TakesPushed() {
		refuse(FieldRequirePushed, "A client of the profile %s can't push its requests.", c.Profile)
	}
	if c.RequireSigned && !profile.TakesSigned() {
		refuse(FieldRequireSigned, "A client of the profile %s can't sign its requests.", c.Profile)
	}
	signs := c.RequireSigned || profile.SignedOnly() && len(clientprofile.ResponseTypes(c)) > 0
	if signs && c.JWKS == "" && c.KeysURI == "" {
		field := FieldRequireSigned
		if !c.RequireSigned {
			field = FieldJWKS // it is the profile that has it sign
		}
		refuse(field, "A client that signs its requests has keys, or the address where it publishes them.")
	}
	if assertions := profile.AssertionAlgorithms(); c.AssertionAlg != "" && !slices.Contains(assertions, c.AssertionAlg) {
		refuse(FieldAssertionAlg, "Assertions are signed with: %s.", strings.Join(assertions, ", "))
	}
	if c.JWKS != "" {
		var bad *jwt.BadKey
		// Pages say the reasons, too, in their language.
		if _, err := jwt.ReadKeys([]byte(c.JWKS)); errors.As(err, &bad) {
			refuse(FieldJWKS, "The keys can't be used: key %d: %s.", bad.Number, bad.Why.Error())
		} else if err != nil {
			refuse(FieldJWKS, "The keys can't be used: %s.", err.Error())
		}
	}
	return faults.Err()
}

func isPlainHTTP(uri string) bool { return strings.HasPrefix(strings.ToLower(uri), "http:") }
