package e2e

import (
	"sync"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/storage/sqlstore"
)

// desk is where an operator sits who gives one command after the other: the database stays
// open between them, for opening it takes longer than most. It is opened beside the server,
// as by any command.
type desk struct {
	mu  sync.Mutex
	on  *sqlstore.Store
	url string // of on
}

// store returns the site's database, open; nil where a command is to say what is wrong.
func (d *desk) store(s *site) *sqlstore.Store {
	c, err := config.Load(config.Sources{Environ: s.environ})
	if err != nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if url := c.DatabaseURL.Reveal(); d.on == nil || d.url != url {
		options := wiring.Database(c)
		options.Unprepared = true // as for a command
		store, err := sqlstore.Open(s.Context(), options)
		if err != nil {
			return nil
		}
		d.on, d.url = store, url
		s.Cleanup(func() { s.must(store.Close()) })
	}
	return d.on
}
