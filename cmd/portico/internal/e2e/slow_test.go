package e2e

import (
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// trickle gives a byte now and then, for an hour.
type trickle struct {
	every *time.Ticker
	of    string
	sent  int
}

func newTrickle(t *testing.T, of string) *trickle {
	every := time.NewTicker(200 * time.Millisecond)
	t.Cleanup(every.Stop)
	return &trickle{every: every, of: of}
}

func (b *trickle) Read(p []byte) (int, error) {
	<-b.every.C
	p[0] = b.of[b.sent%len(b.of)]
	b.sent++
	return 1, nil
}

// crowdOfSlow is more than any pool of the server has places.
const crowdOfSlow = 100

// Rule: SERVER-20
func TestSlowBodiesAreAnsweredAndKeepNobodyWaiting(t *testing.T) {
	t.Parallel()
	s := start(t, sqliteURL(t))
	e := endpoints(s)["token"]
	var all sync.WaitGroup
	for range crowdOfSlow {
		all.Go(func() {
			got, err := flood(s, e.request(s, nil), strconv.Itoa(hundredMegabytes), newTrickle(t, "a"))
			if err != nil {
				t.Errorf("no answer: %v", err)
				return
			}
			e.refuses(t, got)
		})
	}
	served := 0
	for range crowdOfSlow {
		if got, err := try(s.plain, e.request(s, strings.NewReader(e.good.Encode()))); err == nil && got.Status == e.accept {
			served++
		}
	}
	if served != crowdOfSlow {
		t.Errorf("beside the slow ones %d of %d were served", served, crowdOfSlow)
	}
	all.Wait()
}

// Rule: SERVER-20
func TestSlowBodiesAreRefusedInEveryEndpointsOwnShape(t *testing.T) {
	t.Parallel()
	s := start(t, sqliteURL(t))
	var all sync.WaitGroup
	for name, e := range endpoints(s) {
		all.Go(func() {
			got, err := flood(s, e.request(s, nil), strconv.Itoa(hundredMegabytes), newTrickle(t, "a"))
			if err != nil {
				t.Errorf("%s: no answer: %v", name, err)
				return
			}
			e.refuses(t, got)
		})
	}
	all.Wait()
}

// Rule: SERVER-20
func TestSlowRequestHeadsAreCutOff(t *testing.T) {
	t.Parallel()
	s := start(t, sqliteURL(t))
	conn := must(net.Dial("tcp", s.address.Load().(string)))
	defer conn.Close()
	s.must(conn.SetDeadline(time.Now().Add(patience)))
	go func() {
		_, _ = io.WriteString(conn, "POST "+tokenPath+" HTTP/1.1\r\nHost: localhost\r\n")
		_, _ = io.Copy(conn, newTrickle(t, "X-Slow: 1\r\n"))
	}()
	_, err := io.Copy(io.Discard, conn)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the server waits for ever for the rest of a request head")
	}
}
