package storage

import (
	"context"
	"slices"
	"time"
)

// ClientType is what sort of application a client is; it decides the grants.
type ClientType string

// The client types (decision C1).
const (
	ClientWeb     ClientType = "web"     // traditional web app, confidential
	ClientService ClientType = "service" // server-to-server, confidential
	ClientNative  ClientType = "native"  // desktop or mobile, public
	ClientSPA     ClientType = "spa"     // single-page app, public
)

// Profile names: which rule book a client is held to (decision C2).
const (
	ProfilePlatform = "platform" // the token specification to the letter
	ProfileStandard = "standard" // plain OAuth 2.x and OpenID Connect
	ProfileFAPI     = "fapi"     // the same under the FAPI 2.0 Security Profile

	ProfileFAPISigned = "fapi-signed" // and under FAPI 2.0 Message Signing
)

// Client is a registered application.
type Client struct {
	ID          string // 32 lower-case letters and digits
	Name        string
	Type        ClientType
	Profile     string // ProfilePlatform, ProfileStandard, ProfileFAPI or ProfileFAPISigned
	OwnerUserID string // who registered it in the portal; empty: the operator
	Origin      string // OriginOpen, OriginToken or an address; empty: somebody here registered it

	RedirectURIs           []string // in the order they were given
	PostLogoutRedirectURIs []string
	Origins                []string // extra browser origins, as "https://host[:port]"
	Scopes                 []string // what it may ask for
	OptionalScopes         []string // what of it people may leave out
	DefaultScopes          []string // what of it a request is given that names none
	BackchannelLogoutURI   string

	LogoURI   string // where the app keeps a picture of it; never loaded, see ClientLogo
	PolicyURI string // what the app does with what it learns
	TermsURI  string

	HomeURI          string // where people open it; empty: nowhere
	InitiateLoginURI string // where a sign-in begins that the server wants (OpenID Connect Core 4); likewise
	SecondFactor     bool   // nobody signs in to it without a second factor

	ClientSecurity

	ClientExchange

	OwnClaims   string // what it is told beside the usual claims: clientprofile.Claims, JSON; empty: nothing
	LeanIDToken bool   // claims about the person stay in user info where an access token is issued
	Devices     bool   // it may ask for people from devices without a browser (RFC 8628)
	PlainJWT    bool   // access tokens say typ JWT, for resource servers that do not know at+jwt

	RequirePKCE bool
	FirstParty  bool // consent is not asked
	Internal    bool // may act on service accounts of other owners
	Restricted  bool // only for those whom ClientAccessStore names
	Vouched     bool // the operator says that it is what it says
	Disabled    bool

	Secrets   []ClientSecret // newest first, at most two; none for public types
	CreatedAt time.Time
	UpdatedAt time.Time
}

// AuthPrivateKey is how a client proves itself by what it signs (RFC 7523, 2.2).
const AuthPrivateKey = "private_key_jwt"

// AuthSecretInBody is how a client proves itself by a secret that says that it sends it in
// the body. It may all the same send it in the header, as one that says nothing may in both.
const AuthSecretInBody = "client_secret_post"

// AuthCertificate and AuthOwnCertificate are how a client proves itself by the
// certificate that it connects with: one that an authority vouches for, or one of which
// it has registered the key (RFC 8705, 2).
const (
	AuthCertificate    = "tls_client_auth"
	AuthOwnCertificate = "self_signed_tls_client_auth"
)

// ClientSecurity is what the tokens of a client are signed with, and how it proves
// itself. Names of algorithms are those of RFC 7518; empty ones are RS256 where
// nothing else is said.
type ClientSecurity struct {
	IDTokenAlg     string // of ID tokens and logout tokens
	AccessTokenAlg string

	AuthMethod     string // one of those above; empty: by a secret, if it has one
	JWKS           string // its public keys, a JSON Web Key Set; empty: none
	KeysURI        string // where it keeps them; empty: nowhere
	AssertionAlg   string // what it signs assertions with; empty: whatever its keys can
	LegacyAudience bool   // its assertions are for the token endpoint, and live for an hour

	ProofNeeded       bool   // it has no access tokens but those that are bound to a key
	CertificateNeeded bool   // the same of its certificate
	CertificateField  string // which field of its certificate names it; empty: none
	CertificateName   string // what it says there

	RequirePushed bool // its authorize requests count only when it pushed them (RFC 9126)
	RequireSigned bool // and only when it signed them (RFC 9101)
}

// ClientExchange is what a client may make of the tokens that others send it
// (RFC 8693).
type ClientExchange struct {
	ExchangeFor  []string // Resource identifiers that it may have such tokens for
	Impersonates bool     // they need not say that it acts for the person

	// IntroducesTo are other servers to which it may introduce people: as
	// clientprofile.ReadIntroduction reads them.
	IntroducesTo []string
}

// Public reports whether the client can't keep a secret.
func (c Client) Public() bool { return c.Type == ClientNative || c.Type == ClientSPA }

// BySecret reports whether the client proves itself by a secret.
func (c Client) BySecret() bool {
	return !c.Public() && (c.AuthMethod == "" || c.AuthMethod == AuthSecretInBody)
}

// ClientSecret is one of a client's live secrets.
type ClientSecret struct {
	ID         string
	Hash       []byte // SHA-256 of the secret; of one that moved in as a hash, that as text
	CreatedAt  time.Time
	LastUsedAt time.Time // zero: never; may lag by a minute
	Label      string    // what it is for; may be empty
	EndsAt     time.Time // when it stops working; zero: never
}

// LiveAt reports whether the secret works at a time.
func (s ClientSecret) LiveAt(now time.Time) bool { return s.EndsAt.IsZero() || now.Before(s.EndsAt) }

// digestSize is how many bytes a SHA-256 has. Hashes of other products are longer.
const digestSize = 32

// Foreign is the hash that another product made of the secret; empty: it is one of ours.
func (s ClientSecret) Foreign() string {
	if len(s.Hash) == digestSize {
		return ""
	}
	return string(s.Hash)
}

// LiveSecrets returns the secrets that work at a time.
func (c Client) LiveSecrets(now time.Time) []ClientSecret {
	return slices.DeleteFunc(slices.Clone(c.Secrets), func(s ClientSecret) bool { return !s.LiveAt(now) })
}

// MaxClientSecrets is how many secrets of a client live at once.
const MaxClientSecrets = 2

// ReasonSecretsFull is the reason of the Conflict of one more secret.
const ReasonSecretsFull = "secrets_full"

// ReasonClientsFull is the reason of the TooMany fault of one more client.
const ReasonClientsFull = "clients_full"

// ClientFilter narrows a list of clients; empty fields keep all.
type ClientFilter struct {
	Query    string   // is the id, or in the name, whatever its case and accents, or finds the owner as UserFilter.Query
	Owner    string   // id of who registered it
	Manager  string   // id of who registered it or was added to it
	IDs      []string // one of these, at most MaxPage; nil: whichever it is
	Disabled *bool

	// Opener is the id of who can open it: it is enabled and has a HomeURI or an
	// InitiateLoginURI, it is for them, and the operator vouches for it or calls it its
	// own, or they have let it in.
	Opener string
}

// BrowserOrigins are from where pages may read what clients are answered, each once and
// unsorted, of enabled clients.
type BrowserOrigins struct {
	Origins []string // of all
	SPA     []string // redirect URIs of ClientSPA
	Native  []string // and of ClientNative, some of which are pages of the device itself
}

// ClientStore keeps client applications.
type ClientStore interface {
	// CreateClient adds the client with its secrets. Conflict when the id is
	// taken.
	CreateClient(ctx context.Context, act Act, client Client) error

	// RegisterClient is CreateClient for an owner who may have registered so many
	// clients at most. TooMany (ReasonClientsFull) when they have. Exact whatever runs
	// beside it. NotFound for an absent owner.
	RegisterClient(ctx context.Context, act Act, client Client, atMost int) error

	// FindClient returns the client, disabled ones too, or NotFound.
	FindClient(ctx context.Context, id string) (Client, error)

	// ListClients returns a page of the clients that fit, by name.
	// Invalid for a cursor that is none.
	ListClients(ctx context.Context, filter ClientFilter, page PageRequest) (Listing[Client], error)

	// UpdateClient replaces everything but OwnerUserID, Origin, Disabled,
	// Secrets and CreatedAt of the client with the same id, and moves UpdatedAt
	// on, to act.At unless it is as late already. NotFound; Conflict
	// (ReasonChanged) where it has moved on since the client was read.
	UpdateClient(ctx context.Context, act Act, client Client) error

	// PatchClient is UpdateClient and SetClientDisabled in one act; nil: that stays as it is.
	PatchClient(ctx context.Context, act Act, client Client, disabled *bool) error

	// AddClientSecret adds a secret and ends those of the client that ends names;
	// one that has ended already is passed over, and forgotten if its time has come.
	// Conflict (ReasonSecretsFull) when MaxClientSecrets others live on, NotFound for an
	// absent client.
	AddClientSecret(ctx context.Context, act Act, clientID string, secret ClientSecret, ends ...string) error

	// DeleteClientSecret removes one secret. NotFound.
	DeleteClientSecret(ctx context.Context, act Act, clientID, secretID string) error

	// MarkSecretsUsed notes when secrets (by id) were last used; it never
	// moves a time back, and unknown ids are passed over.
	MarkSecretsUsed(ctx context.Context, used map[string]time.Time) error

	// AdoptClientSecret puts a hash of our own in the place of the one that another
	// product made of the secret. Where it is another by now, nothing is changed.
	AdoptClientSecret(ctx context.Context, secretID string, foreign, own []byte) error

	// SetClientDisabled disables or enables the client; disabling also revokes
	// every grant of it. Tokens of before, and of the second in which it is disabled,
	// stay ended when it is enabled again; not those until a time that lies more than
	// SeenAhead ahead of act.At, which a wrong clock said. NotFound.
	SetClientDisabled(ctx context.Context, act Act, clientID string, disabled bool) error

	// DeleteClient removes the client with its secrets, consents, grants and
	// codes. NotFound.
	DeleteClient(ctx context.Context, act Act, clientID string) error

	// FindPostLogoutClients returns the enabled clients that have registered
	// the URI, byte for byte, among their PostLogoutRedirectURIs, ordered by
	// id: who a logout request may come from that names no client.
	FindPostLogoutClients(ctx context.Context, uri string) ([]Client, error)

	// ListBrowserOrigins returns what CORS needs, in one query.
	ListBrowserOrigins(ctx context.Context) (BrowserOrigins, error)
}
