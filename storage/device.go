package storage

import (
	"context"
	"time"
)

// DeviceRequest is what a device without a browser asks for: it waits until somebody
// types its user code elsewhere (RFC 8628).
type DeviceRequest struct {
	Hash      []byte // of the device code
	UserCode  []byte // keyed digest of the user code
	ClientID  string
	Params    string // the request's parameters, URL-encoded
	Address   string // network address of the device
	CreatedAt time.Time
	ExpiresAt time.Time
	DeniedAt  time.Time // zero: nobody said no

	PolledAt  time.Time     // when the device asked last; zero: never
	PollEvery time.Duration // how long it has to wait between two times
}

// DeviceAnswer is what a person says to a DeviceRequest.
type DeviceAnswer struct {
	Code    AuthorizeCode // what the device gets, its Hash the request's; of a denial Hash, ClientID and UserID count
	Allowed []string      // what is remembered as consent; none: the person says no
	LeftOut []string      // what the person left out
}

// KeepExpiredDevices is how long requests stay after their end, so that a device which
// still asks is told.
const KeepExpiredDevices = time.Hour

// DeviceStore keeps what devices ask for. That a request was allowed is a code with
// its hash, which returns to no redirect URI: whatever ends a code ends it.
type DeviceStore interface {
	// ParkDevice keeps a request. Conflict when hash or user code is taken, NotFound
	// for an absent client.
	ParkDevice(ctx context.Context, request DeviceRequest) error

	// FindDevice returns the request with the hash, expired and denied ones too.
	// NotFound for one that was allowed or never was.
	FindDevice(ctx context.Context, hash []byte) (DeviceRequest, error)

	// FindDeviceByUserCode returns one that nobody has answered and that has not
	// expired, or NotFound.
	FindDeviceByUserCode(ctx context.Context, userCode []byte, now time.Time) (DeviceRequest, error)

	// PollDevice notes that the device of the request, as it was found, asks, and how long
	// it has to wait from now on; false when it has asked again since, or was answered. A
	// power cut may take that back.
	PollDevice(ctx context.Context, request DeviceRequest, now time.Time, every time.Duration) (bool, error)

	// AnswerDevice answers a request, once whatever runs beside it: allowed, it makes
	// way for the code, which rests on the user's session as in IssueCode. Gone:
	// ReasonRequestOver when it was answered or has expired at act.At,
	// ReasonSessionOver.
	AnswerDevice(ctx context.Context, act Act, answer DeviceAnswer) error
}
