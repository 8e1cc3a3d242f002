package upstreams

import (
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/acts"
	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// logoutEvent is what a logout token is about (Back-Channel Logout 1.0, 2.4).
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

// logoutAge is how old a logout token may be.
const logoutAge = 2 * time.Minute

// loggedOut takes an upstream's word that somebody has signed out there.
func (p *Pages) loggedOut(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "no-store")
	form, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	id, err := httpio.PathID(r, upstreamPathVar)
	if err != nil {
		return err
	}
	upstream, config, err := p.find(r.Context(), id)
	if err != nil || upstream.Kind != storage.UpstreamOIDC {
		return errLogout.Because(err)
	}
	now := p.with.Ambient.Now()
	claims, _, err := p.remote(upstream, config).open(r.Context(), form.Get("logout_token"), jwt.TypeLogout,
		jwt.TypePlain, jwt.TypeNone)
	if err == nil {
		err = claims.ofLogout(now)
	}
	if err == nil {
		err = p.endAll(r, upstream, config, claims, now)
	}
	if err != nil && fault.From(err).Kind != fault.Unavailable {
		p.with.Log.WarnContext(r.Context(), "an upstream's logout token was not accepted", "upstream",
			id, "cause", err.Error())
		return errLogout.Because(err)
	}
	return err
}

var errLogout = fault.New(fault.Invalid, "invalid_request", "The logout token is not accepted.")

// ofLogout says what is wrong with a logout token.
func (c idToken) ofLogout(now time.Time) error {
	_, about := c.Events[logoutEvent].(map[string]any)
	switch {
	case !about:
		return causef("events does not say that it is about a logout")
	case c.Nonce != "":
		return causeNonce
	case c.ID == nil || *c.ID == "" || len(*c.ID) > maxSubject:
		return causef("jti is missing")
	case c.IssuedAt == nil || now.Sub(time.Unix(int64(*c.IssuedAt), 0)).Abs() > logoutAge:
		return causeTime
	case c.Expiry != nil && *c.Expiry < float64(now.Add(-leeway).Unix()):
		return causeTime
	case c.Subject == "" && c.SID == "":
		return causef("neither sub nor sid says who signed out")
	case !c.short():
		return causeSubject
	}
	return nil
}

// endAll ends what the person has here by the upstream. Whom nobody knows has nothing.
func (p *Pages) endAll(r *http.Request, upstream storage.Upstream, config Config, claims idToken, now time.Time) error {
	said := newProof(upstream, config, claims)
	act := acts.Of(r.Context(), now, storage.Actor{Kind: storage.ActorSystem})
	return p.with.Store.HearLogout(r.Context(), act, storage.UpstreamLogout{UpstreamID: upstream.ID, ID: *claims.ID,
		Until: now.Add(2 * logoutAge), Issuer: said.issuer, Subject: said.subject, SID: claims.SID,
		EndGrants: config.EndGrants})
}
