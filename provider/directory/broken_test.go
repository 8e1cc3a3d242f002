package directory_test

import (
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	ber "github.com/go-asn1-ber/asn1-ber"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/ldaptest"
)

// whose is the name in a bind.
func whose(request *ber.Packet) string {
	name, _ := request.Children[1].Value.(string)
	return name
}

// knowing is a directory that knows alice, and answers binds as the test wants it to.
func knowing(bind func(id int64, name string) [][]byte) func(ber.Tag, int64, *ber.Packet) [][]byte {
	return func(op ber.Tag, id int64, request *ber.Packet) [][]byte {
		if op == ldaptest.Search {
			return [][]byte{alice(id, ldaptest.PersonDN("alice")), ldaptest.Result(id, 5, 0, "")}
		}
		return bind(id, whose(request))
	}
}

// Rules: LDAP-12, LDAP-14
func TestALineThatBreaksSaysNothingOfAPassword(t *testing.T) {
	yes := func(id int64) [][]byte { return [][]byte{ldaptest.Result(id, 1, 0, "")} }
	for name, breaks := range map[string]func(id int64) [][]byte{
		"it hangs up":     func(int64) [][]byte { return [][]byte{nil} },
		"it is busy":      func(id int64) [][]byte { return [][]byte{ldaptest.Result(id, 1, 51, "")} },
		"it can't be had": func(id int64) [][]byte { return [][]byte{ldaptest.Result(id, 1, 52, "")} },
		"half an answer":  func(id int64) [][]byte { return [][]byte{ldaptest.Result(id, 1, 0, "")[:5], nil} },
	} {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, w *world) {
				bad := w.gremlin(knowing(func(id int64, name string) [][]byte {
					if name == ldaptest.Service {
						return yes(id)
					}
					return breaks(id)
				}), nil)
				good := ldaptest.StartGremlin(t, knowing(func(id int64, _ string) [][]byte { return yes(id) }))
				for range 6 { // more than a person has tries
					if _, _, err := w.try("alice", secret); !fault.Is(err, fault.Unavailable) {
						t.Fatalf("she is told %v", err)
					}
					w.wait(31 * time.Second)
				}
				w.set(map[string]any{"hosts": []string{bad.URL, good.URL}})
				if w.in("alice", secret) {
					t.Error("a bind that broke is told to the next host at once")
				}
				if !w.in("alice", secret) {
					t.Error("the host does not rest")
				}
			})
		})
		t.Run(name+" before anybody asks", func(t *testing.T) {
			eachEngine(t, func(t *testing.T, w *world) {
				bad := w.gremlin(knowing(func(id int64, _ string) [][]byte { return breaks(id) }), nil)
				good := ldaptest.StartGremlin(t, knowing(func(id int64, _ string) [][]byte { return yes(id) }))
				w.set(map[string]any{"hosts": []string{bad.URL, good.URL}})
				if !w.in("alice", secret) || bad.Binds.Load() != 1 {
					t.Errorf("the next host is not asked after %d binds", bad.Binds.Load())
				}
			})
		})
	}
}

// Rules: LDAP-12, LDAP-19
func TestADirectoryThatIsDownKeepsNobodyOutOfTheNext(t *testing.T) {
	slapd := ldaptest.Start(t, persons("alice"))
	for name, down := range map[string]func(ber.Tag, int64, *ber.Packet) [][]byte{
		"it stalls":   func(ber.Tag, int64, *ber.Packet) [][]byte { return nil },
		"it hangs up": func(ber.Tag, int64, *ber.Packet) [][]byte { return [][]byte{nil} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachEngine(t, func(t *testing.T, w *world) {
				g := ldaptest.StartGremlin(t, down)
				first := config(map[string]any{"hosts": []string{g.URL}})
				first.Position = new(-1)
				_, err := w.Rules.Create(t.Context(), w.act(), "down", "openldap", first)
				w.must(err)
				w.works(slapd, nil)
				began := time.Now()
				if !w.in("alice", secret) || time.Since(began) > 8*time.Second {
					t.Errorf("she is out after %v", time.Since(began))
				}
				for _, name := range []string{"alice", "alice@works.test", "nobody"} {
					if _, asked, err := w.try(name, "wrong"); !asked || !fault.Is(err, fault.Unavailable) {
						t.Errorf("a wrong password of %s, whom the first may know: %v", name, err)
					}
				}
			})
		})
	}
}

// Rule: LDAP-13
func TestWhatIsReadBeforeTLSIsLittle(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	var sent atomic.Int64
	over := make(chan struct{})
	go func() {
		defer close(over)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = conn.Read(make([]byte, 1024))
		_, _ = conn.Write([]byte{0x30, 0x84, 0x7f, 0xff, 0xff, 0x00, 0x04, 0x84, 0x7f, 0xff, 0xfe, 0x00})
		for chunk := make([]byte, 64<<10); err == nil && sent.Load() < 256<<20; sent.Add(int64(len(chunk))) {
			_, err = conn.Write(chunk)
		}
	}()
	eachEngine(t, func(t *testing.T, w *world) {
		change := config(map[string]any{"hosts": []string{"ldap://" + l.Addr().String()}, "start_tls": true})
		_, err = w.Rules.Create(t.Context(), w.act(), "works", "openldap", change)
		w.must(err)
		if _, _, err := w.try("alice", secret); !fault.Is(err, fault.Unavailable) {
			t.Errorf("she is told %v", err)
		}
		if <-over; sent.Load() > 64<<20 { // what the kernel holds counts, too
			t.Errorf("%d bytes are taken before TLS", sent.Load())
		}
	})
}

// Rule: LDAP-15
func TestConnectionsEndWithWhatTheyWereMadeFor(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		g := w.gremlin(knowing(func(id int64, _ string) [][]byte { return [][]byte{ldaptest.Result(id, 1, 0, "")} }), nil)
		open := func(want int64) {
			t.Helper()
			for deadline := time.Now().Add(10 * time.Second); g.Open.Load() != want; time.Sleep(time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("%d connections are open, want %d", g.Open.Load(), want)
				}
			}
		}
		if !w.in("alice", secret) {
			t.Fatal("she is out")
		}
		open(1)
		for range 3 {
			steps, err := w.Rules.Test(t.Context(), "works", "alice")
			if w.must(err); len(steps) == 0 || steps[len(steps)-1].Err != nil {
				t.Errorf("the test says %v", steps)
			}
		}
		open(1)
		w.set(map[string]any{"logins": []string{"uid"}})
		if !w.in("alice", secret) {
			t.Fatal("she is out")
		}
		open(1)
		w.must(w.Rules.Switch(t.Context(), w.act(), "works", true))
		w.must(w.Rules.WalkAll(t.Context()))
		open(0)
	})
}

// Who is in groups in groups is in them for nobody else to wait.
//
// Rule: LDAP-14
func TestAHostThatAnswersDoesNotRestThoughGroupsAreNotToldInTime(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	w := onSQLite(t)
	w.gremlin(func(op ber.Tag, id int64, request *ber.Packet) [][]byte {
		if op != ldaptest.Search {
			return [][]byte{ldaptest.Result(id, 1, 0, "")}
		}
		end := ldaptest.Result(id, 5, 0, "")
		if base, _ := request.Children[0].Value.(string); base == ldaptest.People {
			return [][]byte{alice(id, ldaptest.PersonDN("alice")), end}
		}
		time.Sleep(1200 * time.Millisecond)
		name := strconv.FormatInt(asked.Add(1), 10)
		return [][]byte{ldaptest.Entry(id, "cn="+name+","+ldaptest.Groups, map[string]string{"cn": name,
			"entryUUID": name}), end}
	}, map[string]any{"group_base": ldaptest.Groups})
	for range 2 {
		if !w.in("alice", secret) {
			t.Error("she is out")
		}
	}
	if asked.Load() < 6 || !strings.Contains(w.said.String(), "does not tell somebody's groups") {
		t.Errorf("asked %d times, the log says %s", asked.Load(), w.said)
	}
}
