package e2e

import (
	"net/url"
	"sync"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/storage/sqlstore"
)

// desk is where an operator sits who gives one command after the other: the database stays
// open between them, for opening it takes longer than most. It is opened beside the server,
// as by any command.
type desk struct {
	away bool // each command opens the database by itself, and nobody else has it open

	mu  sync.Mutex
	on  *sqlstore.Store
	url string // by which it was opened
}

// store returns the site's database, open. It is nil where a command is to say what is wrong,
// and where the way to the database may be cut off: no socket.
func (d *desk) store(s *site) *sqlstore.Store {
	c, err := config.Load(config.Sources{Environ: s.environ})
	if err != nil || d.away {
		return nil
	}
	at, err := url.Parse(c.DatabaseURL.Reveal())
	if err != nil || at.Host != "" {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.on == nil || d.url != at.String() {
		options := wiring.Database(c)
		options.Unprepared = true // as for a command
		store, err := sqlstore.Open(s.Context(), options)
		if err != nil {
			return nil
		}
		d.on, d.url = store, at.String()
		s.Cleanup(func() { s.must(store.Close()) })
	}
	return d.on
}
