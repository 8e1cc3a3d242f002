package upstreams

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/internal/outbound"
)

// Bounds of what upstreams may cost.
const (
	metadataLife = time.Hour
	keysAnew     = time.Minute // at the soonest, for a kid that is not known
	restAfter    = 10 * time.Second
	callTimeout  = 5 * time.Second
	maxAnswer    = 1 << 20
	maxCalls     = 16 // at one upstream at once
)

// remote is what is known of an upstream's server, and the way to it.
type remote struct {
	config   Config
	changed  time.Time // of the upstream; another time makes another remote
	outbound *outbound.Client
	calls    chan struct{}

	mu        sync.Mutex
	meta      metadata
	fetchedAt time.Time
	restUntil time.Time
	keys      []jose.JSONWebKey
	issuers   map[string]string // of keys, by kid, where it says so
	keysAt    time.Time
}

// metadata is what of the provider's own document counts.
type metadata struct {
	Issuer    string   `json:"issuer"`
	Authorize string   `json:"authorization_endpoint"`
	Token     string   `json:"token_endpoint"`
	UserInfo  string   `json:"userinfo_endpoint"`
	Keys      string   `json:"jwks_uri"`
	Logout    string   `json:"end_session_endpoint"`
	SendsIss  bool     `json:"authorization_response_iss_parameter_supported"`
	Methods   []string `json:"token_endpoint_auth_methods_supported"`
}

var errUnreachable = fault.New(fault.Unavailable, "upstream_unreachable",
	"The provider does not answer as it should. Try again in a moment, or sign in another way.")

func newRemote(config Config, changed time.Time) *remote {
	return &remote{config: config, changed: changed, calls: make(chan struct{}, maxCalls),
		outbound: outbound.New(outbound.Options{Networks: config.networks(), Timeout: callTimeout, MaxAnswer: maxAnswer})}
}

// call lets at most maxCalls talk to the upstream at once, and turns everybody else
// away: one that stalls holds up nobody who does not want it.
func (r *remote) call(do func() (outbound.Answer, error)) (outbound.Answer, error) {
	select {
	case r.calls <- struct{}{}:
		defer func() { <-r.calls }()
	default:
		return outbound.Answer{}, errUnreachable
	}
	answer, err := do()
	if err != nil {
		return answer, errUnreachable.Because(err)
	}
	return answer, nil
}

// get reads a JSON document.
func (r *remote) get(ctx context.Context, address string, header http.Header, into any) error {
	answer, err := r.call(func() (outbound.Answer, error) {
		if header == nil {
			return r.outbound.Get(ctx, address, "application/json")
		}
		return r.outbound.GetWith(ctx, address, header)
	})
	if err != nil {
		return err
	}
	if answer.Status != http.StatusOK || json.Unmarshal(answer.Body, into) != nil {
		return errUnreachable.Because(causef("the answer of %s has status %d or is no JSON", hostOf(address), answer.Status))
	}
	return nil
}

func hostOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return parsed.Host
}

// known returns the metadata, fetched when it is too old. A failure is not tried
// again at once. Whoever asks meanwhile waits for the one who fetches, for callTimeout
// at most.
func (r *remote) known(ctx context.Context, now time.Time) (metadata, error) {
	if r.config.Issuer == gitHub {
		return gitHubMetadata(), nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.fetchedAt) < metadataLife && r.meta.Issuer != "" {
		return r.meta, nil
	}
	if now.Before(r.restUntil) {
		return r.meta, errUnreachable
	}
	fresh := metadata{}
	address := strings.Replace(r.config.Issuer, tenantMark, "organizations", 1) + "/.well-known/openid-configuration"
	err := r.get(ctx, address, nil, &fresh)
	if err == nil && fresh.Issuer != r.config.Issuer {
		err = errUnreachable.Because(causef("its metadata is of another issuer"))
	}
	if err == nil && (fresh.Authorize == "" || fresh.Token == "" || fresh.Keys == "") {
		err = errUnreachable.Because(causef("its metadata lacks an endpoint"))
	}
	if err != nil {
		r.restUntil = now.Add(restAfter)
		return r.meta, err
	}
	r.meta, r.fetchedAt = fresh, now
	return fresh, nil
}

// keysFor returns the keys for a token that names kid, fetched anew once a minute at
// most for one that is not known, and the issuers that they say they are of.
func (r *remote) keysFor(ctx context.Context, kid string, now time.Time) ([]jose.JSONWebKey, map[string]string, error) {
	meta, err := r.known(ctx, now)
	if err != nil {
		return nil, nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	has := slices.ContainsFunc(r.keys, func(k jose.JSONWebKey) bool { return kid == "" || k.KeyID == kid })
	if has && now.Sub(r.keysAt) < metadataLife || !r.keysAt.IsZero() && now.Sub(r.keysAt) < keysAnew {
		return r.keys, r.issuers, nil
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := r.get(ctx, meta.Keys, nil, &set); err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(set)
	if err != nil {
		return nil, nil, err
	}
	r.keys, _ = jwt.ReadKeys(text) // those that can't be used count as absent
	r.issuers, r.keysAt = map[string]string{}, now
	for _, one := range set.Keys {
		var said struct{ Kid, Issuer string }
		if json.Unmarshal(one, &said) == nil && said.Issuer != "" {
			r.issuers[said.Kid] = said.Issuer
		}
	}
	return r.keys, r.issuers, nil
}

// GitHub is OAuth alone: who it is comes from its API, by a number that stays theirs
// when they take another name.
const gitHub = "https://github.com"

const gitHubAPI = "https://api.github.com"

func gitHubMetadata() metadata {
	return metadata{Issuer: gitHub, Authorize: gitHub + "/login/oauth/authorize",
		Token: gitHub + "/login/oauth/access_token", UserInfo: gitHubAPI + "/user"}
}
