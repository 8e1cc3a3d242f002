package federation

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	upstreamColumns = `id, kind, disabled, created_at, ` + changedColumns + `, updated_at`

	// What an administrator may say otherwise later.
	changedColumns = `name, position, domains, exclusive, config, secret`

	selectUpstream = `
SELECT ` + upstreamColumns + `
FROM upstreams WHERE id = :id`

	selectUpstreams = `
SELECT ` + upstreamColumns + `
FROM upstreams ORDER BY position, id`

	selectBreakGlass = `
SELECT email, username, password_hash <> '' AS password,
	EXISTS (SELECT 1 FROM passkeys WHERE user_id = users.id) AS passkey
FROM users WHERE admin AND NOT disabled ORDER BY email`

	selectUpstreamID = `
SELECT id FROM upstreams WHERE id = :id`

	disableUpstream = `
UPDATE upstreams SET disabled = :disabled WHERE id = :id AND disabled <> :disabled`

	lockUpstream = `
SELECT id FROM upstreams WHERE id = :id
FOR UPDATE`

	deleteUpstream = `
DELETE FROM upstreams WHERE id = :id`

	// Who is in a group because of it stays there no longer.
	deleteUpstreamMembers = `
DELETE FROM user_group_members WHERE source = :id`
)

var (
	insertUpstream = engine.Insert("upstreams", upstreamColumns) + `
ON CONFLICT DO NOTHING`

	updateUpstream = `
UPDATE upstreams SET ` + engine.Assign(changedColumns) + `, ` + engine.Moved + `
WHERE id = :id AND ` + engine.Unmoved
)

// changedUpstream is an upstream with when it is changed; when it was last is what was read.
type changedUpstream struct {
	storage.Upstream
	ChangedAt time.Time
}

// CreateUpstream implements storage.UpstreamStore.
func (s *Federation) CreateUpstream(ctx context.Context, act storage.Act, upstream storage.Upstream) error {
	return s.write(ctx, func(t tx) error { return t.insertUpstream(ctx, act, upstream) })
}

func (t tx) insertUpstream(ctx context.Context, act storage.Act, upstream storage.Upstream) error {
	taken := fault.New(fault.Conflict, storage.ReasonUpstreamTaken, "There is an upstream with this id already.")
	if err := t.ExecOne(ctx, taken, insertUpstream, upstream); err != nil {
		return err
	}
	return t.Audit(ctx, act, "upstream.created", upstream.ID, engine.Detail{"kind": upstream.Kind})
}

// FindUpstream implements storage.UpstreamStore.
func (s *Federation) FindUpstream(ctx context.Context, id string) (storage.Upstream, error) {
	return engine.Find[storage.Upstream](ctx, s.db, "upstream", selectUpstream, engine.Args{"id": id})
}

// ListUpstreams implements storage.UpstreamStore.
func (s *Federation) ListUpstreams(ctx context.Context) ([]storage.Upstream, error) {
	return engine.All[storage.Upstream](ctx, s.db, selectUpstreams, engine.Args{})
}

// ListBreakGlass implements storage.UpstreamStore.
func (s *Federation) ListBreakGlass(ctx context.Context) ([]storage.BreakGlass, error) {
	return engine.All[storage.BreakGlass](ctx, s.db, selectBreakGlass, engine.Args{})
}

// UpdateUpstream implements storage.UpstreamStore.
func (s *Federation) UpdateUpstream(ctx context.Context, act storage.Act, upstream storage.Upstream,
	ends storage.UpstreamEnds) error {
	return s.end(ctx, func(ctx context.Context, t tx) error { return t.updateUpstream(ctx, act, upstream, ends) })
}

func (t tx) updateUpstream(ctx context.Context, act storage.Act, upstream storage.Upstream,
	ends storage.UpstreamEnds) (err error) {
	if err := t.MustExist(ctx, "upstream", selectUpstreamID, upstream.ID); err != nil {
		return err
	}
	if err := t.ExecOne(ctx, engine.Changed(), updateUpstream, changedUpstream{upstream, act.At}); err != nil {
		return err
	}
	for _, clientID := range ends.Clients {
		if err := t.RevokeVouched(ctx, act, upstream.ID, clientID); err != nil {
			return err
		}
	}
	if ends.Rechecks {
		if _, err := t.Exec(ctx, deleteRechecksOfUpstream, upstream); err != nil {
			return err
		}
	}
	var more engine.Detail
	if ends.Everybody {
		if more, err = t.SignOutUpstream(ctx, act, upstream.ID, ""); err != nil {
			return err
		}
	}
	if err := t.Audit(ctx, act, "upstream.updated", upstream.ID, more); err != nil || ends.Disabled == nil {
		return err
	}
	return t.switchUpstream(ctx, act, upstream.ID, *ends.Disabled)
}

// SetUpstreamDisabled implements storage.UpstreamStore.
func (s *Federation) SetUpstreamDisabled(ctx context.Context, act storage.Act, id string, disabled bool) error {
	return s.end(ctx, func(ctx context.Context, t tx) error { return t.switchUpstream(ctx, act, id, disabled) })
}

func (t tx) switchUpstream(ctx context.Context, act storage.Act, id string, disabled bool) error {
	n, err := t.Exec(ctx, disableUpstream, engine.Args{"id": id, "disabled": disabled})
	if err != nil {
		return err
	}
	if n == 0 {
		return t.MustExist(ctx, "upstream", selectUpstreamID, id)
	}
	if !disabled {
		return t.Audit(ctx, act, "upstream.enabled", id, nil)
	}
	more, err := t.SignOutUpstream(ctx, act, id, "")
	if err != nil {
		return err
	}
	return t.Audit(ctx, act, "upstream.disabled", id, more)
}

// DeleteUpstream implements storage.UpstreamStore.
func (s *Federation) DeleteUpstream(ctx context.Context, act storage.Act, id string) error {
	return s.end(ctx, func(ctx context.Context, t tx) error { return t.deleteUpstream(ctx, act, id) })
}

func (t tx) deleteUpstream(ctx context.Context, act storage.Act, id string) error {
	if err := t.MustExist(ctx, "upstream", lockUpstream, id); err != nil {
		return err
	}
	more, err := t.SignOutUpstream(ctx, act, id, "")
	if err != nil {
		return err
	}
	if err := t.ExecEach(ctx, engine.Args{"id": id}, deleteUpstreamMembers, deleteUpstream); err != nil {
		return err
	}
	return t.Audit(ctx, act, "upstream.deleted", id, more)
}
