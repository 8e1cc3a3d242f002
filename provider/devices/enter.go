package devices

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/storage"
)

// Guesses at codes: ten an hour for an account, and ten for a network. Of twenty-five
// thousand million codes a few are good at a time.
const (
	tryBurst = 10
	tryEvery = 6 * time.Minute
	tryLabel = "user code try"
)

// Reasons of the faults of Enter.
const (
	ReasonWrongCode = "wrong_code"
	ReasonTooMany   = "too_many_codes"
)

// FieldCode is the field of the form, and the source of the faults.
const FieldCode = "user_code"

// Enter returns the request whose user code somebody typed who is signed in. Invalid
// (ReasonWrongCode) for what is no code, and TooMany. Every try counts before anything
// is looked at; a right one is given back.
func (d *Devices) Enter(ctx context.Context, userID, address, typed string) (storage.DeviceRequest, error) {
	var counted [][]byte
	for _, name := range []string{"user " + userID, "network " + ratelimit.Key("", address)} {
		key := d.ring.MAC(tryLabel, []byte(name))
		room, err := d.store.CountTry(ctx, key, d.ambient.Now(), tryBurst, tryEvery)
		if err != nil {
			return storage.DeviceRequest{}, err
		}
		if !room {
			return storage.DeviceRequest{}, fault.New(fault.TooMany, ReasonTooMany,
				"There were too many wrong codes. Wait a few minutes, then try again.").At(FieldCode).After(tryEvery)
		}
		counted = append(counted, key)
	}
	wrong := fault.New(fault.Invalid, ReasonWrongCode,
		"No device waits with this code. Look at the device, which may show another one by now.").At(FieldCode)
	code, ok := Typed(typed)
	if !ok {
		return storage.DeviceRequest{}, wrong
	}
	request, err := d.store.FindDeviceByUserCode(ctx, d.digest(code), d.ambient.Now())
	if fault.Is(err, fault.NotFound) {
		return request, wrong.Because(err)
	}
	for _, key := range counted {
		if err == nil {
			err = d.store.ReturnTry(ctx, key, tryEvery)
		}
	}
	return request, err
}
