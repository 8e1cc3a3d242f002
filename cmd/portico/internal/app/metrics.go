package app

import (
	"context"
	"time"

	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/internal/gate/middleware"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/metrics"
	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/system"
	"github.com/portico-id/portico/storage"
)

// newMetrics counts for whoever may look; nil: nobody may.
func newMetrics(p *parts) *metrics.Metrics {
	if len(p.Config.MetricsListen) == 0 {
		return nil
	}
	m := metrics.New(version.Number, version.Commit())
	m.Look(p.pools())
	m.Look(p.hashing())
	m.Look(p.keyAges())
	m.Look(p.waiting())
	m.Look(p.backups())
	m.Look(p.spans())
	m.Look(lookups("token_cache_lookups_total",
		"Access tokens that were shown: whether their signature had been checked a moment ago (hit) or not (miss).",
		p.keys.Lookups))
	m.Look(lookups("client_cache_lookups_total",
		"Apps that were asked for: whether they had been read a moment ago (hit) or not (miss).",
		func() (known, unknown uint64) { return provider.ClientLookups(p.provider) }))
	return m
}

// lookups are how often a cache had what was looked for, and how often not.
func lookups(name, help string, of func() (known, unknown uint64)) metrics.Source {
	return metrics.Source{
		Of: []metrics.Reading{{Name: name, Label: "result", Total: true, Help: help}},
		Read: func(context.Context) ([]map[string]float64, error) {
			known, unknown := of()
			return []map[string]float64{{"hit": float64(known), "miss": float64(unknown)}}, nil
		},
	}
}

// tell is who hears of every request.
func (p *parts) tell() middleware.Tell {
	return func(method string, e *httpio.Exchange, status int, received, sent int64, took time.Duration) {
		p.usage.Answered(e, status)
		if p.metrics != nil {
			p.metrics.Answered(method, e, status, received, sent, took)
		}
	}
}

// backups are how long ago the newest one was made, of which the audit trail tells.
func (p *parts) backups() metrics.Source {
	return metrics.Source{
		Of: []metrics.Reading{{Name: "backup_age_seconds", Help: "How long ago portico backup made the newest snapshot."}},
		Read: func(ctx context.Context) ([]map[string]float64, error) {
			made, _, err := p.Store.ListAudit(ctx, storage.AuditFilter{Kind: "backup.made"}, storage.PageRequest{Limit: 1})
			ages := map[string]float64{} // empty: none was made, or the trail no longer has it
			for _, m := range made {
				ages[""] = p.Ambient.Now().Sub(m.Act.At).Seconds()
			}
			return []map[string]float64{ages}, err
		},
	}
}

// pools are the connections to the database.
func (p *parts) pools() metrics.Source {
	return metrics.Source{
		Of: []metrics.Reading{
			{Name: "database_connections_max", Label: "pool", Help: "Connections to the database that a pool may have."},
			{Name: "database_connections_in_use", Label: "pool", Help: "Connections to the database that are at work."},
			{Name: "database_connections_idle", Label: "pool", Help: "Connections to the database that wait for work."},
			{Name: "database_waits_total", Label: "pool", Total: true, Help: "How often somebody waited for a connection."},
			{Name: "database_wait_seconds_total", Label: "pool", Total: true, Help: "How long they waited, together."},
		},
		Read: func(context.Context) ([]map[string]float64, error) {
			most, busy, idle := map[string]float64{}, map[string]float64{}, map[string]float64{}
			waits, waited := map[string]float64{}, map[string]float64{}
			for _, pool := range p.Store.Pools() {
				most[pool.Name], busy[pool.Name], idle[pool.Name] = float64(pool.Most), float64(pool.InUse), float64(pool.Idle)
				waits[pool.Name], waited[pool.Name] = float64(pool.Waits), pool.Waited.Seconds()
			}
			return []map[string]float64{most, busy, idle, waits, waited}, nil
		},
	}
}

// hashing is the queue before the hashes of passwords.
func (p *parts) hashing() metrics.Source {
	return metrics.Source{
		Of: []metrics.Reading{
			{Name: "password_hashes_pending", Help: "Passwords that are hashed, or wait for it."},
			{Name: "password_hash_workers", Help: "Passwords that can be hashed at once."},
		},
		Read: func(context.Context) ([]map[string]float64, error) {
			pending, workers := p.Passwords().Load()
			return []map[string]float64{{"": float64(pending)}, {"": float64(workers)}}, nil
		},
	}
}

// keyAges are how long the keys that sign have done so.
func (p *parts) keyAges() metrics.Source {
	return metrics.Source{
		Of: []metrics.Reading{{Name: "signing_key_age_seconds", Label: "algorithm",
			Help: "How long the key that signs has done so."}},
		Read: func(ctx context.Context) ([]map[string]float64, error) {
			keys, err := p.keys.List(ctx)
			ages := map[string]float64{}
			for _, k := range keys {
				if k.State == signing.Active {
					ages[k.Algorithm] = p.Ambient.Now().Sub(k.ActiveFrom).Seconds()
				}
			}
			return []map[string]float64{ages}, err
		},
	}
}

// backlog is what waits for a server to come to it.
func (p *parts) backlog(ctx context.Context) (system.Backlog, error) {
	return system.FindBacklog(ctx, p.Store, p.Ambient.Now(), p.upkeep.keep)
}

// waiting is the backlog in figures.
func (p *parts) waiting() metrics.Source {
	return metrics.Source{
		Of: []metrics.Reading{
			{Name: "waiting", Label: "what", Help: "What waits for a server to come to it."},
			{Name: "feed_lag_seconds", Help: "How long the oldest change has waited for its place in the feed."},
			{Name: "cleanup_lag_seconds", Help: "How long the oldest of what has ended has waited to be removed."},
		},
		Read: func(ctx context.Context) ([]map[string]float64, error) {
			w, err := p.backlog(ctx)
			lag := 0.0
			if !w.ChangedAt.IsZero() {
				lag = max(0, p.Ambient.Now().Sub(w.ChangedAt).Seconds())
			}
			return []map[string]float64{
				{"mails": float64(w.Mails), "logouts": float64(w.Logouts), "webhooks": float64(w.Webhooks),
					"scans": float64(w.Scans), "changes": float64(w.Changes)},
				{"": lag},
				{"": w.Late.Seconds()},
			}, err
		},
	}
}
