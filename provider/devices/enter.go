package devices

import (
	"cmp"
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
	counted, err := d.count(ctx, "network "+ratelimit.Key("", address), "user "+userID)
	if err != nil {
		return storage.DeviceRequest{}, err
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
	if err != nil {
		return request, err
	}
	return request, d.giveBack(ctx, counted)
}

// count counts a try against each of the names, or against none of them: what one of them
// has no room for costs the others nothing. The network comes first, which many share, so that
// whoever is held back with it has all their own tries left.
func (d *Devices) count(ctx context.Context, names ...string) (counted [][]byte, err error) {
	for _, name := range names {
		key := d.ring.MAC(tryLabel, []byte(name))
		room, err := d.store.CountTry(ctx, key, d.ambient.Now(), tryBurst, tryEvery)
		if err != nil {
			return nil, err
		}
		if !room {
			return nil, cmp.Or(d.giveBack(ctx, counted), error(fault.New(fault.TooMany, ReasonTooMany,
				"There were too many wrong codes. Wait a few minutes, then try again.").At(FieldCode).After(tryEvery)))
		}
		counted = append(counted, key)
	}
	return counted, nil
}

func (d *Devices) giveBack(ctx context.Context, counted [][]byte) error {
	for _, key := range counted {
		if err := d.store.ReturnTry(ctx, key, tryEvery); err != nil {
			return err
		}
	}
	return nil
}
