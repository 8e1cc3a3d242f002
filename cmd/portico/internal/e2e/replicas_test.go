package e2e

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/pgtest"
)

// soakReplicas sets for how many seconds clients use the replicas while they and
// the database fail; make soak-replicas sets it to the full size.
const soakReplicas = "PORTICO_SOAK_REPLICAS"

const (
	quickReplicas  = 12 * time.Second
	howManyServers = 3
	chainsAtOnce   = 12
)

func replicasTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv(soakReplicas)
	if text == "" {
		return quickReplicas
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 12 {
		t.Fatalf("%s=%s: expected a number of seconds from 12", soakReplicas, text)
	}
	return time.Duration(n) * time.Second
}

// fleet is several servers on one database, and clients that ask any of them.
type fleet struct {
	*site
	app     client
	servers []*member
	began   time.Time
	limit   time.Duration

	mu  sync.Mutex
	all []happening
}

// member is a server of a fleet, wherever it is now.
type member struct {
	process *process
	address atomic.Value
	http    *http.Client
}

func newFleet(t *testing.T, database string, limit time.Duration) *fleet {
	t.Helper()
	f := &fleet{site: newSite(t, database, "REFRESH_GRACE=60s", "REQUEST_LIMIT=3s"), limit: limit}
	f.tolerate(background...)
	for range howManyServers {
		m := &member{}
		m.http = &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				var d net.Dialer
				return d.DialContext(ctx, network, m.address.Load().(string))
			},
		}}
		f.servers = append(f.servers, m)
		f.start(m)
	}
	return f
}

func (f *fleet) start(m *member) {
	m.process = f.spawn()
	m.address.Store(f.address.Load())
}

// ask asks any server, and notes what came of it.
func (f *fleet) ask(h happening, path string, pairs ...string) (happening, answer) {
	r := f.post(path, f.app, form(pairs...))
	h.Began = time.Since(f.began)
	got, err := try(f.servers[rand.IntN(len(f.servers))].http, r)
	h.Ended = time.Since(f.began)
	if err == nil {
		h.Status = got.Status
	}
	switch {
	case !h.succeeded():
	case h.What == didIntrospect:
		if strings.Contains(got.Body, `"active":true`) {
			h.Out = "active"
		}
	case h.What != didRevoke:
		h.Out = got.text("refresh_token")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, h)
	return h, got
}

func (f *fleet) refreshed(chain int, token string) happening {
	h, _ := f.ask(happening{Chain: chain, What: didRefresh, In: token}, tokenPath, "grant_type", "refresh_token", "refresh_token", token)
	return h
}

// live goes on with a chain until the time is up, asks again where an answer was
// lost, and revokes every second chain in the end.
func (f *fleet) live(chain int, code string) {
	h := happening{}
	for h.Out == "" { // a code may be sent again only while nobody has answered
		h, _ = f.ask(happening{Chain: chain, What: didRedeem, In: code}, tokenPath, "grant_type", "authorization_code", "code", code, "redirect_uri", callback)
		if h.Status == http.StatusBadRequest {
			return // it was spent, and the answer lost: that is what a code is like
		}
	}
	token, newest := h.Out, true // whether there can't be a newer one, of which the answer was lost
	for step := 0; time.Since(f.began) < f.limit; step++ {
		if newest && step%5 == 4 {
			f.ask(happening{Chain: chain, What: didIntrospect, In: token}, "/authentication/v2/introspect", "token", token)
			continue
		}
		switch h := f.refreshed(chain, token); h.Status {
		case http.StatusOK:
			token, newest = h.Out, true
		case http.StatusBadRequest:
			return // the judge will have something to say
		default:
			newest = false
			time.Sleep(50 * time.Millisecond)
		}
	}
	if chain%2 == 0 {
		return
	}
	for h := (happening{}); !h.succeeded(); {
		h, _ = f.ask(happening{Chain: chain, What: didRevoke, In: token}, "/authentication/v2/revoke", "token", token)
	}
	for range howManyServers * 3 {
		f.refreshed(chain, token)
	}
}

// suffer kills a server every now and then, and lets the database fall silent in
// the middle.
func (f *fleet) suffer(way *stall) (kills int) {
	each := f.limit / 6
	for n := range 5 {
		time.Sleep(each)
		if n == 2 {
			way.fallSilent()
			time.Sleep(2 * time.Second)
			way.reset()
			way.speak()
			continue
		}
		m := f.servers[n%len(f.servers)]
		m.process.kill()
		kills++
		f.start(m)
	}
	return kills
}

// Rule: SERVER-45
func TestReplicasLoseNothingAndSpendNothingTwice(t *testing.T) {
	dial, by := unixServer(t, pgtest.URL(t))
	way := newStall(t, dial)
	f := newFleet(t, by(way.address()), replicasTime(t))
	f.app = f.client("--redirect-uri", callback)
	var codes []string
	for i := range chainsAtOnce {
		email := "person" + strconv.Itoa(i) + "@example.test"
		f.person(email)
		codes = append(codes, f.visitor(email).code(f.app))
	}
	f.began = time.Now()
	var clients sync.WaitGroup
	for i, code := range codes {
		clients.Go(func() { f.live(i, code) })
	}
	kills := f.suffer(way)
	clients.Wait()
	for _, broken := range judgeHistory(f.all) {
		t.Error(broken)
	}
	good, lost := 0, 0
	for _, h := range f.all {
		if h.succeeded() {
			good++
		} else if h.Status == 0 || h.Status >= http.StatusInternalServerError {
			lost++
		}
	}
	t.Logf("%d acts succeeded, %d were lost or refused, %d servers were killed; nothing succeeded for %v at most",
		good, lost, kills, longestGap(f.all).Round(time.Millisecond))
	if good < chainsAtOnce {
		t.Errorf("only %d acts succeeded", good)
	}
}
