package upstreams

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
)

// Who signs out here is signed out, whatever the upstream does. Then they are offered to
// sign out there, too (RP-Initiated Logout 1.0), and where they go on comes along,
// sealed, as state.

const (
	maxHint     = 8 << 10
	hintLabel   = "ID token of a sign-in at an upstream"
	leaveLabel  = "where somebody goes on who signed out of an upstream"
	leaveLife   = time.Hour
	signedOutAt = "/login?signed_out=1"
)

// onward is where somebody goes on.
type onward struct {
	To    string    `json:"to"`
	Until time.Time `json:"until"`
}

// Hint implements provider.Elsewhere.
func (u *Upstreams) Hint(ctx context.Context, session storage.LoginSession) (string, error) {
	sealed, err := u.with.Store.FindUpstreamHint(ctx, session.ID)
	if err != nil || sealed == nil {
		return "", err
	}
	text, _, err := u.with.Ring.Open(hintLabel, sealed, []byte(session.UpstreamID))
	return string(text), err
}

// Leave implements provider.Elsewhere.
func (u *Upstreams) Leave(ctx context.Context, session storage.LoginSession, hint,
	to string) (storage.Leaving, error) {
	upstream, config, err := u.find(ctx, session.UpstreamID)
	if err != nil || upstream.Kind != storage.UpstreamOIDC || !config.OfferLogout {
		return storage.Leaving{}, err
	}
	meta, err := u.remote(upstream, config).known(ctx)
	if err != nil {
		return storage.Leaving{}, err
	}
	there, err := url.Parse(meta.Logout)
	if err != nil || !config.pages(there) {
		return storage.Leaving{}, err // it has no such page
	}
	state := u.sealOnward(upstream.ID, to)
	back := "/login/upstream/" + upstream.ID + "/signed-out"
	query := there.Query()
	for name, value := range map[string]string{"client_id": config.ClientID, "state": state,
		"post_logout_redirect_uri": u.with.BaseURL + back, "id_token_hint": hint} {
		if value != "" {
			query.Set(name, value)
		}
	}
	there.RawQuery = query.Encode()
	return storage.Leaving{Name: upstream.Name, URL: there.String(),
		Stay: back + "?" + url.Values{"state": {state}}.Encode()}, nil
}

// pages reports whether browsers are sent to the address: in clear only where the
// upstream itself is asked so.
func (c Config) pages(there *url.URL) bool {
	clear := there.Scheme == "http" && strings.HasPrefix(c.Issuer, "http://")
	return there.Host != "" && (there.Scheme == "https" || clear)
}

func (u *Upstreams) sealOnward(id, to string) string {
	text, _ := json.Marshal(onward{to, u.with.Ambient.Now().Add(leaveLife)}) // text and a time: can't fail
	return base64.RawURLEncoding.EncodeToString(u.with.Ring.Seal(leaveLabel, text, []byte(id)))
}

// signedOut takes whoever comes back from signing out there, or did not go, to where
// they were going. Without a state that is ours that is the sign-in page.
func (p *Pages) signedOut(w http.ResponseWriter, r *http.Request) error {
	query, err := httpio.ReadQuery(r)
	if err != nil {
		return err
	}
	id, err := httpio.PathID(r, upstreamPathVar)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, p.openOnward(query.Get("state"), id), http.StatusSeeOther)
	return nil
}

func (p *Pages) openOnward(state, id string) string {
	box, err := sealing.Decode(state)
	if err != nil {
		return signedOutAt
	}
	next := onward{}
	text, _, err := p.with.Ring.Open(leaveLabel, box, []byte(id))
	if err != nil || json.Unmarshal(text, &next) != nil || p.with.Ambient.Now().After(next.Until) {
		return signedOutAt
	}
	return next.To
}
