// Package dnstest is a name server for tests, which may answer something else each time.
// While it runs this program asks it for all names. Start at New.
package dnstest

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// Server is the name server.
type Server struct {
	mu    sync.Mutex
	turns [][]netip.Addr // the answers to the next questions; the last one stays
	asked int
}

// New starts a name server until the test ends. Nothing else may look up names meanwhile.
func New(t testing.TB) *Server {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{}
	go s.serve(socket)
	before := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", socket.LocalAddr().String())
	}}
	t.Cleanup(func() {
		net.DefaultResolver = before
		_ = socket.Close()
	})
	return s
}

// Leads has every name lead to the addresses of the first turn, when it is asked for next,
// then to those of the second and so on; the last ones stay.
func (s *Server) Leads(turns ...[]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns = nil
	for _, turn := range turns {
		var all []netip.Addr
		for _, one := range turn {
			all = append(all, netip.MustParseAddr(one))
		}
		s.turns = append(s.turns, all)
	}
}

// Asked is how often somebody has asked for an address.
func (s *Server) Asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

func (s *Server) serve(socket net.PacketConn) {
	packet := make([]byte, 1500)
	for {
		n, from, err := socket.ReadFrom(packet)
		if err != nil {
			return
		}
		var message dnsmessage.Message
		if message.Unpack(packet[:n]) != nil || len(message.Questions) != 1 {
			continue
		}
		answer := dnsmessage.Message{Questions: message.Questions,
			Header: dnsmessage.Header{ID: message.ID, Response: true, Authoritative: true, RecursionAvailable: true}}
		if message.Questions[0].Type == dnsmessage.TypeA {
			answer.Answers = s.answer(message.Questions[0])
		}
		if text, err := answer.Pack(); err == nil {
			_, _ = socket.WriteTo(text, from)
		}
	}
}

func (s *Server) answer(q dnsmessage.Question) (all []dnsmessage.Resource) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if len(s.turns) == 0 {
		return nil
	}
	now := s.turns[0]
	if len(s.turns) > 1 {
		s.turns = s.turns[1:]
	}
	for _, address := range now {
		all = append(all, dnsmessage.Resource{Body: &dnsmessage.AResource{A: address.As4()},
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}})
	}
	return all
}
