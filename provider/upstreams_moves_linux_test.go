package provider_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/dnstest"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/upstreams"
)

// Where an upstream is, and what lies within. On Linux all of 127.0.0.0/8 is this machine.
const (
	outside = "127.0.0.2"
	within  = "127.0.0.1"
)

// mover is an upstream with a name, which the test's name server has lead elsewhere.
type mover struct {
	*liar
	names *dnstest.Server
	inner atomic.Int64 // connections to what lies within
}

// mover starts one at works, which it may be called at where it is: the same answers
// come from within, where somebody connects to that.
func (w *world) mover(networks string) *mover {
	w.Helper()
	m := &mover{liar: w.standIn(""), names: dnstest.New(w)}
	port := m.listens(outside+":0", nil)
	m.listens(within+":"+port, &m.inner)
	m.URL = "http://idp.works.test:" + port
	m.issuer = m.URL
	m.says = map[string]any{"email": nil} // so that user info is asked for
	m.info = map[string]any{"sub": "person-1", "email": "one@works.test", "email_verified": true}
	m.refresh = "r"
	m.names.Leads([]string{outside})
	w.upstream("works", m.URL, "portico", liarsSecret, "networks", networks)
	return m
}

// listens serves at an address, counts connections, and keeps none, so that each call
// looks the name up.
func (m *mover) listens(address string, count *atomic.Int64) (port string) {
	m.Helper()
	listener, err := net.Listen("tcp", address)
	m.must(err)
	server := httptest.NewUnstartedServer(m.serves)
	m.must(server.Listener.Close())
	server.Listener = listener
	server.Config.SetKeepAlivesEnabled(false)
	if count != nil {
		server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				count.Add(1)
			}
		}
	}
	server.Start()
	m.Cleanup(server.Close)
	_, port, _ = net.SplitHostPort(listener.Addr().String())
	return port
}

// arrives signs somebody in to an app of theirs, without a browser at the upstream.
func (m *mover) arrives() (*comer, visit) {
	m.Helper()
	a, b := m.app(apps.Registration{}), m.browser()
	v := b.get(b.authorizeURL(a))
	v = b.get(b.URL + "/login/upstream/works?" + v.At.RawQuery)
	if v.Away == nil {
		return nil, v
	}
	q := v.Away.Query()
	back := url.Values{"state": {q.Get("state")}, "code": {codeFor + q.Get("nonce")}, "iss": {m.issuer}}
	v = b.through(b.get(b.URL+"/login/upstream/works/callback?"+back.Encode()), "")
	if v.Away == nil {
		return nil, v
	}
	token, _ := b.redeem(a, v.Away.Query().Get("code")).JSON(m)["refresh_token"].(string)
	return &comer{b, a, token}, v
}

// moves has the name lead within as soon as the path is asked for; from the beginning
// where that is empty.
func (m *mover) moves(path string) {
	m.names.Leads([]string{outside})
	m.asked = func(asked string) {
		if asked == path {
			m.names.Leads([]string{within})
		}
	}
	if path == "" {
		m.names.Leads([]string{within})
	}
}

// What the name of an upstream leads to when it is connected to counts, at each call of a
// sign-in, whatever it led to a moment before.
//
// Rule: FED-15
func TestAnUpstreamWhoseNameMovesWithinIsNotCalledThere(t *testing.T) {
	const metadata = "/.well-known/openid-configuration"
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		m := w.mover(outside + "/32")
		for next, after := range map[string]string{"metadata": "", "token": metadata, "keys": "/token",
			"user info": "/keys"} {
			w.wait(61 * time.Minute) // what was read is read anew
			m.moves(after)
			if one, v := m.arrives(); one != nil || m.inner.Load() != 0 {
				t.Errorf("%s: signed in %v, status %d, %d connections within", next, one != nil, v.Status, m.inner.Load())
			}
			m.asked = nil
			m.names.Leads([]string{outside})
			w.wait(11 * time.Second)
			if one, v := m.arrives(); one == nil {
				t.Errorf("%s, where it stays: status %d: %s", next, v.Status, w.said)
			}
		}
		one, _ := m.arrives()
		w.wait(16 * time.Minute)
		m.moves("")
		one.goesOn(m.liar, ok) // it could not be asked, which says nothing
		w.wait(61 * time.Minute)
		m.says = map[string]any{"nonce": nil, "jti": "j", "events": map[string]any{
			"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}}
		got := w.post("/login/upstream/works/backchannel-logout", app{}, form("logout_token", m.idToken("")))
		if got.Status == http.StatusOK || !one.isSignedIn() || m.inner.Load() != 0 {
			t.Errorf("a logout by keys from within: %d, %d connections there", got.Status, m.inner.Load())
		}
		if steps, err := w.Upstreams.Test(t.Context(), "works"); err != nil || steps[len(steps)-1].Err == nil ||
			!strings.Contains(steps[len(steps)-1].Said(), within) || m.inner.Load() != 0 {
			t.Errorf("a test says %v %v, %d connections within", steps, err, m.inner.Load())
		}
	})
}

// Rule: FED-15
func TestAnUpstreamWhoseNameLeadsToSeveralIsCalledWhereItMayBe(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		m := w.mover(outside + "/32")
		for range 3 {
			w.wait(61 * time.Minute)
			m.names.Leads([]string{within, outside, "169.254.169.254"})
			if one, v := m.arrives(); one == nil || m.inner.Load() != 0 {
				t.Errorf("several: status %d, %d connections within", v.Status, m.inner.Load())
			}
			var turns [][]string // another one each time it is asked for
			for range 6 {
				turns = append(turns, []string{outside}, []string{within}, []string{"169.254.169.254"})
			}
			m.names.Leads(turns...)
			w.wait(61 * time.Minute)
			m.arrives()
		}
		if m.inner.Load() != 0 || m.names.Asked() < 9 {
			t.Errorf("%d connections within; names were asked for %d times", m.inner.Load(), m.names.Asked())
		}
		_, err := w.Upstreams.Set(t.Context(), w.act(), "works", liarsSecret,
			upstreams.Change{"networks": fmt.Sprintf("%s/32,%s/32", outside, within)})
		w.must(err)
		m.names.Leads([]string{within})
		if one, v := m.arrives(); one == nil || m.inner.Load() == 0 {
			t.Errorf("where it is named: status %d, %d connections within: the test shows nothing: %s", v.Status,
				m.inner.Load(), w.said)
		}
	})
}
