package directory_test

import (
	"net"
	"sync/atomic"
	"testing"

	"github.com/portico-id/portico/internal/harness/dnstest"
)

// A directory whose name leads within by the time of the call is not connected to, unless
// that network is named.
//
// Rule: LDAP-15
func TestADirectoryWhoseNameMovesWithinIsNotConnectedTo(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		inner, err := net.Listen("tcp", "127.0.0.1:0")
		w.must(err)
		t.Cleanup(func() { _ = inner.Close() })
		var met atomic.Int64
		go func() {
			for {
				c, err := inner.Accept()
				if err != nil {
					return
				}
				met.Add(1)
				_ = c.Close()
			}
		}()
		_, port, _ := net.SplitHostPort(inner.Addr().String())
		names := dnstest.New(t)
		for networks, reached := range map[string]bool{"127.0.0.2/32": false, "127.0.0.1/32": true} {
			names.Leads([]string{"127.0.0.2"}, []string{"127.0.0.1"}) // the second time it leads within
			met.Store(0)
			change := config(map[string]any{"hosts": []string{"ldaps://dir.works.test:" + port},
				"networks": []string{networks}})
			_, err := w.Rules.Create(t.Context(), w.act(), "works", "openldap", change)
			w.must(err)
			for range 2 {
				if steps, err := w.Rules.Test(t.Context(), "works", ""); err != nil || steps[len(steps)-1].Err == nil {
					t.Errorf("there is a directory: %v %v", steps, err)
				}
			}
			if got := met.Load() > 0; got != reached || names.Asked() == 0 {
				t.Errorf("%s is named: what lies within was connected to %v, names were asked for %d times", networks, got,
					names.Asked())
			}
			w.must(w.Rules.Delete(t.Context(), w.act(), "works"))
		}
	})
}
