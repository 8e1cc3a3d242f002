// Package provider is OAuth 2.0 and OpenID Connect: the authorize and token
// endpoints, sign-in and consent, user info, revocation, introspection, logout,
// keys and discovery.
//
// It is the only importer of fosite. The framework decides the protocol's
// steps; what it reads and writes goes through our own storage adapter
// (grant_store.go), our own token strategies (strategy.go) and our own bodies
// (wire.go), because its stock ones are too loose or too slow for us. Start
// reading at engine.go for the composition, authorize.go and token.go for the
// two main paths, grant_types.go for the grants.
package provider

import (
	"context"
	"log/slog"
	"net/url"
	"time"

	"github.com/ory/fosite"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/password"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/devices"
	"github.com/portico-id/portico/provider/resources"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// Lifetimes are how long things live; zero fields are the specification's
// values (S1 section 8).
type Lifetimes struct {
	Code          time.Duration // 5 minutes
	IDToken       time.Duration // 60 minutes
	AccessToken   time.Duration // 60 minutes
	RefreshToken  time.Duration // 15 days
	RefreshGrace  time.Duration // no default: 0 turns honest retries off
	Grant         time.Duration // of all refresh tokens of a grant, for standard clients; 0: no end
	GrantPlatform time.Duration // the same for platform clients
	LoginRequest  time.Duration // 1 hour: how long a person may take to sign in
}

func (l Lifetimes) withDefaults() Lifetimes {
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&l.Code, 5 * time.Minute},
		{&l.IDToken, time.Hour},
		{&l.AccessToken, time.Hour},
		{&l.RefreshToken, 15 * 24 * time.Hour},
		{&l.LoginRequest, time.Hour},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	return l
}

// Store is what the provider keeps.
type Store interface {
	storage.UserStore
	storage.ClientStore
	storage.LoginStore
	storage.DeviceStore
	storage.GrantStore
	storage.LogoutDeliveryStore
	storage.AuditStore
	storage.TryStore

	// FindClientLogo is of storage.ClientLogoStore.
	FindClientLogo(ctx context.Context, clientID string) (string, error)

	// MayUseClient is of storage.ClientAccessStore.
	MayUseClient(ctx context.Context, clientID, userID string) (bool, error)

	// ListGroupsOfUser is of storage.UserGroupStore.
	ListGroupsOfUser(ctx context.Context, userID string) ([]storage.UserGroup, error)

	// FindServiceAccount is of storage.ServiceAccountStore.
	FindServiceAccount(ctx context.Context, id string) (storage.ServiceAccount, error)

	// SpendProofID is of storage.ServiceAccountStore.
	SpendProofID(ctx context.Context, clientID, jti string, until time.Time) error

	// ListResources is of storage.ResourceStore.
	ListResources(ctx context.Context) ([]storage.Resource, error)

	// ResourceEnds is of storage.ResourceStore.
	ResourceEnds(ctx context.Context) (map[string]time.Time, error)

	// AcquireLease is of storage.UpkeepStore.
	AcquireLease(ctx context.Context, name, holder string, now, until time.Time) (bool, error)
}

// AssertionVerifier judges the signed assertions of service accounts; the
// rules live with the service accounts.
type AssertionVerifier interface {
	// VerifyAssertion returns what the client's assertion says, when all of it
	// is proven but whether it is new. A refusal is an Invalid fault with
	// reason invalid_grant.
	VerifyAssertion(ctx context.Context, act storage.Act, client storage.Client,
		assertion string) (storage.Assertion, error)

	// AcceptAssertion is asked last, when nothing else is wrong with the
	// request: it refuses, as VerifyAssertion does, an assertion whose jti was
	// used before, and notes that account and key were used.
	AcceptAssertion(ctx context.Context, act storage.Act, assertion storage.Assertion) error
}

// SecondFactors judge what people prove with, beside their password, who they
// are.
type SecondFactors interface {
	// Find returns what the user has.
	Find(ctx context.Context, userID string) (storage.Factors, error)

	// Prove uses up a code of the user's authenticator, or notes in the proof a recovery
	// code, which the session uses up that starts. Invalid for one that is wrong or was
	// used, TooMany, and NotFound for a user who has no second factor.
	Prove(ctx context.Context, act storage.Act, userID, code string, proof *storage.Proof) error

	// Offer returns an authenticator app to add, of which the token is if it is one
	// of the user's.
	Offer(user storage.User, token string) (templates.Offer, error)

	// TakeOffer gives the user the authenticator app that the token stands for, when
	// the code is one of its, and returns the page with recovery codes that leads on.
	// Invalid for any other code, TooMany, Conflict for a user who has one, and Gone when
	// the proof counts no more by which they are on the way in.
	TakeOffer(ctx context.Context, act storage.Act, user storage.User, proof storage.Proof, token, code,
		then string) (templates.RevealPage, error)
	OfferPasskey(ctx context.Context, user storage.User, browser string) (templates.PasskeyAsk, error)
	PasskeyForm(action string, typed url.Values) templates.Form
	TakePasskey(ctx context.Context, act storage.Act, user storage.User, proof storage.Proof, browser string,
		form url.Values, then string) (templates.RevealPage, error)

	// AskPasskey returns what a page asks somebody for one of the passkeys with, or
	// for any when there are none.
	AskPasskey(from string, passkeys []storage.Passkey) templates.PasskeyAsk

	// ProvePasskey returns the passkey that answered what they were asked. Invalid
	// for any other answer.
	ProvePasskey(ctx context.Context, act storage.Act, from, answer string) (storage.Passkey, error)
}

// Watch hears what those who manage a client want to know. Requests wait for
// neither method. No secret is told.
type Watch interface {
	// SecretUsed says that a client proved itself with the secret.
	SecretUsed(secretID string, at time.Time)

	// Failed says that a request in a client's name was refused.
	Failed(failure storage.ClientFailure)
}

// Provider serves the identity half's endpoints. Make one with New.
type Provider struct {
	issuer       string
	lifetimes    Lifetimes
	store        Store
	clients      *clientCache
	remote       *remoteKeys
	ambient      *ambient.Source
	keys         *signing.KeySet
	resources    *resources.Registry
	bearer       *bearer.Authenticator
	possession   possession
	certificates certificates
	sessions     *websession.Manager
	passwords    *password.Hasher
	ring         *sealing.Ring
	refresh      refreshTokens
	pages        *templates.Pages
	web          *webpage.Writer
	demo         *templates.DemoContent
	log          *slog.Logger
	framework    *fosite.Fosite
	attempts     *attempts
	devices      *devices.Devices
	calls        counter
	logouts      *LogoutDeliveries
	metadata     *metadata
	verifier     AssertionVerifier
	watch        Watch
	factors      SecondFactors
	tryOuts      func(clientID, redirectURI string) (ours, stands bool)
	help         Help
	elsewhere    Elsewhere
	directories  Directories
	documents    Documents
}
