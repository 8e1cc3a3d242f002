package outbound

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/tracing"
)

// newHTTPClient returns a client that connects to allowed addresses only.
func newHTTPClient(allowed func(netip.Addr) bool, named string) *http.Client {
	return &http.Client{
		Transport: tracing.Transport(&http.Transport{
			Proxy:                  nil, // a proxy would connect on our behalf, to anywhere
			DialContext:            guarded(allowed, named),
			TLSHandshakeTimeout:    3 * time.Second,
			MaxResponseHeaderBytes: 16 << 10,
			MaxIdleConns:           32,
			MaxIdleConnsPerHost:    2,
			IdleConnTimeout:        30 * time.Second,
			ForceAttemptHTTP2:      true,
			DisableCompression:     true, // a small answer could unfold into a large one
		}),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// guarded returns a dialler.
//
// The check sits where the socket is made, after every look-up: a name that is
// resolved once to be judged and once more to be called could have changed
// meanwhile. Of a name with several addresses one that is allowed is enough, and
// when that does not answer the failure is no refusal: it may answer later.
func guarded(allowed func(netip.Addr) bool, named string) func(ctx context.Context, network, address string) (
	net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		var tried atomic.Bool
		dialer := net.Dialer{
			Timeout: 3 * time.Second,
			Control: func(_, address string, _ syscall.RawConn) error {
				err := check(address, allowed, named)
				tried.Store(tried.Load() || err == nil)
				return err
			},
		}
		connection, err := dialer.DialContext(ctx, network, address)
		if refusal := new(fault.Error); tried.Load() && errors.As(err, &refusal) {
			return nil, errors.New("the addresses that may be called do not answer")
		}
		return connection, err
	}
}

// check judges the address that is about to be connected to, which is always
// an IP address with a port.
func check(address string, allowed func(netip.Addr) bool, named string) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return notAllowed("The URL leads to no address of a host.").Because(err)
	}
	if !allowed(target.Addr()) {
		return leadsTo(target.Addr(), named)
	}
	return nil
}

const leading = "The URL leads to "

// leadsTo says, too, what the networks that may be called are named by.
func leadsTo(a netip.Addr, named string) *fault.Error {
	return notAllowed(leading + a.Unmap().String() + ", which this server does not call (" + named +
		" names networks that it may call).")
}

// Dialer returns what connects, in three seconds, to public addresses and those in the
// networks, which ByField named, for what is not http.
func Dialer(networks []netip.Prefix) func(ctx context.Context, network, address string) (net.Conn, error) {
	return guarded(func(a netip.Addr) bool { return near(networks, a) || public(a) }, ByField)
}
