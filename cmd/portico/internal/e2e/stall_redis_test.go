package e2e

import (
	"net"
	"os/exec"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/freeport"
)

// startRedis returns the port of a Redis that is the test's.
func startRedis(t *testing.T) (port string) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs redis-server, which -short leaves out")
	}
	port = freeport.Take(t)
	runBeside(t, exec.Command("redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir()),
		port)
	return port
}

// Rule: LIMIT-5
func TestARedisThatFallsSilentOrResetsKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	port := startRedis(t)
	way := newStall(t, func() (net.Conn, error) { return net.Dial("tcp", "127.0.0.1:"+port) })
	s := newSite(t, sqliteURL(t), "RATE_LIMITS=on", "REDIS_URL=redis://"+way.address()+"/0")
	s.tolerate("Redis")
	s.run()
	p := newProbes(s)
	for what, trouble := range map[string]func(){"well": func() {}, "silent": way.fallSilent,
		"reset": func() { way.speak(); way.reset() }} {
		trouble()
		within(t, 12*time.Second, "all while Redis is "+what, func() {
			if !p.crowd() {
				t.Errorf("while Redis is %s not everything is answered", what)
			}
		})
		if status, said := p.readiness(); status != 200 {
			t.Errorf("readiness while Redis is %s: %d %s", what, status, said)
		}
	}
}
