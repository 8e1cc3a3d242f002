package accounts

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// ReasonNoDevice is of the fault of a device that is none of the person's, or none any more.
const ReasonNoDevice = "device_not_found"

// Device is one on which an app acts for a person who let it in elsewhere (RFC 8628).
type Device struct {
	ID       string
	Address  string // from where it asked
	Since    time.Time
	LastSeen time.Time
	EndsAt   time.Time // zero: not by itself
}

func deviceOf(grant storage.Grant) Device {
	return Device{ID: grant.ID, Address: grant.Device, Since: grant.CreatedAt, LastSeen: grant.RotatedAt,
		EndsAt: grant.EndsAt}
}

// EndDevice ends what the app may on one device; others, and the consent, stay. NotFound
// as Find, and with ReasonNoDevice.
func (a *Accounts) EndDevice(ctx context.Context, act storage.Act, userID, clientID, id string) error {
	c, err := a.Find(ctx, userID, clientID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(c.Devices, func(d Device) bool { return d.ID == id }) {
		return fault.New(fault.NotFound, ReasonNoDevice, "There is no such device.")
	}
	return a.with.Store.RevokeGrant(ctx, act, id)
}

// DeviceJSON is a device in the API, and on the command line.
type DeviceJSON struct {
	ID              string     `json:"id"`
	Address         string     `json:"address"`
	Since           time.Time  `json:"since"`
	LastConnectedAt *time.Time `json:"last_connected_at"`
	EndsAt          *time.Time `json:"ends_at"`
}

// DevicesJSON tells of devices.
func DevicesJSON(devices []Device) []DeviceJSON {
	told := []DeviceJSON{}
	for _, d := range devices {
		told = append(told, DeviceJSON{ID: d.ID, Address: d.Address, Since: d.Since, LastConnectedAt: orNull(d.LastSeen),
			EndsAt: orNull(d.EndsAt)})
	}
	return told
}

// endDevice is the operation that ends a device of the user.
func (a *API) endDevice(w http.ResponseWriter, r *http.Request, c adminapi.Call, userID string) error {
	app, err := httpio.PathID(r, clientVariable)
	if err != nil {
		return err
	}
	device, err := httpio.PathID(r, deviceVariable)
	if err == nil {
		err = a.accounts.EndDevice(r.Context(), c.Act, userID, app, device)
	}
	if err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// endOwnDevice serves DELETE /account/v1/apps/{clientId}/devices/{deviceId}.
func (a *API) endOwnDevice(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	return a.endDevice(w, r, c, c.User.ID)
}

// endUsersDevice serves DELETE /admin/v1/users/{userId}/consents/{clientId}/devices/{deviceId}.
func (a *API) endUsersDevice(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	user, err := a.user(r)
	if err != nil {
		return err
	}
	return a.endDevice(w, r, c, user)
}

// The fields of the buttons that end a device, and its variable in addresses of the API.
const (
	fieldApp       = "app"
	fieldDevice    = "device"
	deviceVariable = "deviceId"
)

func deviceRows(c Connection) []templates.DeviceRow {
	var rows []templates.DeviceRow
	for _, d := range c.Devices {
		rows = append(rows, templates.DeviceRow{ID: d.ID, Address: d.Address, Since: d.Since, LastSeen: d.LastSeen})
	}
	return rows
}

// endDevice serves the buttons. One that has ended already is what was wanted.
func (p *Pages) endDevice(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	err = p.with.Accounts.EndDevice(r.Context(), v.Act, v.UserID, values.Get(fieldApp), values.Get(fieldDevice))
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	return webpage.See(w, r, appsPath+"?done=device")
}
