package middleware

import (
	"context"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage"
)

// originsStaleness bounds how long a registered origin may go unnoticed: a
// change acts within a second.
const originsStaleness = 500 * time.Millisecond

// OriginStore tells which browser origins are registered: storage.ClientStore.
type OriginStore interface {
	ListBrowserOrigins(ctx context.Context) (storage.BrowserOrigins, error)
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
	loopback map[string]bool // at any port: the program chooses it when it begins (RFC 8252)
	loadedAt time.Time
}

// NewOrigins returns the set, which is read when it is first asked.
func NewOrigins(store OriginStore, source *ambient.Source, log *slog.Logger) *Origins {
	return &Origins{store: store, ambient: source, log: log}
}

// Registered reports whether a browser at the origin may read our answers.
func (o *Origins) Registered(ctx context.Context, origin string) bool {
	v := o.fresh(ctx)
	return v.set[origin] || v.loopback[portless(origin)]
}

// Forget has the origins read again when somebody asks for one: a client has
// changed. What is being read meanwhile is not kept, for it may be of before.
func (o *Origins) Forget() {
	for done := false; !done; {
		v, old := o.view.Load(), &originView{}
		if v != nil {
			old.set, old.loopback = v.set, v.loopback
		}
		done = o.view.CompareAndSwap(v, old)
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
	all, err := o.store.ListBrowserOrigins(ctx)
	switch {
	case err == nil:
		next.set, next.loopback = originSet(slices.Concat(all.Origins, all.SPA, all.Native)), loopbackOf(all.Native)
	case last != nil:
		next.set, next.loopback = last.set, last.loopback
	}
	if err != nil && ctx.Err() != nil {
		return next // this request was given up; the next one asks again
	}
	if err != nil {
		o.log.WarnContext(ctx, "reading the registered browser origins failed", "error", err)
	}
	o.view.CompareAndSwap(last, next) // unless they were forgotten meanwhile
	return next
}

func (o *Origins) current() *originView {
	v := o.view.Load()
	if v == nil || o.ambient.Now().Sub(v.loadedAt).Abs() >= originsStaleness {
		return nil
	}
	return v
}

func originSet(uris []string) map[string]bool {
	set := map[string]bool{}
	for _, raw := range uris {
		if origin, ok := originOf(raw); ok {
			set[origin] = true
		}
	}
	return set
}

// loopbackOf returns the origins without ports of those that are on the device itself.
func loopbackOf(uris []string) map[string]bool {
	set := map[string]bool{}
	for origin := range originSet(uris) {
		if host := portless(origin); slices.Contains(loopbackHosts, host) {
			set[host] = true
		}
	}
	return set
}

var loopbackHosts = []string{"http://localhost", "http://127.0.0.1", "http://[::1]"}

// portless returns the origin without its port.
func portless(origin string) string {
	if i := strings.LastIndexByte(origin, ':'); i > strings.LastIndexByte(origin, ']') && i > len("https:") {
		return origin[:i]
	}
	return origin
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
