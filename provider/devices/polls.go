package devices

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// What a device is told about its codes.
const (
	Lifetime = 10 * time.Minute
	Interval = 5 * time.Second
)

// waits notes that a device asks that still waits, for all servers, and returns what it is
// told. One that should have waited has to wait longer from now on (RFC 8628 section 3.5). A
// tenth of the time is left to clocks and networks. Of those who ask at the same moment one
// was in time.
func (d *Devices) waits(ctx context.Context, request storage.DeviceRequest, now time.Time) error {
	soon, every, passed := false, request.PollEvery, now.Sub(request.PolledAt)
	// What lies further ahead is of a clock that was put right.
	if !request.PolledAt.IsZero() && passed < every*9/10 && passed > -every {
		soon, every = true, every+Interval
	}
	noted, err := d.store.PollDevice(ctx, request, now, every)
	switch {
	case err != nil:
		return err
	case soon || !noted:
		return fault.New(fault.Invalid, ReasonSlowDown, "The device asks too often: it has to wait five seconds longer.")
	}
	return fault.New(fault.Invalid, ReasonPending, "Nobody has typed the code yet.")
}
