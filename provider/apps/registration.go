package apps

import (
	"cmp"
	"slices"

	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// Registration is what a new client is to be.
type Registration struct {
	Name    string
	Type    storage.ClientType
	Profile string // empty: storage.ProfilePlatform

	RedirectURIs           []string
	PostLogoutRedirectURIs []string
	Origins                []string // browser origins beside those of a spa client's redirect URIs
	Scopes                 []string // nil: DefaultScopes of the type; empty but not nil: none
	OptionalScopes         []string // what of it people may leave out
	DefaultScopes          []string // what of it a request is given that names none
	BackchannelLogoutURI   string

	LogoURI   string // shown to people who are asked for consent; may be empty, as the next two
	PolicyURI string // says what the app does with what it learns
	TermsURI  string

	HomeURI          string // where people open it; may be empty, as the next
	InitiateLoginURI string // where a sign-in begins that the server wants

	MakeKey bool // a key is made for it, which it proves itself by

	storage.ClientExchange // an administrator's to give

	storage.ClientSecurity // an empty algorithm is RS256

	LeanIDToken bool // as in storage.Client, like the next three
	Devices     bool
	PlainJWT    bool
	RequirePKCE bool
	FirstParty  bool // consent is not asked; an administrator's to give
	Internal    bool // may act for other owners of service accounts; an administrator's to give
	Restricted  bool // only for those who are named for it; an administrator's to say
	Vouched     bool // the operator says that it is what it says; likewise

	SecondFactor bool // nobody signs in to it without a second factor; likewise
	OwnClaims    clientprofile.Claims

	OwnerUserID     string // who registers it in the portal; empty: the operator
	ByAdministrator bool   // whoever asks is a server administrator
}

// DefaultScopes returns what a client of the type is registered for when
// nobody says: enough to sign people in and to read. Whatever changes
// something is asked for by name.
func DefaultScopes(clientType storage.ClientType) []string {
	if clientType == storage.ClientService {
		return []string{scope.DataRead}
	}
	return []string{scope.OpenID, scope.Profile, scope.Email, scope.OfflineAccess, scope.UserProfileRead, scope.DataRead}
}

func (r Registration) client() storage.Client {
	r.Profile = cmp.Or(r.Profile, storage.ProfilePlatform)
	if r.Scopes == nil {
		r.Scopes = DefaultScopes(r.Type)
	}
	client := storage.Client{
		Name: r.Name, Type: r.Type, Profile: r.Profile, OwnerUserID: r.OwnerUserID,
		RedirectURIs: once(r.RedirectURIs), PostLogoutRedirectURIs: once(r.PostLogoutRedirectURIs),
		Origins: once(r.Origins), Scopes: once(r.Scopes), OptionalScopes: once(r.OptionalScopes),
		DefaultScopes: once(r.DefaultScopes), ClientExchange: r.ClientExchange,
		BackchannelLogoutURI: r.BackchannelLogoutURI,
		LogoURI:              r.LogoURI, PolicyURI: r.PolicyURI, TermsURI: r.TermsURI, ClientSecurity: r.ClientSecurity,
		HomeURI: r.HomeURI, InitiateLoginURI: r.InitiateLoginURI, SecondFactor: r.SecondFactor,
		LeanIDToken: r.LeanIDToken, Devices: r.Devices, PlainJWT: r.PlainJWT, RequirePKCE: r.RequirePKCE,
		FirstParty: r.FirstParty,
		Internal:   r.Internal, Restricted: r.Restricted,
		Vouched: r.Vouched, OwnClaims: r.OwnClaims.Text(),
	}
	client.ClientSecurity = settled(client)
	return client
}

// Change says what of a client is to be different; nil leaves a field alone.
// A client keeps its type for life, because its tokens and secrets hang on it.
type Change struct {
	Name                   *string
	Profile                *string
	RedirectURIs           *[]string
	PostLogoutRedirectURIs *[]string
	Origins                *[]string
	Scopes                 *[]string
	DefaultScopes          *[]string // likewise
	ExchangeFor            *[]string
	Impersonates           *bool
	IntroducesTo           *[]string
	OptionalScopes         *[]string // not given: those that still are among the scopes
	BackchannelLogoutURI   *string
	LogoURI                *string
	PolicyURI              *string
	TermsURI               *string
	HomeURI                *string
	InitiateLoginURI       *string
	SecurityChange
	LeanIDToken *bool
	Devices     *bool
	PlainJWT    *bool
	RequirePKCE *bool
	FirstParty  *bool
	Internal    *bool
	Restricted  *bool
	Vouched     *bool

	SecondFactor *bool
	OwnClaims    *clientprofile.Claims
	Disabled     *bool // as SetDisabled, in the same act

	ByAdministrator bool // whoever asks is a server administrator
}

func (c Change) applied(client storage.Client) storage.Client {
	replace(&client.Name, c.Name)
	replace(&client.Profile, c.Profile)
	replaceList(&client.RedirectURIs, c.RedirectURIs)
	replaceList(&client.PostLogoutRedirectURIs, c.PostLogoutRedirectURIs)
	replaceList(&client.Origins, c.Origins)
	replaceList(&client.Scopes, c.Scopes)
	client.OptionalScopes = slices.DeleteFunc(slices.Clone(client.OptionalScopes),
		func(name string) bool { return !scope.Registered(client.Scopes, name) })
	replaceList(&client.OptionalScopes, c.OptionalScopes)
	client.DefaultScopes = slices.DeleteFunc(slices.Clone(client.DefaultScopes),
		func(name string) bool { return !scope.Registered(client.Scopes, name) })
	replaceList(&client.DefaultScopes, c.DefaultScopes)
	replaceList(&client.ExchangeFor, c.ExchangeFor)
	replace(&client.Impersonates, c.Impersonates)
	replaceList(&client.IntroducesTo, c.IntroducesTo)
	replace(&client.BackchannelLogoutURI, c.BackchannelLogoutURI)
	replace(&client.LogoURI, c.LogoURI)
	replace(&client.PolicyURI, c.PolicyURI)
	replace(&client.TermsURI, c.TermsURI)
	replace(&client.HomeURI, c.HomeURI)
	replace(&client.InitiateLoginURI, c.InitiateLoginURI)
	replace(&client.SecondFactor, c.SecondFactor)
	client.ClientSecurity = c.SecurityChange.applied(client.ClientSecurity)
	client.ClientSecurity = settled(client)
	replace(&client.LeanIDToken, c.LeanIDToken)
	replace(&client.Devices, c.Devices)
	replace(&client.PlainJWT, c.PlainJWT)
	replace(&client.RequirePKCE, c.RequirePKCE)
	replace(&client.FirstParty, c.FirstParty)
	replace(&client.Internal, c.Internal)
	replace(&client.Restricted, c.Restricted)
	replace(&client.Vouched, c.Vouched)
	if c.OwnClaims != nil {
		client.OwnClaims = c.OwnClaims.Text()
	}
	return client
}

func replace[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

func replaceList(field, values *[]string) {
	if values != nil {
		*field = once(*values)
	}
}

// once drops repetitions and keeps the order.
func once(list []string) []string {
	var kept []string
	for _, entry := range list {
		if !slices.Contains(kept, entry) {
			kept = append(kept, entry)
		}
	}
	return kept
}

// trusted is the app that somebody has changed who can't give it the trust of
// administrators: what it was given for ends it.
func trusted(before, after storage.Client) storage.Client {
	comesTheSame := slices.Equal(after.RedirectURIs, before.RedirectURIs) && scope.Within(after.Scopes, before.Scopes)
	after.FirstParty = after.FirstParty && comesTheSame
	after.Vouched = after.Vouched && comesTheSame && looksTheSame(before, after)
	return after
}

// looksTheSame reports whether what the operator vouched for is still so: what the
// app is called, and where it sends people.
func looksTheSame(before, after storage.Client) bool {
	return after.Name == before.Name && after.LogoURI == before.LogoURI &&
		after.HomeURI == before.HomeURI && after.InitiateLoginURI == before.InitiateLoginURI &&
		after.PolicyURI == before.PolicyURI && after.TermsURI == before.TermsURI
}
