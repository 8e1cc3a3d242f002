package apps

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/internal/term"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/provider/usage"
	"github.com/portico-id/portico/storage"
)

// API is the operations under /admin/v1/apps: what administrators do with all
// apps, by the rules of the pages and of the command line.
type API struct {
	apps   *Apps
	door   *adminapi.Door
	limits *ratelimit.Limits
	usage  usage.Records
}

// Routes are the operations.
func (a *API) Routes() []httpio.Route {
	const app = "/apps/{clientId}"
	return append([]httpio.Route{
		httpio.At("/apps").Get(a.door.Read(a.list)).Post(a.door.Write(a.create)),
		httpio.At(app).Get(a.door.Read(a.app(a.show))).Patch(a.door.Write(a.app(a.change))).
			Delete(a.door.Write(a.app(a.delete))),
		httpio.At(app + "/logouts").Get(a.door.Read(a.app(a.listLogouts))),
		httpio.At(app + "/usage").Get(a.door.Read(a.app(a.showUsage))),
		httpio.At(app + "/logo").Put(a.door.Write(a.app(a.setLogo))).Delete(a.door.Write(a.app(a.deleteLogo))),
		httpio.At(app + "/secrets").Post(a.door.Write(a.app(a.addSecret))),
		httpio.At(app + "/secrets/{secretId}").Delete(a.door.Write(a.app(a.deleteSecret))),
	}, append(a.accessRoutes(app), a.memberRoutes(app)...)...)
}

// NewAPI returns the operations. limits are of invitations; nil: none.
func NewAPI(apps *Apps, door *adminapi.Door, limits *ratelimit.Limits, used usage.Records) *API {
	return &API{apps: apps, door: door, limits: limits, usage: used}
}

// showUsage serves GET /admin/v1/apps/{clientId}/usage.
func (a *API) showUsage(w http.ResponseWriter, r *http.Request, _ adminapi.Call, client storage.Client) error {
	s, err := a.usage.Asked(r, client.ID)
	if err != nil {
		return err
	}
	return adminapi.OK(w, usage.NewJSON(s))
}

// JSON is an app in the API, and on the command line. Names follow RFC 7591 where it has one.
type JSON struct {
	ClientID             string          `json:"client_id"`
	ClientSecret         string          `json:"client_secret,omitempty"` // when it is new, and never again
	PrivateKey           json.RawMessage `json:"private_jwk,omitempty"`   // when it was made here, and never again
	Notices              []string        `json:"notices,omitempty"`       // when it was added or changed
	Name                 string          `json:"name"`
	Type                 string          `json:"type"`
	Profile              string          `json:"profile"`
	RedirectURIs         []string        `json:"redirect_uris"`
	PostLogoutURIs       []string        `json:"post_logout_redirect_uris"`
	Origins              []string        `json:"origins"`
	Scope                string          `json:"scope"`
	OptionalScope        string          `json:"optional_scope"`
	DefaultScope         string          `json:"default_scope"`
	ExchangeFor          []string        `json:"exchange_for"`
	Impersonates         bool            `json:"impersonates"`
	IntroducesTo         []string        `json:"introduces_to"`
	BackchannelLogoutURI string          `json:"backchannel_logout_uri"`
	LogoURI              string          `json:"logo_uri"`
	PolicyURI            string          `json:"policy_uri"`
	TermsURI             string          `json:"tos_uri"`
	HomeURI              string          `json:"client_uri"`
	InitiateLoginURI     string          `json:"initiate_login_uri"`
	SecondFactor         bool            `json:"require_second_factor"`
	Security
	LeanIDToken bool         `json:"lean_id_token"`
	Devices     bool         `json:"devices"`
	PlainJWT    bool         `json:"plain_jwt"`
	RequirePKCE bool         `json:"require_pkce"`
	FirstParty  bool         `json:"first_party"`
	Internal    bool         `json:"internal"`
	Restricted  bool         `json:"restricted"`
	Vouched     bool         `json:"vouched"`
	Claims      []ClaimJSON  `json:"claims"`
	Disabled    bool         `json:"disabled"`
	OwnerUserID string       `json:"owner_user_id"`
	Secrets     []secretJSON `json:"secrets"`
	CreatedAt   time.Time    `json:"created_at"`
	UpdatedAt   time.Time    `json:"updated_at"`
}

type secretJSON struct {
	ID         string     `json:"id"`
	Label      string     `json:"label"`
	CreatedAt  time.Time  `json:"created_at"`
	LastUsedAt *time.Time `json:"last_used_at"`
	EndsAt     *time.Time `json:"ends_at"`
}

// NewJSON tells of an app.
func NewJSON(c storage.Client) JSON {
	body := JSON{
		ClientID: c.ID, Name: c.Name, Type: string(c.Type), Profile: c.Profile, RedirectURIs: listed(c.RedirectURIs),
		PostLogoutURIs: listed(c.PostLogoutRedirectURIs), Origins: listed(c.Origins), Scope: scope.Format(c.Scopes),
		OptionalScope: scope.Format(c.OptionalScopes),
		DefaultScope:  scope.Format(c.DefaultScopes), ExchangeFor: listed(c.ExchangeFor), Impersonates: c.Impersonates,
		IntroducesTo: listed(c.IntroducesTo),
		HomeURI:      c.HomeURI, InitiateLoginURI: c.InitiateLoginURI, SecondFactor: c.SecondFactor,
		BackchannelLogoutURI: c.BackchannelLogoutURI, LogoURI: c.LogoURI, PolicyURI: c.PolicyURI, TermsURI: c.TermsURI,
		Security: SecurityOf(c), LeanIDToken: c.LeanIDToken, Devices: c.Devices, PlainJWT: c.PlainJWT,
		RequirePKCE: clientprofile.PKCERequired(c), FirstParty: c.FirstParty, Internal: c.Internal, Restricted: c.Restricted,
		Vouched: c.Vouched, Claims: claimsOf(c), Disabled: c.Disabled,
		OwnerUserID: c.OwnerUserID, Secrets: []secretJSON{}, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
	}
	for _, s := range c.Secrets {
		body.Secrets = append(body.Secrets, secretJSON{ID: s.ID, Label: s.Label, CreatedAt: s.CreatedAt,
			LastUsedAt: adminapi.Moment(s.LastUsedAt), EndsAt: adminapi.Moment(s.EndsAt)})
	}
	return body
}

// listed lets an absent list be [] in JSON.
func listed(list []string) []string { return append([]string{}, list...) }

// appChange is what an app is to be, or become; nil leaves a field alone.
type appChange struct {
	Name                 *string   `json:"name"`
	Type                 string    `json:"type"` // when adding only
	Profile              *string   `json:"profile"`
	RedirectURIs         *[]string `json:"redirect_uris"`
	PostLogoutURIs       *[]string `json:"post_logout_redirect_uris"`
	Origins              *[]string `json:"origins"`
	Scope                *string   `json:"scope"`
	OptionalScope        *string   `json:"optional_scope"`
	DefaultScope         *string   `json:"default_scope"`
	ExchangeFor          *[]string `json:"exchange_for"`
	Impersonates         *bool     `json:"impersonates"`
	IntroducesTo         *[]string `json:"introduces_to"`
	BackchannelLogoutURI *string   `json:"backchannel_logout_uri"`
	LogoURI              *string   `json:"logo_uri"`
	PolicyURI            *string   `json:"policy_uri"`
	TermsURI             *string   `json:"tos_uri"`
	HomeURI              *string   `json:"client_uri"`
	InitiateLoginURI     *string   `json:"initiate_login_uri"`
	SecondFactor         *bool     `json:"require_second_factor"`
	SecurityChange
	KeySet      json.RawMessage       `json:"jwks"`     // null: none
	MakeKey     bool                  `json:"make_key"` // when adding only
	LeanIDToken *bool                 `json:"lean_id_token"`
	Devices     *bool                 `json:"devices"`
	PlainJWT    *bool                 `json:"plain_jwt"`
	RequirePKCE *bool                 `json:"require_pkce"`
	FirstParty  *bool                 `json:"first_party"`
	Internal    *bool                 `json:"internal"`
	Restricted  *bool                 `json:"restricted"`
	Vouched     *bool                 `json:"vouched"`
	Claims      *clientprofile.Claims `json:"claims"`
	Disabled    *bool                 `json:"disabled"` // when changing only
	OwnerUserID string                `json:"owner_user_id"`
}

func (c appChange) change() (Change, error) {
	change := Change{
		Name: c.Name, Profile: c.Profile, RedirectURIs: c.RedirectURIs,
		PostLogoutRedirectURIs: c.PostLogoutURIs, Origins: c.Origins,
		BackchannelLogoutURI: c.BackchannelLogoutURI, LogoURI: c.LogoURI, PolicyURI: c.PolicyURI, TermsURI: c.TermsURI,
		HomeURI: c.HomeURI, InitiateLoginURI: c.InitiateLoginURI, SecondFactor: c.SecondFactor,
		SecurityChange: c.SecurityChange, LeanIDToken: c.LeanIDToken, Devices: c.Devices, PlainJWT: c.PlainJWT,
		RequirePKCE: c.RequirePKCE,
		FirstParty:  c.FirstParty, Internal: c.Internal, Restricted: c.Restricted, Vouched: c.Vouched,
		OwnClaims: c.Claims, Disabled: c.Disabled, ByAdministrator: true,
	}
	if c.KeySet != nil {
		change.JWKS = new(strings.TrimPrefix(string(c.KeySet), "null"))
	}
	change.ExchangeFor, change.Impersonates, change.IntroducesTo = c.ExchangeFor, c.Impersonates, c.IntroducesTo
	for _, list := range []struct {
		text   *string
		scopes **[]string
	}{{c.Scope, &change.Scopes}, {c.OptionalScope, &change.OptionalScopes}, {c.DefaultScope, &change.DefaultScopes}} {
		if list.text == nil {
			continue
		}
		scopes, err := scope.Parse(*list.text)
		if err != nil {
			return change, err
		}
		*list.scopes = &scopes
	}
	return change, nil
}

func (c appChange) registration() (Registration, error) {
	change, err := c.change()
	if err != nil {
		return Registration{}, err
	}
	r := Registration{Type: storage.ClientType(c.Type), OwnerUserID: c.OwnerUserID,
		ByAdministrator: true, MakeKey: c.MakeKey}
	replace(&r.Name, change.Name)
	replace(&r.Profile, change.Profile)
	replace(&r.RedirectURIs, change.RedirectURIs)
	replace(&r.PostLogoutRedirectURIs, change.PostLogoutRedirectURIs)
	replace(&r.Origins, change.Origins)
	replace(&r.DefaultScopes, change.DefaultScopes)
	replace(&r.ExchangeFor, change.ExchangeFor)
	replace(&r.Impersonates, change.Impersonates)
	replace(&r.IntroducesTo, change.IntroducesTo)
	replace(&r.BackchannelLogoutURI, change.BackchannelLogoutURI)
	replace(&r.LogoURI, change.LogoURI)
	replace(&r.PolicyURI, change.PolicyURI)
	replace(&r.TermsURI, change.TermsURI)
	replace(&r.HomeURI, change.HomeURI)
	replace(&r.InitiateLoginURI, change.InitiateLoginURI)
	replace(&r.SecondFactor, change.SecondFactor)
	r.ClientSecurity = change.SecurityChange.applied(r.ClientSecurity)
	replace(&r.LeanIDToken, change.LeanIDToken)
	replace(&r.Devices, change.Devices)
	replace(&r.PlainJWT, change.PlainJWT)
	replace(&r.RequirePKCE, change.RequirePKCE)
	replace(&r.FirstParty, change.FirstParty)
	replace(&r.Internal, change.Internal)
	replace(&r.Restricted, change.Restricted)
	replace(&r.Vouched, change.Vouched)
	replace(&r.OwnClaims, change.OwnClaims)
	replace(&r.OptionalScopes, change.OptionalScopes)
	if change.Scopes != nil {
		r.Scopes = listed(*change.Scopes)
	}
	return r, nil
}

// list serves GET /admin/v1/apps.
func (a *API) list(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
	query, page, err := adminapi.Query(r)
	if err != nil {
		return err
	}
	disabled, err := adminapi.Flags(query, "disabled")
	if err != nil {
		return err
	}
	filter := storage.ClientFilter{Query: strings.TrimSpace(query.Get("q")), Owner: query.Get("owner"),
		Opener: query.Get("opener")}
	if disabled[0] {
		filter.Disabled = new(true)
	}
	clients, err := a.apps.List(r.Context(), filter, page)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.Listed(clients, NewJSON))
}

// create serves POST /admin/v1/apps.
func (a *API) create(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	var body appChange
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	registration, err := body.registration()
	if err != nil {
		return err
	}
	created, err := a.apps.Create(r.Context(), c.Act, registration)
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/admin/v1/apps/"+created.Client.ID)
	return writeCreated(w, created, a.apps.Notices(r.Context(), created.Client)...)
}

func writeCreated(w http.ResponseWriter, created Created, notices ...string) error {
	body := NewJSON(created.Client)
	body.ClientSecret, body.PrivateKey, body.Notices = created.Secret, json.RawMessage(created.PrivateKey), notices
	return adminapi.WriteJSON(w, http.StatusCreated, body)
}

// ofApp is what is done with an app.
type ofApp func(w http.ResponseWriter, r *http.Request, c adminapi.Call, client storage.Client) error

// app is an operation on the app that the path names.
func (a *API) app(do ofApp) adminapi.Operation {
	return func(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
		client, err := httpio.Named(r, appVariable, a.apps.Find)
		if err != nil {
			return err
		}
		return do(w, r, c, client)
	}
}

// show serves GET /admin/v1/apps/{clientId}.
func (a *API) show(w http.ResponseWriter, _ *http.Request, _ adminapi.Call, client storage.Client) error {
	return adminapi.OK(w, NewJSON(client))
}

// change serves PATCH /admin/v1/apps/{clientId}: all that the body says, or nothing.
func (a *API) change(w http.ResponseWriter, r *http.Request, c adminapi.Call, client storage.Client) error {
	var body appChange
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	change, err := body.change()
	if err != nil {
		return err
	}
	if _, err := a.apps.Update(r.Context(), c.Act, client.ID, change); err != nil {
		return err
	}
	after, err := a.apps.Find(r.Context(), client.ID)
	if err != nil {
		return err
	}
	answer := NewJSON(after)
	answer.Notices = a.apps.Notices(r.Context(), after)
	return adminapi.OK(w, answer)
}

// delete serves DELETE /admin/v1/apps/{clientId}.
func (a *API) delete(w http.ResponseWriter, r *http.Request, c adminapi.Call, client storage.Client) error {
	if err := a.apps.Delete(r.Context(), c.Act, client.ID); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// addSecret serves POST /admin/v1/apps/{clientId}/secrets.
func (a *API) addSecret(w http.ResponseWriter, r *http.Request, c adminapi.Call, client storage.Client) error {
	var body struct {
		Label  string    `json:"label"`
		EndsAt time.Time `json:"ends_at"`
	}
	if err := httpio.ReadOptionalJSON(w, r, &body); err != nil {
		return err
	}
	created, err := a.apps.RotateSecret(r.Context(), c.Act, client.ID,
		NewSecret{Term: term.Term{Label: body.Label, EndsAt: body.EndsAt}})
	if err != nil {
		return err
	}
	return writeCreated(w, created)
}

// deleteSecret serves DELETE /admin/v1/apps/{clientId}/secrets/{secretId}.
func (a *API) deleteSecret(w http.ResponseWriter, r *http.Request, c adminapi.Call, client storage.Client) error {
	id, err := httpio.PathID(r, secretVariable)
	if err != nil {
		return err
	}
	if err := a.apps.DeleteSecret(r.Context(), c.Act, client, id); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}
