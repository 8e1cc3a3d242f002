package registration

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/redirecturi"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// Reasons of the faults (RFC 7591, 3.2.2, and RFC 6750, 3.1).
const (
	ReasonRedirect  = "invalid_redirect_uri"
	ReasonMetadata  = "invalid_client_metadata"
	ReasonStatement = "unapproved_software_statement"
	ReasonToken     = storage.ReasonInitialToken
	ReasonClosed    = "access_denied"
)

// Metadata is what a client says of itself, and what it is told of its registration
// (RFC 7591, 2 and 3.2.1). Members that are not here are passed over.
type Metadata struct {
	ClientID        string `json:"client_id,omitempty"`
	ClientSecret    string `json:"client_secret,omitempty"`
	IssuedAt        int64  `json:"client_id_issued_at,omitempty"`
	SecretExpiresAt *int64 `json:"client_secret_expires_at,omitempty"` // with a secret: 0, never

	AccessToken string `json:"registration_access_token,omitempty"`
	ClientURI   string `json:"registration_client_uri,omitempty"`

	RedirectURIs    []string        `json:"redirect_uris"`
	AuthMethod      string          `json:"token_endpoint_auth_method,omitempty"`
	AssertionAlg    string          `json:"token_endpoint_auth_signing_alg,omitempty"`
	GrantTypes      []string        `json:"grant_types,omitempty"`
	ResponseTypes   []string        `json:"response_types,omitempty"`
	ApplicationType string          `json:"application_type,omitempty"`
	Name            string          `json:"client_name,omitempty"`
	HomeURI         string          `json:"client_uri,omitempty"`
	LogoURI         string          `json:"logo_uri,omitempty"`
	PolicyURI       string          `json:"policy_uri,omitempty"`
	TermsURI        string          `json:"tos_uri,omitempty"`
	Scope           string          `json:"scope,omitempty"`
	JWKS            json.RawMessage `json:"jwks,omitempty"`
	KeysURI         string          `json:"jwks_uri,omitempty"`
	IDTokenAlg      string          `json:"id_token_signed_response_alg,omitempty"`
	ProofNeeded     bool            `json:"dpop_bound_access_tokens,omitempty"`
	RequirePushed   bool            `json:"require_pushed_authorization_requests,omitempty"`
	RequireSigned   bool            `json:"require_signed_request_object,omitempty"`

	CertificateNeeded bool `json:"tls_client_certificate_bound_access_tokens,omitempty"`

	PostLogoutURIs       []string `json:"post_logout_redirect_uris,omitempty"`
	BackchannelLogoutURI string   `json:"backchannel_logout_uri,omitempty"`
	InitiateLoginURI     string   `json:"initiate_login_uri,omitempty"`

	SoftwareStatement string `json:"software_statement,omitempty"`
}

// The words for how a client proves itself, and what it runs on.
const (
	authNone   = "none"
	authBasic  = "client_secret_basic"
	appNative  = "native"
	appWeb     = "web"
	grantCode  = "authorization_code"
	grantFresh = "refresh_token"
	usualAlg   = "RS256"
)

// maxName is how many characters of a name are kept.
const maxName = 100

// client makes the client what it says of itself; what it leaves out becomes what is
// usual. Invalid, in the words of RFC 7591.
func (m Metadata) client(c storage.Client, usual func(storage.ClientType) []string) (storage.Client, error) {
	if m.SoftwareStatement != "" {
		return c, fault.New(fault.Invalid, ReasonStatement,
			"Nobody's software statements count here.").At("software_statement")
	}
	if err := m.checkWords(); err != nil {
		return c, err
	}
	before := c
	c.Name, c.Type, c.Profile = m.name(), m.clientType(), storage.ProfileStandard
	c.RedirectURIs, c.PostLogoutRedirectURIs = m.RedirectURIs, m.PostLogoutURIs
	c.Scopes = m.scopes(usual(c.Type))
	c.OptionalScopes, c.DefaultScopes = nil, within(usual(c.Type), c.Scopes)
	c.BackchannelLogoutURI, c.LogoURI, c.PolicyURI, c.TermsURI = m.BackchannelLogoutURI, m.LogoURI, m.PolicyURI, m.TermsURI
	c.HomeURI, c.InitiateLoginURI = m.HomeURI, m.InitiateLoginURI
	c.AuthMethod, c.AssertionAlg, c.JWKS, c.KeysURI = m.proof(), m.AssertionAlg, m.keys(), m.KeysURI
	c.IDTokenAlg, c.ProofNeeded, c.CertificateNeeded = m.IDTokenAlg, m.ProofNeeded, m.CertificateNeeded
	c.RequirePushed, c.RequireSigned = m.RequirePushed, m.RequireSigned
	if before.ID != "" {
		c = asTight(before, c)
	}
	return c, nil
}

// Read makes the client what a document says of it that anybody can read: a client that
// everybody can pose as, with nothing to prove itself by, and called by nobody here.
func Read(document []byte, c storage.Client, usual func(storage.ClientType) []string) (storage.Client, error) {
	var said Metadata
	if err := json.Unmarshal(document, &said); err != nil {
		return c, wrong("", "The document can't be read.")
	}
	said.AuthMethod, said.AssertionAlg, said.JWKS, said.KeysURI = authNone, "", nil, ""
	said.BackchannelLogoutURI, said.RequireSigned = "", false
	return said.client(c, usual)
}

// asTight is the client with nothing looser than it was: an administrator may have
// tightened it, and what they have said counts more than what it says of itself.
func asTight(was, c storage.Client) storage.Client {
	c.Profile = was.Profile
	c.Scopes = within(c.Scopes, was.Scopes)
	c.OptionalScopes, c.DefaultScopes = within(was.OptionalScopes, c.Scopes), within(was.DefaultScopes, c.Scopes)
	c.ProofNeeded = c.ProofNeeded || was.ProofNeeded
	c.CertificateNeeded = c.CertificateNeeded || was.CertificateNeeded
	c.RequirePushed, c.RequireSigned = c.RequirePushed || was.RequirePushed, c.RequireSigned || was.RequireSigned
	c.IDTokenAlg, c.AssertionAlg = stronger(was.IDTokenAlg, c.IDTokenAlg), stronger(was.AssertionAlg, c.AssertionAlg)
	return c
}

// stronger is the algorithm that a client names, unless it had one that is not the usual.
func stronger(was, named string) string {
	if named == "" || was != "" && was != usualAlg {
		return was
	}
	return named
}

// checkWords refuses what only administrators give, or nobody has.
func (m Metadata) checkWords() error {
	methods := []string{"", authNone, authBasic, storage.AuthSecretInBody, storage.AuthPrivateKey}
	if !slices.Contains(methods, m.AuthMethod) {
		return wrong("token_endpoint_auth_method", "A client that registers itself proves itself by %s, or not at all (%s).",
			strings.Join([]string{authBasic, storage.AuthSecretInBody, storage.AuthPrivateKey}, ", "), authNone)
	}
	if len(m.GrantTypes) > 0 && !slices.Contains(m.GrantTypes, grantCode) {
		return wrong("grant_types", "A client that registers itself signs people in: its grant_types hold %s.", grantCode)
	}
	if len(m.RedirectURIs) == 0 {
		return fault.New(fault.Invalid, ReasonRedirect, "The client needs at least one redirect URI.").
			At(redirecturi.FieldRedirect)
	}
	return nil
}

func wrong(field, format string, args ...any) error {
	return fault.Newf(fault.Invalid, ReasonMetadata, format, args...).At(field)
}

// clientType is what sort of client it is. One without a secret runs on people's own
// machines unless all its addresses are of the web.
func (m Metadata) clientType() storage.ClientType {
	switch {
	case m.AuthMethod != authNone:
		return storage.ClientWeb
	case m.ApplicationType == appNative || slices.ContainsFunc(m.RedirectURIs, redirecturi.IsLoopbackOrPrivate):
		return storage.ClientNative
	}
	return storage.ClientSPA
}

// name is what the client calls itself, or the host that people come back to.
func (m Metadata) name() string {
	name := strings.Join(strings.Fields(m.Name), " ")
	if letters := []rune(name); len(letters) > maxName {
		name = strings.TrimSpace(string(letters[:maxName]))
	}
	if name != "" {
		return name
	}
	if u, err := url.Parse(m.RedirectURIs[0]); err == nil && u.Host != "" {
		return u.Host
	}
	return "App"
}

// scopes are what the client may ask people for: what it names that clients may be given
// by themselves, and what is usual, and to search. People are asked about each by name; a
// client that names what it needs at first would have no way to ask for more.
func (m Metadata) scopes(usual []string) []string {
	named, _ := scope.Parse(m.Scope)
	named = slices.DeleteFunc(named, func(name string) bool {
		return !scope.Known(name) ||
			scope.NeedsAdministrator(name)
	})
	all := scope.Union(named, append(usual, scope.DataSearch))
	if len(m.GrantTypes) > 0 && !slices.Contains(m.GrantTypes, grantFresh) {
		all = slices.DeleteFunc(all, func(name string) bool { return name == scope.OfflineAccess })
	}
	return all
}

// within are those of the scopes that are among others. Of the usual ones a request is
// given them that names none, so none is among them that changes anything.
func within(some, scopes []string) []string {
	return slices.DeleteFunc(slices.Clone(some), func(name string) bool { return !scope.Registered(scopes, name) })
}

// proof is storage.ClientSecurity.AuthMethod.
func (m Metadata) proof() string {
	if m.AuthMethod == storage.AuthPrivateKey || m.AuthMethod == storage.AuthSecretInBody {
		return m.AuthMethod
	}
	return ""
}

func (m Metadata) keys() string {
	if string(m.JWKS) == "null" {
		return ""
	}
	return string(m.JWKS)
}
