package identity

import (
	"cmp"
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	deviceColumns = `hash, user_code, client_id, params, address, created_at, expires_at, denied_at,
	polled_at, poll_every`

	selectDevice = `
SELECT ` + deviceColumns + `
FROM device_requests WHERE hash = :hash`

	selectDeviceByUserCode = `
SELECT ` + deviceColumns + `
FROM device_requests WHERE user_code = :user_code AND expires_at > :now AND denied_at IS NULL`

	pollDevice = `
UPDATE device_requests SET polled_at = :now, poll_every = :every
WHERE hash = :hash AND coalesce(polled_at, created_at) = :before`

	allowDevice = `
DELETE FROM device_requests WHERE hash = :hash AND expires_at > :now AND denied_at IS NULL`

	denyDevice = `
UPDATE device_requests SET denied_at = :now WHERE hash = :hash AND expires_at > :now AND denied_at IS NULL`
)

var insertDevice = engine.Insert("device_requests", deviceColumns) + `
ON CONFLICT DO NOTHING`

// ParkDevice implements storage.DeviceStore.
func (s *Identity) ParkDevice(ctx context.Context, request storage.DeviceRequest) error {
	taken := fault.New(fault.Conflict, "", "There is a device request with one of these codes already.")
	return s.db.WriteMust(ctx, taken, insertDevice, request)
}

// FindDevice implements storage.DeviceStore.
func (s *Identity) FindDevice(ctx context.Context, hash []byte) (storage.DeviceRequest, error) {
	return engine.Find[storage.DeviceRequest](ctx, s.db, "device request", selectDevice, engine.Args{"hash": hash})
}

// FindDeviceByUserCode implements storage.DeviceStore.
func (s *Identity) FindDeviceByUserCode(ctx context.Context, userCode []byte,
	now time.Time) (storage.DeviceRequest, error) {
	return engine.Find[storage.DeviceRequest](ctx, s.db, "device request", selectDeviceByUserCode,
		engine.Args{"user_code": userCode, "now": now})
}

// PollDevice implements storage.DeviceStore.
func (s *Identity) PollDevice(ctx context.Context, request storage.DeviceRequest, now time.Time,
	every time.Duration) (bool, error) {
	n, err := s.db.WriteUnsynced(ctx, pollDevice, engine.Args{"hash": request.Hash, "now": now,
		"every": int64(every), "before": cmp.Or(request.PolledAt, request.CreatedAt)})
	return n > 0, err
}

// AnswerDevice implements storage.DeviceStore.
func (s *Identity) AnswerDevice(ctx context.Context, act storage.Act, answer storage.DeviceAnswer) error {
	code := answer.Code
	over := fault.New(fault.Gone, storage.ReasonRequestOver, "The device request was answered already.")
	detail := engine.Detail{"client_id": code.ClientID}
	return s.write(ctx, func(tx Tx) error {
		one := engine.Args{"hash": code.Hash, "now": act.At}
		if len(answer.Allowed) == 0 {
			if err := tx.ExecOne(ctx, over, denyDevice, one); err != nil {
				return err
			}
			return tx.Audit(ctx, act, "device.denied", code.UserID, detail)
		}
		if err := tx.groundsOf(ctx, code, nil); err != nil {
			return err
		}
		if err := tx.ExecOne(ctx, over, allowDevice, one); err != nil {
			return err
		}
		if err := tx.remember(ctx, act, code.UserID, code.ClientID, answer.Allowed, answer.LeftOut); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, insertCode, code); err != nil {
			return err
		}
		detail["scopes"] = answer.Allowed
		return tx.Audit(ctx, act, "device.allowed", code.UserID, detail)
	})
}
