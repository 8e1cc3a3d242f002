package provider

import (
	"context"
	"crypto/sha512"
	"net/http"
	"net/url"
	"time"

	"github.com/ory/fosite"
	"github.com/ory/fosite/handler/oauth2"
	"github.com/ory/fosite/handler/openid"
)

// newFramework composes fosite by hand. Every knob is set: a nil one would be
// filled in at the first request, which is a data race.
func newFramework(p *Provider) *fosite.Fosite {
	config := frameworkConfig(p)
	store := &grantStore{provider: p}
	strategy := &strategy{provider: p}

	idTokens := &openid.IDTokenHandleHelper{IDTokenStrategy: strategy}
	prompts := openid.NewOpenIDConnectRequestValidator(nil, config) // decodes hints only, and we strip those
	code := &oauth2.AuthorizeExplicitGrantHandler{
		AccessTokenStrategy:    strategy,
		RefreshTokenStrategy:   strategy,
		AuthorizeCodeStrategy:  strategy,
		CoreStorage:            store,
		TokenRevocationStorage: store,
		Config:                 config,
	}
	codeOpenID := &openid.OpenIDConnectExplicitHandler{
		OpenIDConnectRequestStorage:   store,
		OpenIDConnectRequestValidator: prompts,
		Config:                        config,
		IDTokenHandleHelper:           idTokens,
	}

	config.AuthorizeEndpointHandlers = fosite.AuthorizeEndpointHandlers{
		code,
		codeOpenID,
		&openid.OpenIDConnectImplicitHandler{
			IDTokenHandleHelper:           idTokens,
			OpenIDConnectRequestValidator: prompts,
			Config:                        config,
		},
		&openid.OpenIDConnectHybridHandler{
			AuthorizeExplicitGrantHandler: code,
			IDTokenHandleHelper:           idTokens,
			OpenIDConnectRequestValidator: prompts,
			OpenIDConnectRequestStorage:   store,
			Config:                        config,
		},
	}
	config.TokenEndpointHandlers = tokenHandlers(tools{
		provider: p, config: config, store: store, strategy: strategy,
		idTokens: idTokens, code: code, codeOpenID: codeOpenID,
	})
	return &fosite.Fosite{Store: store, Config: config}
}

// tokenHandlers returns what performs the grants at the token endpoint.
func tokenHandlers(t tools) fosite.TokenEndpointHandlers {
	var all fosite.TokenEndpointHandlers
	for _, g := range grantTypes {
		if g.handlers == nil || !g.offeredBy(t.provider) {
			continue
		}
		for _, handler := range g.handlers(t) {
			all = append(all, only{handler, g.name})
		}
	}
	return all
}

func frameworkConfig(p *Provider) *fosite.Config {
	config := &fosite.Config{
		AccessTokenLifespan:   p.lifetimes.AccessToken,
		RefreshTokenLifespan:  p.lifetimes.RefreshToken,
		AuthorizeCodeLifespan: p.lifetimes.Code,
		IDTokenLifespan:       p.lifetimes.IDToken,
		IDTokenIssuer:         p.issuer,
		AccessTokenIssuer:     p.issuer,

		// The stock strategies split scopes on dots and match audiences by prefix. What a
		// client may ask for hangs on the resource too, so it is judged before.
		ScopeStrategy:            judgedBefore,
		AudienceMatchingStrategy: fosite.ExactAudienceMatchingStrategy,

		// Every code grant comes with a refresh token (S1 2.4); nil would mean
		// "only with an offline scope".
		RefreshTokenScopes: []string{},

		// The lengths of state and nonce are judged by the client's profile, in
		// authorize_check.go; 0 would mean 8.
		MinParameterEntropy: 1,

		// authorize_check.go has judged the redirect URI already.
		RedirectSecureChecker: func(context.Context, *url.URL) bool { return true },
		AllowedPromptValues:   []string{"login", "none", "consent", "select_account"},

		ClientSecretsHasher:    refusingHasher{}, // client_auth.go compares secrets
		SanitationWhiteList:    []string{"redirect_uri"},
		OmitRedirectScopeParam: true,
		MessageCatalog:         nil, // our answers are English; one would parse every Accept-Language
		HMACHasher:             sha512.New512_256,
		TokenEntropy:           32,
		HashCost:               12,
		TokenURL:               p.issuer + TokenPath,

		GrantTypeJWTBearerMaxDuration:      time.Hour,
		VerifiableCredentialsNonceLifespan: time.Hour,
		PushedAuthorizeRequestURIPrefix:    "urn:portico:not-offered:",
		PushedAuthorizeContextLifespan:     time.Minute,
	}
	config.ClientAuthenticationStrategy = func(ctx context.Context, _ *http.Request, _ url.Values) (fosite.Client, error) {
		return provenClient(ctx)
	}
	return config
}

// judgedBefore lets through the scopes that the framework is given: FilterScopes and
// stillHeld have held them to what the client may ask for.
func judgedBefore([]string, string) bool { return true }

// refusingHasher stands where the framework would compare client secrets, so
// that a forgotten path fails closed.
type refusingHasher struct{}

func (refusingHasher) Compare(context.Context, []byte, []byte) error { return fosite.ErrInvalidClient }
func (refusingHasher) Hash(context.Context, []byte) ([]byte, error) {
	return nil, fosite.ErrServerError
}
