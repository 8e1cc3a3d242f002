package middleware

import (
	"context"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/portico-id/portico/internal/ambient"
)

// originsStaleness bounds how long a registered origin may go unnoticed: a
// change acts within a second.
const originsStaleness = 500 * time.Millisecond

// OriginStore tells which browser origins are registered: storage.ClientStore.
type OriginStore interface {
	ListBrowserOrigins(ctx context.Context) (origins, spaRedirectURIs []string, err error)
}

// Origins is the set of all registered browser origins (decision C7). A
// preflight carries no client id, so one set has to serve them all. It is safe
// for concurrent use.
type Origins struct {
	store   OriginStore
	ambient *ambient.Source
	log     *slog.Logger

	view    atomic.Pointer[originView]
	loading sync.Mutex
}

type originView struct {
	set      map[string]bool
	loadedAt time.Time
}

// NewOrigins returns the set, which is read when it is first asked.
func NewOrigins(store OriginStore, source *ambient.Source, log *slog.Logger) *Origins {
	return &Origins{store: store, ambient: source, log: log}
}

// Registered reports whether a browser at the origin may read our answers.
func (o *Origins) Registered(ctx context.Context, origin string) bool {
	return o.fresh(ctx).set[origin]
}

// Forget has the origins read again when somebody asks for one: a client has
// changed.
func (o *Origins) Forget() {
	if v := o.view.Load(); v != nil {
		o.view.CompareAndSwap(v, &originView{set: v.set})
	}
}

// fresh returns a view younger than originsStaleness. When the store fails the
// last view stands: a missing header would only hide the failure's answer.
func (o *Origins) fresh(ctx context.Context) *originView {
	if v := o.current(); v != nil {
		return v
	}
	o.loading.Lock()
	defer o.loading.Unlock()
	if v := o.current(); v != nil {
		return v // another request was first
	}
	last := o.view.Load()
	next := &originView{loadedAt: o.ambient.Now()}
	origins, redirects, err := o.store.ListBrowserOrigins(ctx)
	switch {
	case err == nil:
		next.set = originSet(origins, redirects)
	case last != nil:
		next.set = last.set
	}
	if err != nil && ctx.Err() != nil {
		return next // this request was given up; the next one asks again
	}
	if err != nil {
		o.log.WarnContext(ctx, "reading the registered browser origins failed", "error", err)
	}
	o.view.Store(next)
	return next
}

func (o *Origins) current() *originView {
	v := o.view.Load()
	if v == nil || o.ambient.Now().Sub(v.loadedAt).Abs() >= originsStaleness {
		return nil
	}
	return v
}

func originSet(origins, redirects []string) map[string]bool {
	set := map[string]bool{}
	for _, raw := range append(origins, redirects...) {
		if origin, ok := originOf(raw); ok {
			set[origin] = true
		}
	}
	return set
}

// originOf returns the origin of a URL in the form a browser sends it (RFC 6454
// section 6.2). Only http and https have one.
func originOf(raw string) (string, bool) {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" {
		return "", false
	}
	defaults := map[string]string{"http": "80", "https": "443"}
	standard, ok := defaults[u.Scheme]
	if !ok {
		return "", false
	}
	host := strings.ToLower(u.Hostname())
	switch port := u.Port(); {
	case port != "" && port != standard:
		host = net.JoinHostPort(host, port)
	case strings.Contains(host, ":"):
		host = "[" + host + "]"
	}
	return u.Scheme + "://" + host, true
}
