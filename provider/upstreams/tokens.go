package upstreams

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"

	"github.com/portico-id/portico/storage"
)

// tokens are what a token endpoint answers.
type tokens struct {
	ID      string `json:"id_token"`
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	Error   string `json:"error"`
}

// exchange turns the answer of an upstream into what it stands for.
func (p *Pages) exchange(ctx context.Context, r *remote, meta metadata, upstream storage.Upstream,
	query url.Values) (tokens, error) {
	leave, err := r.enter()
	if err != nil {
		return tokens{}, err
	}
	defer leave()
	return p.askTokens(ctx, r, meta, upstream, url.Values{"grant_type": {"authorization_code"},
		"code": {query.Get("code")}, "redirect_uri": {p.RedirectURI(upstream.ID)},
		"code_verifier": {p.secretOf("verifier", query.Get("state"))}})
}

// askTokens asks the token endpoint as the client that we are there.
func (u *Upstreams) askTokens(ctx context.Context, r *remote, meta metadata, upstream storage.Upstream,
	form url.Values) (got tokens, err error) {
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Accept": {"application/json"}}
	secret, err := u.secret(upstream, r.config)
	if err != nil {
		return got, err
	}
	basic := slices.Contains(meta.Methods, "client_secret_basic") || len(meta.Methods) == 0
	if secret != "" && basic && upstream.Kind == storage.UpstreamOIDC {
		pair := url.QueryEscape(r.config.ClientID) + ":" + url.QueryEscape(secret)
		header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(pair)))
	} else {
		form.Set("client_id", r.config.ClientID)
		if secret != "" {
			form.Set("client_secret", secret)
		}
	}
	answer, err := r.outbound.PostWith(ctx, meta.Token, header, []byte(form.Encode()))
	if err != nil {
		return got, errUnreachable.Because(err)
	}
	if json.Unmarshal(answer.Body, &got) != nil || got.Error != "" || answer.Status != http.StatusOK {
		return got, causef("the token endpoint answers %d %.60q", answer.Status, got.Error)
	}
	return got, nil
}
