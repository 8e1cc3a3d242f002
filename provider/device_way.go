package provider

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/provider/devices"
	"github.com/portico-id/portico/storage"
)

// Where people go on from the pages about a device, whoever they are and whatever they did
// before.

// devicePages are where people type the code that a device shows, and decide.
type devicePages struct {
	*Provider
	gate *websession.Gate
}

// deviceTicket says that somebody typed the code of a device.
type deviceTicket struct {
	Device  []byte `json:"device"` // hash of the request
	Code    string `json:"code"`   // as it was typed
	Session string `json:"session"`
}

const deviceLabel = "device ticket"

// asked is a device in front of the person whom it asks.
type asked struct {
	consenting
	ticket deviceTicket
	device storage.DeviceRequest
}

// typedURL is the page with the code in its field; without one the field is empty.
func typedURL(code string) string {
	if code == "" {
		return devicePath
	}
	return devicePath + "?" + url.Values{devices.FieldCode: {code}}.Encode()
}

// unproven is where somebody proves who they are, and types the code again, who did so
// too weakly or too long ago for what the device asks for; empty: they did.
func (a asked) unproven(now time.Time) string {
	query := url.Values{}
	if a.request.tooWeak(&a.session) {
		query.Set(strongVariable, "1")
	}
	if a.request.tooOld(&a.session, now) {
		query.Set(websession.AgainVariable, "1")
		query.Set(websession.WithinVariable, strconv.FormatInt(a.request.maxAge, 10))
	} else if a.request.wantsPresence(&a.session, now) {
		query.Set(websession.AgainVariable, "1")
	}
	if len(query) == 0 {
		return ""
	}
	query.Set("then", typedURL(a.ticket.Code))
	return loginPath + "?" + query.Encode()
}

// instead is where the person goes who can't be asked, or not any more, by the error: to
// prove who they are, to the code that they typed in an earlier sign-in, or to what they
// answered before, by a second click or by going back.
func (p devicePages) instead(r *http.Request, a asked, session websession.Session, err error) (string, error) {
	switch {
	case err == nil:
		return a.unproven(p.ambient.Now()), nil
	case !fault.HasReason(err, storage.ReasonRequestOver), a.ticket.Device == nil:
		return "", err
	case a.ticket.Session != session.ID:
		return typedURL(a.ticket.Code), nil
	}
	allowed, answered, failed := p.devices.Answered(r.Context(), a.ticket.Device, session.UserID)
	if failed != nil || !answered {
		return "", cmp.Or(failed, err)
	}
	return answeredURL(allowed), nil
}

func answeredURL(allowed bool) string {
	return devicePath + "?done=" + map[bool]string{true: "allowed", false: "denied"}[allowed]
}

// anew is where somebody else signs in, and goes on with the same code.
func (a asked) anew() string {
	return loginPath + "?" + url.Values{"then": {typedURL(a.ticket.Code)}, websession.AgainVariable: {"1"},
		websession.WithinVariable: {"0"}}.Encode()
}

// sentTo sends the browser on, unless something failed.
func sentTo(w http.ResponseWriter, r *http.Request, to string, err error) error {
	if err == nil {
		redirect(w, r, to)
	}
	return err
}
