package clients

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/identity"
)

const (
	resourceColumns = `id, disabled, tokens_from, created_at, updated_at, ` + ownResourceColumns

	// What is other when the resource is changed.
	ownResourceColumns = `identifier, match_key=key, name, scopes, default_scopes, everyone, clients, client_id,
	algorithm, lifetime, proof_needed, acr, max_age`

	countResources = `
SELECT count(*) FROM resources`

	updateResourceDisabled = `
UPDATE resources SET disabled = :disabled, ` + identity.SetTokensFrom + `
WHERE id = :id AND disabled <> :disabled`

	deleteResource = `
DELETE FROM resources WHERE id = :id`

	selectResourceID = `
SELECT id FROM resources WHERE id = :id`

	selectSameAddress = `
SELECT id FROM resources WHERE id <> :id AND match_key = :key`
)

var (
	insertResource = engine.Insert("resources", resourceColumns+", name_key") + `
ON CONFLICT DO NOTHING`

	updateResource = `
UPDATE resources SET ` + engine.Assign(ownResourceColumns+", name_key") + `, ` + engine.Moved + `
WHERE id = :id AND ` + engine.Unmoved + ` AND NOT EXISTS (SELECT 1 FROM resources o WHERE o.id <> :id AND o.match_key = :key)`

	selectResources = `
SELECT ` + engine.InTable("r", resourceColumns) + ` FROM resources r`

	selectResource = selectResources + `
WHERE r.id = :id`

	selectAllResources = selectResources + `
ORDER BY r.name_key, r.id`
)

// resourceRow is a resource with what it is sorted by.
type resourceRow struct {
	storage.Resource
	NameKey string
}

// changedResource is a resource with when it is changed; when it was last is what was read.
type changedResource struct {
	resourceRow
	ChangedAt time.Time
}

func newResourceRow(r storage.Resource) resourceRow { return resourceRow{r, textkey.Fold(r.Name)} }

func takenResource() *fault.Error {
	return fault.New(fault.Conflict, storage.ReasonResourceTaken, "There is a resource with this address already.")
}

// CreateResource implements storage.ResourceStore.
func (s *Clients) CreateResource(ctx context.Context, act storage.Act, resource storage.Resource) error {
	resource.TokensFrom = identity.TokensFrom(act, false)
	return s.write(ctx, func(tx tx) error {
		if _, err := tx.Exec(ctx, lockRegistrations, engine.Args{}); err != nil {
			return err
		}
		var count int
		if err := tx.Get(ctx, &count, countResources, engine.Args{}); err != nil {
			return err
		}
		if count >= storage.MaxResources {
			return fault.Newf(fault.Conflict, storage.ReasonResourcesFull, "There can be at most %d resources.",
				storage.MaxResources)
		}
		if err := tx.ExecOne(ctx, takenResource(), insertResource, newResourceRow(resource)); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "resource.created", resource.ID, engine.Detail{"identifier": resource.Identifier})
	})
}

// FindResource implements storage.ResourceStore.
func (s *Clients) FindResource(ctx context.Context, id string) (storage.Resource, error) {
	return engine.Find[storage.Resource](ctx, s.db, "resource", selectResource, engine.Args{"id": id})
}

// ListResources implements storage.ResourceStore.
func (s *Clients) ListResources(ctx context.Context) ([]storage.Resource, error) {
	return engine.All[storage.Resource](ctx, s.db, selectAllResources, engine.Args{})
}

// PatchResource implements storage.ResourceStore.
func (s *Clients) PatchResource(ctx context.Context, act storage.Act, resource storage.Resource, disabled *bool) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.updateResource(ctx, act, resource); err != nil || disabled == nil {
			return err
		}
		return tx.switchResource(ctx, act, resource.ID, *disabled)
	})
}

func (t tx) updateResource(ctx context.Context, act storage.Act, resource storage.Resource) error {
	if err := t.MustExist(ctx, "resource", selectResourceID, resource.ID); err != nil {
		return err
	}
	if err := t.endResource(ctx, act, resource.ID, resource.Key); err != nil {
		return err
	}
	n, err := t.Exec(ctx, updateResource, changedResource{newResourceRow(resource), act.At})
	if err != nil {
		return err
	}
	if n == 0 {
		return t.inTheWay(ctx, resource)
	}
	return t.Audit(ctx, act, "resource.updated", resource.ID, nil)
}

// inTheWay is why a resource that is there was not changed.
func (t tx) inTheWay(ctx context.Context, resource storage.Resource) error {
	var others []string
	if err := t.List(ctx, &others, selectSameAddress, resource); err != nil {
		return err
	}
	if len(others) > 0 {
		return takenResource()
	}
	return engine.Changed()
}

// SetResourceDisabled implements storage.ResourceStore.
func (s *Clients) SetResourceDisabled(ctx context.Context, act storage.Act, id string, disabled bool) error {
	return s.write(ctx, func(tx tx) error { return tx.switchResource(ctx, act, id, disabled) })
}

func (t tx) switchResource(ctx context.Context, act storage.Act, id string, disabled bool) error {
	n, err := t.Exec(ctx, updateResourceDisabled,
		engine.Args{"id": id, "disabled": disabled, "tokens_from": identity.TokensFrom(act, disabled)})
	if err != nil {
		return err
	}
	if n == 0 {
		return t.MustExist(ctx, "resource", selectResourceID, id)
	}
	return t.Audit(ctx, act, map[bool]string{true: "resource.disabled", false: "resource.enabled"}[disabled], id, nil)
}

// DeleteResource implements storage.ResourceStore.
func (s *Clients) DeleteResource(ctx context.Context, act storage.Act, id string) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.endResource(ctx, act, id, ""); err != nil {
			return err
		}
		if err := tx.ExecOne(ctx, engine.Absent("resource"), deleteResource, engine.Args{"id": id}); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "resource.deleted", id, nil)
	})
}
