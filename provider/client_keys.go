package provider

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/internal/outbound"
)

// Bounds of what is kept of the keys that clients publish.
const (
	keysLeast   = 5 * time.Minute // however short their headers say
	keysMost    = time.Hour
	keysAnew    = time.Minute      // at the soonest, for a kid that is not known
	keysRest    = 10 * time.Second // of a host after a failure
	keysTimeout = 3 * time.Second
	maxKeySets  = 1000
)

// remoteKeys fetches and keeps the keys that clients publish at their jwks_uri.
type remoteKeys struct {
	outbound *outbound.Client
	ambient  *ambient.Source

	mu      sync.Mutex
	sets    map[string]*remoteSet // by address
	resting map[string]time.Time  // hosts and addresses that failed, until when they are left alone
}

// remoteSet is one client's keys.
type remoteSet struct {
	fetching sync.Mutex // held by whoever fetches them

	mu        sync.Mutex // guards what follows
	keys      []jose.JSONWebKey
	fetchedAt time.Time
	until     time.Time
}

// look returns the keys, and whether they are good as they are for a token that
// names kid, or none.
func (s *remoteSet) look(kid string, now time.Time) (keys []jose.JSONWebKey, fetchedAt time.Time, good bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	missing := kid != "" && !slices.ContainsFunc(s.keys, func(k jose.JSONWebKey) bool { return k.KeyID == kid })
	return s.keys, s.fetchedAt, now.Before(s.until) && (!missing || now.Sub(s.fetchedAt) < keysAnew)
}

func (s *remoteSet) keep(keys []jose.JSONWebKey, now time.Time, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys, s.fetchedAt, s.until = keys, now, now.Add(d)
}

func newRemoteKeys(o *outbound.Client, source *ambient.Source) *remoteKeys {
	return &remoteKeys{outbound: o, ambient: source, sets: map[string]*remoteSet{}, resting: map[string]time.Time{}}
}

// causeNoKeys is the cause where a client's keys can't be had.
const causeNoKeys jwt.Cause = "the keys at the jwks_uri can't be fetched"

// of returns the keys of a client, as find does where it publishes them.
func (r *remoteKeys) of(ctx context.Context, c *client, kid string, mayFetch func() error) ([]jose.JSONWebKey, error) {
	if c.KeysURI == "" {
		return c.keys, nil
	}
	return r.find(ctx, c.KeysURI, kid, mayFetch)
}

// find returns the keys at an address, in which kid was looked up already if it is
// known there. mayFetch is asked before anything is fetched.
func (r *remoteKeys) find(ctx context.Context, address, kid string, mayFetch func() error) ([]jose.JSONWebKey, error) {
	set := r.set(address)
	if keys, _, good := set.look(kid, r.ambient.Now()); good {
		return keys, nil // whoever else is fetching them
	}
	set.fetching.Lock()
	defer set.fetching.Unlock()
	now := r.ambient.Now()
	if keys, _, good := set.look(kid, now); good {
		return keys, nil
	}
	if !r.rests(address, now) {
		if err := mayFetch(); err != nil {
			return nil, err
		}
		r.fetch(ctx, address, set, now)
	}
	keys, fetchedAt, _ := set.look(kid, now)
	if len(keys) == 0 || now.Sub(fetchedAt) >= keysMost {
		return nil, causeNoKeys
	}
	return keys, nil
}

func (r *remoteKeys) set(address string) *remoteSet {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sets[address] == nil {
		if len(r.sets) >= maxKeySets {
			clear(r.sets) // they are fetched again
		}
		r.sets[address] = &remoteSet{}
	}
	return r.sets[address]
}

func (r *remoteKeys) rests(address string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return now.Before(r.resting[address]) || now.Before(r.resting[hostOf(address)])
}

// fetch replaces the keys of the set. After a failure they stay, and where they are
// is left alone for a while: the host that gave no answer, else the address alone,
// for a host may publish the keys of many.
//
// It goes on when whoever asked hangs up: anybody can ask in the name of a client,
// and could keep its keys from ever being fetched.
func (r *remoteKeys) fetch(ctx context.Context, address string, set *remoteSet, now time.Time) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keysTimeout)
	defer cancel()
	answer, err := r.outbound.Get(ctx, address, "application/jwk-set+json, application/json")
	if err != nil {
		r.rest(hostOf(address), now)
		return
	}
	keys, _ := jwt.ReadKeys(answer.Body)
	if answer.Status != http.StatusOK || len(keys) == 0 {
		r.rest(address, now)
		return
	}
	set.keep(keys, now, keptFor(answer.Header))
}

func (r *remoteKeys) rest(where string, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.resting) >= maxKeySets {
		clear(r.resting)
	}
	r.resting[where] = now.Add(keysRest)
}

var maxAge = regexp.MustCompile(`(?:^|[,\s])max-age=(\d{1,9})`)

// keptFor is how long an answer may be kept, by its own word within our bounds.
func keptFor(header http.Header) time.Duration {
	age := keysLeast
	if found := maxAge.FindStringSubmatch(header.Get("Cache-Control")); found != nil {
		seconds, _ := strconv.Atoi(found[1])
		age = time.Duration(seconds) * time.Second
	}
	return min(max(age, keysLeast), keysMost)
}
