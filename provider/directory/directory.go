// Package directory is LDAP and Active Directory: people sign in on the page of
// everybody with the password that their company's directory knows, arrive with their
// groups, and leave when they leave there.
//
// A directory is an upstream (package provider/upstreams has those that people visit),
// so that people are found by identity alone and everything that rests on it ends with
// it; and what it says of people is its own, as what a company sends by SCIM. Passwords
// are passed on, and never kept. No directory is asked while a transaction is open, and
// what it could not tell is not gone. Start at Judge for a sign-in, Walk for the poll;
// link.go is the way to a directory, arrive.go who becomes whom.
package directory

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
)

// Store is what the package keeps.
type Store interface {
	storage.UpstreamStore
	storage.DirectoryStore
	storage.SCIMUserStore
	storage.SCIMGroupStore
	storage.TryStore

	// FindUser and FindUserByLogin are of storage.UserStore.
	FindUser(ctx context.Context, id string) (storage.User, error)
	FindUserByLogin(ctx context.Context, login string) (storage.User, string, error)

	// AcquireLease is of storage.UpkeepStore.
	AcquireLease(ctx context.Context, name, holder string, now, until time.Time) (bool, error)
}

// Options are what Directories are made of. Every field is needed.
type Options struct {
	Store   Store
	Ambient *ambient.Source
	Ring    *sealing.Ring
	Log     *slog.Logger

	// Set gives the user's field the value, or says why it does not fit.
	Set func(user *storage.User, field, value string) error
}

// Directories are the rules. They are safe for concurrent use.
type Directories struct {
	with   Options
	holder string // names this process among its replicas
	queue  *queue

	walking atomic.Int64 // walks under way

	mu      sync.Mutex
	remotes map[string]directory // by upstream
}

// New returns the rules.
func New(o Options) *Directories {
	return &Directories{with: o, holder: o.Ambient.UID(), queue: newQueue(), remotes: map[string]directory{}}
}

// directory is one with what is known of it.
type directory struct {
	storage.Upstream
	*remote
	with Options
}

func (d directory) set(user *storage.User, field, value string) error {
	return d.with.Set(user, field, value)
}

func (d *Directories) open(upstream storage.Upstream) (directory, error) {
	config, err := configOf(upstream)
	if err != nil {
		return directory{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	known, found := d.remotes[upstream.ID]
	if !found || !known.UpdatedAt.Equal(upstream.UpdatedAt) {
		password, err := unseal(d.with.Ring, upstream)
		if err != nil {
			return directory{}, err
		}
		if found {
			known.close()
		}
		known.remote = newRemote(config, password, d.with.Ambient)
	}
	known = directory{upstream, known.remote, d.with}
	d.remotes[upstream.ID] = known
	return known, nil
}

// forget closes the connections to directories that are not asked any more.
func (d *Directories) forget(enabled []storage.Upstream) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, known := range d.remotes {
		if !slices.ContainsFunc(enabled, func(u storage.Upstream) bool { return u.ID == id }) {
			known.close()
			delete(d.remotes, id)
		}
	}
}

// find returns the directory, disabled ones too, or NotFound.
func (d *Directories) find(ctx context.Context, id string) (directory, error) {
	upstream, err := d.with.Store.FindUpstream(ctx, id)
	if err == nil && upstream.Kind == storage.UpstreamLDAP {
		return d.open(upstream)
	}
	if err == nil || fault.Is(err, fault.NotFound) {
		err = fault.New(fault.NotFound, ReasonNoDirectory, "There is no such directory.")
	}
	return directory{}, err
}

// all returns all directories, disabled ones too, in their order.
func (d *Directories) all(ctx context.Context) ([]storage.Upstream, error) {
	all, err := d.with.Store.ListUpstreams(ctx)
	return slices.DeleteFunc(all, func(u storage.Upstream) bool { return u.Kind != storage.UpstreamLDAP }), err
}

// enabled returns the directories that are on, in their order.
func (d *Directories) enabled(ctx context.Context) ([]storage.Upstream, error) {
	all, err := d.all(ctx)
	return slices.DeleteFunc(all, func(u storage.Upstream) bool { return u.Disabled }), err
}

func (d directory) act() storage.Act {
	return storage.Act{At: d.with.Ambient.Now(), Actor: storage.Actor{Kind: storage.ActorSystem}}
}
