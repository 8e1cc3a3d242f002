// Package devices is what devices without a browser ask people for (RFC 8628): the
// codes, who may type them how often, and how often the device may ask.
//
// It knows no HTTP and no protocol: package provider serves the endpoint and the
// pages. A request waits in the store under the hash of its device code; the answer
// of the person turns it into an authorization code with the same hash, so that all
// that ends or spends codes holds for devices too.
package devices

import (
	"context"
	"crypto/sha256"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
)

// Reasons of the faults, which are the words of RFC 8628 section 3.5.
const (
	ReasonPending  = "authorization_pending"
	ReasonSlowDown = "slow_down"
	ReasonDenied   = "access_denied"
	ReasonExpired  = "expired_token"
)

// Store is what devices keep.
type Store interface {
	storage.DeviceStore
	storage.TryStore

	// FindCode is of storage.GrantStore.
	FindCode(ctx context.Context, hash []byte) (storage.AuthorizeCode, error)
}

// Devices are the requests of devices. Make them with New.
type Devices struct {
	store   Store
	ambient *ambient.Source
	ring    *sealing.Ring
}

// New returns the devices over a store.
func New(store Store, source *ambient.Source, ring *sealing.Ring) *Devices {
	return &Devices{store: store, ambient: source, ring: ring}
}

// hash has a label before the code, so that no code of an authorize answer is one of
// a device, nor the reverse.
func hash(deviceCode string) []byte {
	sum := sha256.Sum256([]byte("device code\x00" + deviceCode))
	return sum[:]
}

const userCodeLabel = "user code"

func (d *Devices) digest(userCode string) []byte { return d.ring.MAC(userCodeLabel, []byte(userCode)) }

// Begin keeps what a device asks for, of which ClientID, Params and Address count,
// and returns what the device shows and what it asks with.
func (d *Devices) Begin(ctx context.Context, request storage.DeviceRequest) (deviceCode, userCode string, err error) {
	for range 3 { // one of some thousand million codes may be taken
		deviceCode, userCode = d.ambient.Token(), newUserCode(d.ambient.Bytes(8))
		request.Hash, request.UserCode = hash(deviceCode), d.digest(userCode)
		request.CreatedAt = d.ambient.Now()
		request.ExpiresAt, request.PollEvery = request.CreatedAt.Add(Lifetime), Interval
		if err = d.store.ParkDevice(ctx, request); !fault.Is(err, fault.Conflict) {
			break
		}
	}
	return deviceCode, shown(userCode), err
}

// Ask returns the code that the person allowed for the client's device. Invalid, with
// a reason of RFC 8628, while there is none, and with invalid_grant for what never
// was, is another client's or was used: deliberately one answer. An answer is looked
// for before anything else, so that only those who wait can be too fast.
func (d *Devices) Ask(ctx context.Context, clientID, deviceCode string) (storage.AuthorizeCode, error) {
	key, now := hash(deviceCode), d.ambient.Now()
	code, err := d.store.FindCode(ctx, key)
	switch {
	case err == nil && (code.ClientID != clientID || !code.SpentAt.IsZero()):
		return code, errUnknown
	case err == nil && !now.Before(code.ExpiresAt):
		return code, errExpired
	case !fault.Is(err, fault.NotFound):
		return code, err
	}
	request, err := d.store.FindDevice(ctx, key)
	switch {
	case fault.Is(err, fault.NotFound), err == nil && request.ClientID != clientID:
		err = errUnknown
	case err != nil:
	case !request.DeniedAt.IsZero():
		err = fault.New(fault.Invalid, ReasonDenied, "The person did not allow it.")
	case !now.Before(request.ExpiresAt):
		err = errExpired
	default:
		err = d.waits(ctx, request, now)
	}
	return storage.AuthorizeCode{}, err
}

// Waiting returns the request with the hash for as long as it waits for an answer, or
// NotFound.
func (d *Devices) Waiting(ctx context.Context, hash []byte) (storage.DeviceRequest, error) {
	request, err := d.store.FindDevice(ctx, hash)
	if err == nil && (!request.DeniedAt.IsZero() || !d.ambient.Now().Before(request.ExpiresAt)) {
		err = fault.New(fault.NotFound, "", "The device waits no more.")
	}
	return request, err
}

// Answered says what the user answered to the request with the hash, if it was answered and
// nobody else allowed it.
func (d *Devices) Answered(ctx context.Context, hash []byte, userID string) (allowed, answered bool, err error) {
	code, err := d.store.FindCode(ctx, hash)
	if !fault.Is(err, fault.NotFound) {
		return true, err == nil && code.UserID == userID, err
	}
	request, err := d.store.FindDevice(ctx, hash)
	if fault.Is(err, fault.NotFound) {
		return false, false, nil
	}
	return false, !request.DeniedAt.IsZero(), err
}

var (
	errUnknown = fault.New(fault.Invalid, "invalid_grant", "The device code is unknown, or it was used.")
	errExpired = fault.New(fault.Invalid, ReasonExpired, "The device code has expired.")
)
