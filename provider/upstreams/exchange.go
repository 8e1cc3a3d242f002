package upstreams

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/provider/said"
	"github.com/portico-id/portico/storage"
)

// proof is what an upstream has said of somebody, checked.
type proof struct {
	upstream storage.Upstream
	config   Config
	issuer   string
	subject  string
	Described
	verified bool // the address is theirs, by the upstream's word that counts
	authTime time.Time
	acr      string
	amr      []string
	sid      string
	groups   []string
	grouped  bool   // groups were told, and all of them
	refresh  []byte // with what the upstream is asked whether they are still there, sealed; nil: nothing
	hint     []byte // what is kept for signing out there, too, sealed; nil: nothing
}

// proven asks the upstream for what the answer stands for, and checks it.
func (p *Pages) proven(ctx context.Context, upstream storage.Upstream, config Config,
	attempt storage.UpstreamAttempt, query url.Values) (proof, error) {
	remote, now := p.remote(upstream, config), p.with.Ambient.Now()
	meta, err := remote.known(ctx)
	if err != nil {
		return proof{}, err
	}
	if iss := query.Get("iss"); iss != "" && iss != meta.Issuer || iss == "" && meta.SendsIss {
		return proof{}, causef("iss of the answer is another issuer's, or missing (RFC 9207)")
	}
	if query.Get("error") != "" || query.Get("code") == "" {
		return proof{}, answered(query.Get("error"))
	}
	within, told, err := p.wantsFresh(ctx, attempt)
	if err != nil {
		return proof{}, err
	}
	tokens, err := p.exchange(ctx, remote, meta, upstream, query)
	if err != nil {
		return proof{}, err
	}
	if upstream.Kind == storage.UpstreamGitHub {
		return remote.gitHubPerson(ctx, upstream, config, tokens.Access)
	}
	claims, payload, err := remote.open(ctx, tokens.ID, jwt.TypePlain, jwt.TypeNone)
	if err == nil {
		if claims.AuthTime == 0 && !told {
			within = -1 // untold says what it counts as
		}
		err = claims.ofAttempt(p.secretOf("nonce", query.Get("state")), tokens.Access, now, within)
	}
	if err != nil {
		return proof{}, err
	}
	said := newProof(upstream, config, claims)
	if err := said.suggest(ctx, remote, meta, tokens.Access, claims, query.Get("user")); err != nil {
		return proof{}, err
	}
	said.verified = said.vouched(claims)
	if tokens.Refresh != "" && config.recheck() > 0 && upstream.Kind == storage.UpstreamOIDC {
		said.refresh = p.sealRefresh(tokens.Refresh, upstream.ID, said.subject)
	}
	if config.OfferLogout && len(tokens.ID) <= maxHint {
		said.hint = p.with.Ring.Seal(hintLabel, []byte(tokens.ID), []byte(upstream.ID))
	}
	said.readGroups(payload)
	return said, nil
}

// known methods of RFC 8176 that are handed on.
func methods() []string {
	return []string{"face", "fpt", "geo", "hwk", "iris", "kba", "mca", "mfa", "otp", "pin", "pop", "pwd", "rba", "sc",
		"sms", "swk", "tel", "user", "vbm", "wia"}
}

func newProof(upstream storage.Upstream, config Config, claims idToken) proof {
	said := proof{upstream: upstream, config: config, issuer: claims.Issuer, subject: claims.Subject,
		Described: claims.Described, sid: claims.SID, acr: storage.ACRPassword}
	if claims.Object != "" && config.hasTenant(claims.Tenant) {
		said.subject = claims.Object // sub is another one for each app
	}
	if claims.AuthTime > 0 {
		said.authTime = time.Unix(int64(claims.AuthTime), 0).UTC()
	}
	if config.TrustFactors {
		said.amr = slices.DeleteFunc(slices.Clone(claims.AMR), func(m string) bool { return !slices.Contains(methods(), m) })
		strong := func(m string) bool { return slices.Contains([]string{"mfa", "otp", "hwk", "swk", "pop"}, m) }
		if slices.ContainsFunc(said.amr, strong) || slices.Contains(config.FactorACRs, claims.ACR) && claims.ACR != "" {
			said.acr = storage.ACRTwoFactors
		}
	}
	return said
}

// suggest fills in what the ID token leaves out: from user info, if that is about the
// same person, and with the name that Apple tells once.
func (s *proof) suggest(ctx context.Context, r *remote, meta metadata, access string, claims idToken,
	user string) error {
	if user != "" && s.upstream.Kind == storage.UpstreamApple {
		var said struct {
			Name struct{ FirstName, LastName string }
		}
		_ = json.Unmarshal([]byte(user), &said) // a suggestion alone
		s.GivenName, s.FamilyName = cmp.Or(s.GivenName, said.Name.FirstName), cmp.Or(s.FamilyName, said.Name.LastName)
	}
	if s.Email != "" && s.Name != "" || meta.UserInfo == "" || s.upstream.Kind == storage.UpstreamApple || access == "" {
		return nil
	}
	var info struct {
		Subject string `json:"sub"`
		Described
	}
	header := http.Header{"Authorization": {"Bearer " + access}, "Accept": {"application/json"}}
	if err := r.get(ctx, meta.UserInfo, header, &info); err != nil {
		return err
	}
	if info.Subject != claims.Subject {
		return causef("user info is about another person")
	}
	if s.Email == "" {
		s.Email, s.EmailVerified, s.EdOV = info.Email, info.EmailVerified, info.EdOV
	}
	s.Name, s.GivenName = cmp.Or(s.Name, info.Name), cmp.Or(s.GivenName, info.GivenName)
	s.FamilyName = cmp.Or(s.FamilyName, info.FamilyName)
	return nil
}

// vouched reports whether the address counts as the person's.
func (s *proof) vouched(claims idToken) bool {
	domain := domainOf(s.Email)
	switch {
	case domain == "" || denies(s.EmailVerified) || denies(s.EdOV):
		return false
	case len(s.config.Tenants) < 2 && said.Within(s.Email, s.config.Vouch): // none vouches for another's people
		return true
	case s.config.Issuer == google: // authoritative for its own domains alone
		return is(s.EmailVerified) && (domain == "gmail.com" || claims.Hosted != "")
	case claims.Tenant != "": // any tenant's administrator writes any address
		return is(s.EdOV)
	}
	return s.config.Trust && is(s.EmailVerified)
}

// readGroups reads the names of groups, unless they are cut off.
func (s *proof) readGroups(payload []byte) {
	if s.config.GroupsClaim == "" {
		return
	}
	var all map[string]json.RawMessage
	var elsewhere map[string]any
	_ = json.Unmarshal(payload, &all)
	_ = json.Unmarshal(all["_claim_names"], &elsewhere)
	if elsewhere[s.config.GroupsClaim] != nil {
		return // too many for the token: what is missing is not "none"
	}
	s.grouped = json.Unmarshal(all[s.config.GroupsClaim], &s.groups) == nil && all[s.config.GroupsClaim] != nil
}
