package outbound

import (
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// newHTTPClient returns a client that connects to allowed addresses only.
//
// The check sits where the socket is made, after every look-up: a name that is
// resolved once to be judged and once more to be called could have changed
// meanwhile.
func newHTTPClient(allowed func(netip.Addr) bool) *http.Client {
	dialer := &net.Dialer{
		Timeout: 3 * time.Second,
		Control: func(_, address string, _ syscall.RawConn) error { return check(address, allowed) },
	}
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil, // a proxy would connect on our behalf, to anywhere
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    3 * time.Second,
			MaxResponseHeaderBytes: 16 << 10,
			MaxIdleConns:           32,
			MaxIdleConnsPerHost:    2,
			IdleConnTimeout:        30 * time.Second,
			ForceAttemptHTTP2:      true,
			DisableCompression:     true, // a small answer could unfold into a large one
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// check judges the address that is about to be connected to, which is always
// an IP address with a port.
func check(address string, allowed func(netip.Addr) bool) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil || !allowed(target.Addr()) {
		return notAllowed("The URL leads to an address that this server does not call.").Because(err)
	}
	return nil
}
