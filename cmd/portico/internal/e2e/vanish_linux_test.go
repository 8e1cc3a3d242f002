package e2e

import (
	"net"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/pgtest"
)

// otherHost is a machine at the end of a wire: a network namespace, and the
// thread that lives in it.
type otherHost struct {
	testing.TB
	here, there string // our address on the wire, and its
	thread      int
	work        chan func()
}

// newOtherHost makes one, where the machine lets us.
func newOtherHost(t testing.TB) *otherHost {
	t.Helper()
	h := &otherHost{TB: t, work: make(chan func())}
	made := make(chan error)
	go func() {
		runtime.LockOSThread() // for ever: the thread ends with the goroutine, and the namespace with it
		h.thread = syscall.Gettid()
		made <- syscall.Unshare(syscall.CLONE_NEWNET)
		for act := range h.work {
			act()
		}
	}()
	t.Cleanup(func() { close(h.work) })
	if err := <-made; err != nil {
		t.Skipf("this machine makes no network namespace, so no host can vanish: %v", err)
	}
	network := "10." + strconv.Itoa(64+h.thread%128) + "." + strconv.Itoa(h.thread/128%250) + "."
	h.here, h.there = network+"1", network+"2"
	link := "pt" + strconv.Itoa(h.thread)
	h.ip("link", "add", link, "type", "veth", "peer", "name", "wire", "netns", strconv.Itoa(h.thread))
	t.Cleanup(func() { h.ip("link", "delete", link) })
	h.ip("address", "add", h.here+"/24", "dev", link)
	h.ip("link", "set", link, "up")
	h.do(func() {
		h.ip("address", "add", h.there+"/24", "dev", "wire")
		h.ip("link", "set", "wire", "up")
	})
	return h
}

// do acts on the other host.
func (h *otherHost) do(act func()) {
	done := make(chan struct{})
	h.work <- func() { act(); close(done) }
	<-done
}

func (h *otherHost) ip(args ...string) {
	h.Helper()
	if said, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		h.Errorf("ip %v: %v: %s", args, err, said)
	}
}

// listen listens there.
func (h *otherHost) listen() (listener net.Listener) {
	h.Helper()
	var err error
	h.do(func() { listener, err = net.Listen("tcp", h.there+":0") })
	if err != nil {
		h.Fatal(err)
	}
	return listener
}

// vanish has the host say nothing any more, to nobody: neither that a connection
// is over nor that there is nobody.
func (h *otherHost) vanish() {
	h.do(func() { h.ip("route", "add", "blackhole", h.here+"/32") })
}

// Rule: SERVER-30
func TestAHostThatVanishesWithoutAWordIsLeftForTheOther(t *testing.T) {
	t.Parallel()
	host := newOtherHost(t)
	dial, by := unixServer(t, pgtest.URL(t))
	lost, other := serveStall(t, host.listen(), dial), newStall(t, dial)
	s := newSite(t, by(lost.address()+","+other.address()), "DATABASE_POOL=8")
	s.tolerate(background...)
	s.run()
	p := newProbes(s)
	host.vanish()
	began := time.Now()
	p.back(15 * time.Second)
	t.Logf("the other host serves after %v", time.Since(began).Round(10*time.Millisecond))
	within(t, 3*time.Second, "what comes after", func() { p.back(3 * time.Second) })
}
