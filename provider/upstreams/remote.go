package upstreams

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/fetched"
	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/storage"
)

// Bounds of what upstreams may cost.
const (
	documentLife = time.Hour
	callTimeout  = 5 * time.Second
	maxAnswer    = 1 << 20
	maxCalls     = 16 // at one upstream at once
)

// remote is what is known of an upstream's server, and the way to it.
type remote struct {
	kind     string
	config   Config
	changed  time.Time // of the upstream; another time makes another remote
	outbound *outbound.Client
	calls    chan struct{}
	metadata *fetched.Documents[metadata]
	keys     *fetched.Documents[keySet]
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

// keySet is the provider's keys.
type keySet struct {
	keys    []jose.JSONWebKey
	issuers map[string]string // whose they say they are, by kid, where they do
}

var errUnreachable = fault.New(fault.Unavailable, "upstream_unreachable",
	"The provider does not answer as it should. Try again in a moment, or sign in another way.")

func newRemote(source *ambient.Source, upstream storage.Upstream, config Config) *remote {
	r := &remote{kind: upstream.Kind, config: config, changed: upstream.UpdatedAt, calls: make(chan struct{}, maxCalls),
		outbound: outbound.New(outbound.Options{Networks: outbound.ReadNetworks(config.Networks),
			Named: outbound.ByField, Timeout: callTimeout, MaxAnswer: maxAnswer})}
	r.metadata = fetched.New(fetched.Options[metadata]{Ambient: source, Timeout: callTimeout, Least: documentLife,
		Most: documentLife, Get: r.fetchMetadata})
	r.keys = fetched.New(fetched.Options[keySet]{Ambient: source, Timeout: callTimeout, Least: documentLife,
		Most: documentLife, Get: r.fetchKeys})
	return r
}

// enter takes one of the places of those who ask the upstream about somebody at once, and
// turns everybody else away: one that stalls holds up nobody who does not want it.
func (r *remote) enter() (leave func(), _ error) {
	select {
	case r.calls <- struct{}{}:
		return func() { <-r.calls }, nil
	default:
		return nil, errUnreachable
	}
}

// get reads a JSON document about somebody.
func (r *remote) get(ctx context.Context, address string, header http.Header, into any) error {
	leave, err := r.enter()
	if err != nil {
		return err
	}
	defer leave()
	_, err = r.read(ctx, address, header, into)
	return err
}

// read reads a JSON document, and returns the header of the answer, if one came. What is
// published for everybody is read by it at once: one of the crowd that waits fetches it,
// whom those who ask about themselves must not turn away.
func (r *remote) read(ctx context.Context, address string, header http.Header, into any) (http.Header, error) {
	answer, err := r.outbound.GetWith(ctx, address, header)
	if err == nil && (answer.Status != http.StatusOK || json.Unmarshal(answer.Body, into) != nil) {
		err = causef("the answer of %.200s has status %d or is no JSON", address, answer.Status)
	}
	if err != nil {
		return answer.Header, errUnreachable.Because(err)
	}
	return answer.Header, nil
}

func plain() http.Header { return http.Header{"Accept": {"application/json"}} }

func anybody() error { return nil }

// known returns the metadata. A failure is not tried again at once.
func (r *remote) known(ctx context.Context) (metadata, error) {
	if r.kind == storage.UpstreamGitHub {
		return gitHubMetadata(r.config.Issuer), nil
	}
	address := strings.Replace(r.config.Issuer, tenantMark, "organizations", 1) + "/.well-known/openid-configuration"
	return r.metadata.Find(ctx, address, func(metadata) bool { return true }, anybody)
}

func (r *remote) fetchMetadata(ctx context.Context, address string) (got metadata, _ http.Header, _ error) {
	header, err := r.read(ctx, address, plain(), &got)
	switch {
	case err != nil:
	case got.Issuer != r.config.Issuer:
		err = errUnreachable.Because(causef("its metadata is of another issuer, %.200q", got.Issuer))
	case got.Authorize == "" || got.Token == "" || got.Keys == "":
		err = errUnreachable.Because(causef("its metadata lacks an endpoint"))
	}
	return got, header, err
}

// keysFor returns the keys for a token, fetched anew once a minute at most for one whose key
// is not known.
func (r *remote) keysFor(ctx context.Context, known func([]jose.JSONWebKey) bool) (keySet, error) {
	meta, err := r.known(ctx)
	if err != nil {
		return keySet{}, err
	}
	return r.keys.Find(ctx, meta.Keys, func(set keySet) bool { return known(set.keys) }, anybody)
}

func (r *remote) fetchKeys(ctx context.Context, address string) (got keySet, header http.Header, err error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if header, err = r.read(ctx, address, plain(), &set); err != nil {
		return got, header, err
	}
	text, err := json.Marshal(set)
	if err != nil {
		return got, header, err
	}
	got.keys, _ = jwt.ReadKeys(text) // those that can't be used count as absent
	got.issuers = map[string]string{}
	for _, one := range set.Keys {
		var said struct{ Kid, Issuer string }
		if json.Unmarshal(one, &said) == nil && said.Issuer != "" {
			got.issuers[said.Kid] = said.Issuer
		}
	}
	return got, header, nil
}
