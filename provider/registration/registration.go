// Package registration is clients that register themselves and look after their own
// registration (RFC 7591, RFC 7592), and the tokens by which administrators let them:
// the endpoints, /admin/v1/registrations, and the page of administrators.
//
// What a client may be is package apps's to say: the rules are those of the portal, for
// somebody who is no administrator. Whether clients may register themselves at all is
// package policy's. Start at New and Registrar.Register; metadata.go is what clients say
// of themselves, manage.go what they do later, NewDesk the page, NewAPI the API.
package registration

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"strings"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// Path is where clients register themselves, below the base URL.
const Path = "/authentication/v2/register"

// Who may register: the words of the policy.
const (
	Closed  = "closed"
	ByToken = "token"
	Open    = "open"
)

// Clients are the rules of what a client may be: package apps.
type Clients interface {
	Enrol(ctx context.Context, act storage.Act, wanted storage.Client,
		keep func(storage.Client) error) (made storage.Client, secret string, err error)
	Become(ctx context.Context, act storage.Act, wanted storage.Client) (storage.Client, error)
	Find(ctx context.Context, id string) (storage.Client, error)
	Delete(ctx context.Context, act storage.Act, id string) error
}

// Options are what a Registrar is made of. Every field is needed.
type Options struct {
	Store   storage.EnrolmentStore
	Apps    Clients
	Ambient *ambient.Source
	BaseURL string
	Mode    func() string                        // Closed, ByToken or Open at the moment
	Grants  func(client storage.Client) []string // the grants that a client has
	Answers func(client storage.Client) []string // and its response types

	DefaultScopes func(storage.ClientType) []string // what a client has that says nothing
}

// Registrar registers clients that ask for it themselves. It is safe for concurrent use.
type Registrar struct{ with Options }

// New returns a Registrar.
func New(o Options) *Registrar { return &Registrar{o} }

// Mode is who may register themselves at the moment: Closed, ByToken or Open.
func (r *Registrar) Mode() string { return r.with.Mode() }

// Endpoint is the address where clients register themselves; empty while they may not.
func (r *Registrar) Endpoint() string {
	if r.with.Mode() == Closed {
		return ""
	}
	return r.with.BaseURL + Path
}

// Register registers a client. Unauthenticated (ReasonToken), Forbidden (ReasonClosed),
// TooMany (storage.ReasonEnrolmentsFull); Invalid with one of the other reasons.
func (r *Registrar) Register(ctx context.Context, act storage.Act, token string, said Metadata) (Metadata, error) {
	origin, initial, err := r.admitted(token)
	if err != nil {
		return Metadata{}, err
	}
	wanted, err := said.client(storage.Client{}, r.with.DefaultScopes)
	if err != nil {
		return Metadata{}, err
	}
	wanted.Origin = origin
	own := r.with.Ambient.Token()
	made, secret, err := r.with.Apps.Enrol(ctx, act, wanted, func(client storage.Client) error {
		act.Actor.ID = client.ID
		return r.with.Store.EnrolClient(ctx, act, client, storage.Enrolment{
			ClientID: client.ID, TokenHash: hashed(own), Address: act.Address, Network: ratelimit.Network(act.Address),
			CreatedAt: act.At,
		}, initial)
	})
	if err != nil {
		return Metadata{}, inItsWords(err)
	}
	return r.told(made, secret, own), nil
}

// admitted returns how a client comes that has the token, and the hash of an initial
// one, which is judged where it is used.
func (r *Registrar) admitted(token string) (origin string, initial []byte, err error) {
	switch mode := r.with.Mode(); {
	case mode == Closed:
		return "", nil, fault.New(fault.Forbidden, ReasonClosed, "Clients do not register themselves on this server.")
	case token != "":
		return storage.OriginToken, hashed(token), nil
	case mode == Open:
		return storage.OriginOpen, nil, nil
	}
	return "", nil, fault.New(fault.Unauthenticated, "missing_token",
		"Clients register themselves here with an initial access token.")
}

func hashed(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// inItsWords gives what is wrong with a client the words of RFC 7591.
func inItsWords(err error) error {
	if err == nil {
		return nil
	}
	f := fault.From(err)
	if f.Kind != fault.Invalid && f.Kind != fault.Forbidden {
		return err
	}
	reason := ReasonMetadata
	if strings.HasPrefix(f.Source, "redirect_uri") {
		reason = ReasonRedirect
	}
	return fault.New(fault.Invalid, reason, f.Detail).At(f.Source).Because(err)
}

// told is what the client is told of its registration.
func (r *Registrar) told(c storage.Client, secret, token string) Metadata {
	m := Metadata{
		ClientID: c.ID, ClientSecret: secret, IssuedAt: c.CreatedAt.Unix(), AccessToken: token,
		ClientURI:    r.with.BaseURL + Path + "/" + c.ID,
		RedirectURIs: c.RedirectURIs, AuthMethod: authMethod(c), AssertionAlg: c.AssertionAlg,
		GrantTypes: r.with.Grants(c), ResponseTypes: r.with.Answers(c), ApplicationType: appWeb, Name: c.Name,
		HomeURI: c.HomeURI, LogoURI: c.LogoURI, PolicyURI: c.PolicyURI, TermsURI: c.TermsURI,
		Scope: scope.Format(c.Scopes), JWKS: json.RawMessage(c.JWKS), KeysURI: c.KeysURI, IDTokenAlg: c.IDTokenAlg,
		ProofNeeded: c.ProofNeeded, CertificateNeeded: c.CertificateNeeded,
		RequirePushed: c.RequirePushed, RequireSigned: c.RequireSigned, PostLogoutURIs: c.PostLogoutRedirectURIs,
		BackchannelLogoutURI: c.BackchannelLogoutURI, InitiateLoginURI: c.InitiateLoginURI,
	}
	if c.Type == storage.ClientNative {
		m.ApplicationType = appNative
	}
	if secret != "" {
		m.SecretExpiresAt = new(int64) // never
	}
	return m
}

func authMethod(c storage.Client) string {
	switch {
	case c.AuthMethod != "":
		return c.AuthMethod
	case c.Public():
		return authNone
	}
	return authBasic
}

// List returns the last clients that registered themselves, newest first.
func (r *Registrar) List(ctx context.Context) ([]storage.Enrolment, error) {
	return r.with.Store.ListEnrolments(ctx, mostListed)
}

const mostListed = 500

// Sweep removes the clients that nobody has let in for a day.
func (r *Registrar) Sweep(ctx context.Context, limit int) (int, error) {
	now := r.with.Ambient.Now()
	act := storage.Act{At: now, Actor: storage.Actor{Kind: storage.ActorSystem}}
	return r.with.Store.SweepEnrolments(ctx, act, now.Add(-storage.KeepIdleEnrolments), limit)
}
