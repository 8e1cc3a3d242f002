package wiring

import (
	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/storage/sqlstore"
)

// Database says how the database of the settings is opened.
func Database(c config.Config) sqlstore.Options {
	o := sqlstore.Options{
		URL: c.DatabaseURL.Reveal(), Now: c.DatabaseURLNow, Pooled: c.DatabasePooler, Unprepared: c.DatabaseUnprepared,
		Version: version.Number,
	}
	if c.DatabaseNotify != "" {
		o.Notices = c.DatabaseNotifyNow
	}
	return o
}
