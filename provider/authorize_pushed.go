package provider

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
)

// A pushed request (RFC 9126) is a parked one: pushing parks it, authorize goes on
// with it, and the code that it leads to uses it up. So a page that is loaded twice,
// or by a preview, costs nothing, and a push writes what authorize would have.
//
// Its request_uri is the id of the parked request, sealed for the client until it
// has to have come to authorize. What pages name is the id, which is no request_uri.
const (
	pushedPrefix = "urn:ietf:params:oauth:request_uri:"
	pushedLabel  = "pushed request"
	pushedLife   = 90 * time.Second
)

// pushed is the answer of RFC 9126 section 2.2.
type pushed struct {
	RequestURI string `json:"request_uri"`
	ExpiresIn  int64  `json:"expires_in"` // seconds
}

// push serves POST of pushPath.
func (p *Provider) push(w http.ResponseWriter, r *http.Request) error {
	form, err := readTokenForm(w, r)
	if err != nil {
		return err
	}
	if err := (arrivals{p}).admit(r.Context(), w.Header(), form.Get("client_id")); err != nil {
		return err
	}
	c, err := p.authenticateClient(w, r, form, ratelimit.Authorize)
	if err != nil {
		return err
	}
	uri, err := arrivals{p}.push(r, c, form)
	if err != nil {
		p.tellRefusal(r.Context(), c, form, err)
		return err
	}
	noStore(w)
	httpio.WriteJSON(w, http.StatusCreated, jsonType, pushed{uri, int64(pushedLife.Seconds())})
	return nil
}

// push reads the request of a proven client, signed or not.
func (p arrivals) push(r *http.Request, c *client, form url.Values) (string, error) {
	if !c.profile.TakesPushed() {
		return "", fault.New(fault.Invalid, "unauthorized_client", "Clients of this profile can't push requests.")
	}
	if form.Has("request_uri") {
		return "", fault.New(fault.Invalid, "invalid_request",
			"A pushed request can't refer to another one: leave out request_uri.")
	}
	params := withoutEmpty(form)
	params.Set("client_id", c.ID)
	switch {
	case params.Has("request") && c.takesSigned():
		inner, err := p.openRequest(r.Context(), c, params.Get("request"), func() error { return nil })
		if err != nil {
			return "", err
		}
		params = inner
	case c.mustSign():
		return "", errUnsigned
	}
	if err := p.possession.bindPushed(r, c, params); err != nil {
		return "", err
	}
	return p.keep(r.Context(), params)
}

// keep judges the request of a proven client as authorize would, and returns the
// request_uri of it.
func (p arrivals) keep(ctx context.Context, params url.Values) (string, error) {
	t, err := p.proveTarget(ctx, params)
	if err != nil {
		return "", err
	}
	request, err := p.checkAuthorize(ctx, t, params)
	if err != nil {
		return "", err
	}
	kept, err := p.park(ctx, request)
	if err != nil {
		return "", err
	}
	return p.pushedURI(kept.ID, kept.ClientID, kept.CreatedAt.Add(pushedLife)), nil
}

func (p arrivals) pushedURI(id, clientID string, until time.Time) string {
	text := binary.BigEndian.AppendUint64(nil, uint64(until.Unix()))
	sealed := p.ring.Seal(pushedLabel, append(text, id...), []byte(clientID))
	return pushedPrefix + base64.RawURLEncoding.EncodeToString(sealed)
}

// findPushed returns the parked request that the client has pushed.
func (p arrivals) findPushed(ctx context.Context, c *client, uri string) (storage.LoginRequest, error) {
	now := p.ambient.Now()
	sealed, err := sealing.Decode(strings.TrimPrefix(uri, pushedPrefix))
	if err != nil {
		return storage.LoginRequest{}, errPushed
	}
	text, _, err := p.ring.Open(pushedLabel, sealed, []byte(c.ID))
	if err != nil || int64(binary.BigEndian.Uint64(text)) <= now.Unix() {
		return storage.LoginRequest{}, errPushed
	}
	request, err := p.store.FindLoginRequest(ctx, string(text[8:]), now)
	if fault.Is(err, fault.NotFound) {
		err = errPushed
	}
	return request, err
}
