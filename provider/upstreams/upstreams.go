// Package upstreams is signing in with what a company has: providers of OpenID
// Connect and OAuth that vouch for people.
//
// A person is found by identity alone: upstream, issuer, subject. Addresses and
// names are data. Nothing that an upstream says links an account that is there
// already, unless its owner, or the administrator for proven addresses, says so.
// No upstream is asked while a transaction is open. Start at Upstreams.arrive for
// who becomes whom, visit.go for the way there and back, token.go for what an ID
// token has to say, rules.go for what administrators set.
package upstreams

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/fresh"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// Store is what the package keeps.
type Store interface {
	storage.UpstreamStore

	// FindUser and FindUserByLogin are of storage.UserStore.
	FindUser(ctx context.Context, id string) (storage.User, error)
	FindUserByLogin(ctx context.Context, login string) (storage.User, string, error)

	// FindClient is of storage.ClientStore.
	FindClient(ctx context.Context, id string) (storage.Client, error)

	// FindSCIMOwners is of storage.SCIMStore.
	FindSCIMOwners(ctx context.Context, ids []string) (map[string]storage.SCIMOwner, error)
}

// Options are what Upstreams are made of. Every field is needed.
type Options struct {
	BaseURL string
	Store   Store
	Ambient *ambient.Source
	Ring    *sealing.Ring
	Log     *slog.Logger

	// Set gives the user's field the value, or says why it does not fit.
	Set func(user *storage.User, field, value string) error
}

// Upstreams are the rules. They are safe for concurrent use.
type Upstreams struct {
	with    Options
	mu      sync.Mutex
	remotes map[string]*remote // by upstream
	all     *fresh.Value[listing]
}

// listing is the upstreams as they were read last.
type listing struct {
	all  []storage.Upstream
	read bool
}

// New returns the rules.
func New(o Options) *Upstreams {
	u := &Upstreams{with: o, remotes: map[string]*remote{}}
	u.all = fresh.New(o.Ambient, u.list)
	return u
}

// Learn reads the upstreams, before anybody asks for them.
func (u *Upstreams) Learn(ctx context.Context) error { return u.all.Learn(ctx) }

// remote returns what is known of the upstream's server.
func (u *Upstreams) remote(upstream storage.Upstream, config Config) *remote {
	u.mu.Lock()
	defer u.mu.Unlock()
	known := u.remotes[upstream.ID]
	if known == nil || !known.changed.Equal(upstream.UpdatedAt) {
		known = newRemote(u.with.Ambient, upstream, config)
		u.remotes[upstream.ID] = known
	}
	return known
}

// domainOf returns what is behind the @, in the form in which domains compare.
func domainOf(address string) string {
	_, domain, _ := strings.Cut(strings.TrimSpace(address), "@")
	return textkey.Fold(domain)
}

// find returns the upstream of a visit, which must be one that people visit.
func (u *Upstreams) find(ctx context.Context, id string) (storage.Upstream, Config, error) {
	upstream, err := u.with.Store.FindUpstream(ctx, id)
	if err != nil {
		return upstream, Config{}, err
	}
	if upstream.Disabled {
		return upstream, Config{}, errDisabled
	}
	config, err := configOf(upstream)
	return upstream, config, err
}

var errDisabled = fault.New(fault.Gone, storage.ReasonUpstreamDisabled, "This way to sign in is switched off.")

// PagesOptions are what Pages are made of. Every field is needed.
type PagesOptions struct {
	Upstreams *Upstreams
	Sessions  *websession.Manager
	Pages     *templates.Pages
	Web       *webpage.Writer

	// Arrive signs in whom an upstream vouches for, and goes on to the parked request,
	// or without one to where then says.
	Arrive func(w http.ResponseWriter, r *http.Request, s websession.SignIn, then string) error

	// Claimed returns the act with a mail to the user: that what opened their account goes,
	// as whoever an upstream of the name vouches for has it from then on.
	Claimed func(act storage.Act, user storage.User, upstream string) storage.Act

	// Connected returns the act with a mail to the user: that an account at an upstream of the
	// name opens theirs from now on, or no more.
	Connected func(act storage.Act, user storage.User, upstream string, now bool) storage.Act

	// WantsFresh reports how long ago whoever signs in for the parked request may have proven
	// who they are, negative: any time, and whether the upstream has to tell when.
	WantsFresh func(ctx context.Context, request string) (within time.Duration, told bool, err error)

	// LogoutError writes what an upstream is told that says who signed out.
	LogoutError httpio.ErrorWriter

	// ResumePath is where somebody goes on who signed in for a request.
	ResumePath string
}
