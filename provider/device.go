package provider

import (
	"context"
	"net/http"
	"net/url"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/provider/devices"
	"github.com/portico-id/portico/storage"
)

// deviceCalls is the endpoint of devices without a browser (RFC 8628).
type deviceCalls struct{ *Provider }

// beginning is the answer of RFC 8628 section 3.2.
type beginning struct {
	DeviceCode string `json:"device_code"`
	UserCode   string `json:"user_code"`
	URI        string `json:"verification_uri"`
	Complete   string `json:"verification_uri_complete"`
	ExpiresIn  int64  `json:"expires_in"` // seconds, like the next
	Interval   int64  `json:"interval"`
}

// begin serves POST of deviceCallPath.
func (p deviceCalls) begin(w http.ResponseWriter, r *http.Request) error {
	form, err := readTokenForm(w, r)
	if err != nil {
		return err
	}
	c, err := p.authenticateClient(w, r, form, ratelimit.Authorize)
	if err != nil {
		return err
	}
	answer, err := p.keep(r, c, form)
	if err != nil {
		p.tellRefusal(r.Context(), c, form, err)
		return err
	}
	noStore(w)
	httpio.WriteJSON(w, http.StatusOK, jsonType, answer)
	return nil
}

// keep keeps what a proven client asks for.
func (p deviceCalls) keep(r *http.Request, c *client, form url.Values) (beginning, error) {
	if !c.grants.Has(deviceGrant.name) {
		return beginning{}, fault.New(fault.Invalid, "unauthorized_client", "The client is not registered for devices.")
	}
	params := withoutEmpty(form)
	if _, err := p.deviceRequest(r.Context(), c, params); err != nil {
		return beginning{}, err
	}
	kept, err := toKeep(params)
	if err != nil {
		return beginning{}, err
	}
	deviceCode, userCode, err := p.devices.Begin(r.Context(), storage.DeviceRequest{
		ClientID: c.ID, Params: kept, Address: httpio.From(r.Context()).Address,
	})
	return beginning{
		DeviceCode: deviceCode, UserCode: userCode, URI: p.issuer + devicePath,
		Complete:  p.issuer + devicePath + "?" + devices.FieldCode + "=" + userCode,
		ExpiresIn: int64(devices.Lifetime.Seconds()), Interval: int64(devices.Interval.Seconds()),
	}, err
}

// deviceRequest judges what a device asks for as an authorize request is judged. The
// person is always asked, for everything, and signs in as whatever takes the tokens demands: of our
// own APIs, too, for the device would come back with a token that they refuse, and do the same again.
func (p deviceCalls) deviceRequest(ctx context.Context, c *client, params url.Values) (*authorizeRequest, error) {
	params.Del("claims") // no page asks for what it names
	a := &authorizeRequest{target: target{client: c}, params: params, responseType: "code", prompts: []string{"consent"}}
	if err := a.checkResources(ctx, p.resources); err != nil {
		return nil, err
	}
	if err := a.checkScope(); err != nil {
		return nil, err
	}
	demanding, err := p.resources.Demanding(ctx, a.resources)
	if err != nil {
		return nil, err
	}
	a.maxAge = oldest(demanding) // what the device says of it does not count
	if err := a.checkStrength(ctx, p.resources, nil); err != nil {
		return nil, err
	}
	a.strong = a.strong || demanding.ACR() == storage.ACRTwoFactors
	return a, nil
}
