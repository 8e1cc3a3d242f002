package e2e

import (
	"io"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// stall is a way to a server of somebody else, such as a database, that can fall
// silent: what is on its way then is lost, as with a cable that is cut. Whoever
// connects while it is silent is heard, and not answered.
type stall struct {
	listener net.Listener
	dial     func() (net.Conn, error)

	mu     sync.Mutex
	silent bool
	gone   bool              // whoever connects is hung up on
	late   time.Duration     // how long what is on its way is held back
	conns  map[net.Conn]bool // those that were open when it fell silent are never answered again
}

func newStall(t testing.TB, dial func() (net.Conn, error)) *stall {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serveStall(t, listener, dial)
}

func serveStall(t testing.TB, listener net.Listener, dial func() (net.Conn, error)) *stall {
	s := &stall{listener: listener, dial: dial, conns: map[net.Conn]bool{}}
	t.Cleanup(func() {
		listener.Close()
		s.reset()
	})
	go s.serve()
	return s
}

func (s *stall) serve() {
	for {
		from, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		silent, gone := s.silent, s.gone
		s.conns[from] = silent
		s.mu.Unlock()
		if gone {
			from.Close()
		}
		if silent || gone {
			continue
		}
		to, err := s.dial()
		if err != nil {
			from.Close()
			continue
		}
		go s.copy(to, from, from)
		go s.copy(from, to, from)
	}
}

// copy passes on until either end closes, or nothing at all once the connection
// was silenced.
func (s *stall) copy(to, from, which net.Conn) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		s.wait()
		if s.lost(which) {
			_, _ = io.Copy(io.Discard, from)
			return
		}
		if n > 0 {
			if _, failed := to.Write(buffer[:n]); failed != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (s *stall) lost(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns[conn]
}

// fallSilent says nothing to anybody from now on.
func (s *stall) fallSilent() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent = true
	for conn := range s.conns {
		s.conns[conn] = true
	}
}

// holdBack passes on what is sent from now on only after so long, or once it is told
// another time.
func (s *stall) holdBack(late time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late = late
}

func (s *stall) wait() {
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		s.mu.Lock()
		late := s.late
		s.mu.Unlock()
		if time.Since(began) >= late {
			return
		}
	}
}

// refuse hangs up on everybody.
func (s *stall) refuse() {
	s.mu.Lock()
	s.gone = true
	s.mu.Unlock()
	s.reset()
}

// speak answers those who connect from now on.
func (s *stall) speak() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent, s.gone = false, false
}

// reset ends every connection.
func (s *stall) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for conn := range s.conns {
		conn.Close()
	}
	s.conns = map[net.Conn]bool{}
}

func (s *stall) address() string { return s.listener.Addr().String() }

// unixServer returns how to connect to a database of a test, which listens on a
// socket, and its URL by way of an address.
func unixServer(t testing.TB, database string) (dial func() (net.Conn, error), by func(address string) string) {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(u.Query().Get("host"), ".s.PGSQL.5432")
	dial = func() (net.Conn, error) { return net.DialTimeout("unix", socket, patience) }
	return dial, func(address string) string {
		return "postgres://" + u.User.Username() + "@" + address + u.Path + "?sslmode=disable"
	}
}

// within checks that work ends in a time that is far below patience: it is about
// those who wait without end.
func within(t testing.TB, limit time.Duration, what string, work func()) {
	t.Helper()
	began := time.Now()
	work()
	if took := time.Since(began); took > limit {
		t.Errorf("%s took %v, more than %v", what, took.Round(time.Millisecond), limit)
	}
}

// eventually tries until it works, at most so long, and returns how long it took.
func eventually(t testing.TB, limit time.Duration, what string, works func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	for !works() {
		if time.Since(began) > limit {
			t.Fatalf("%s does not work again after %v", what, limit)
		}
		time.Sleep(100 * time.Millisecond)
	}
	return time.Since(began)
}

// tolerate lets the site's log tell of outages, and of nothing else.
func (s *site) tolerate(words ...string) { s.tolerated = append(s.tolerated, words...) }

// untold are the lines of trouble that were not to be expected.
func (s *site) untold(trouble string) string {
	var rest strings.Builder
	for line := range strings.Lines(trouble) {
		known := false
		for _, word := range s.tolerated {
			known = known || strings.Contains(line, word)
		}
		if !known {
			rest.WriteString(line)
		}
	}
	return rest.String()
}
