package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strconv"
	"syscall"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/internal/fault"
)

// listenAll opens what the configuration names, and the addresses for clients
// with certificates behind the others.
func listenAll(ctx context.Context, c config.Config, o Options) ([]net.Listener, error) {
	plain, err := listen(ctx, c.Listen, o.Log)
	if err == nil {
		plain, err = secure(plain, c.TLS, false, o)
	}
	if err != nil || len(c.TLS.ClientListen) == 0 {
		return plain, err
	}
	clients, err := listen(ctx, c.TLS.ClientListen, o.Log)
	if err != nil {
		return nil, errors.Join(config.Blame("PORTICO_TLS_CLIENT_LISTEN", err), closeAll(plain))
	}
	if clients, err = secure(clients, c.TLS, true, o); err != nil {
		return nil, errors.Join(err, closeAll(plain))
	}
	return append(plain, clients...), nil
}

// listen opens every address. A machine without IPv6 may lack [::1]: that alone
// is no failure while another address works.
func listen(ctx context.Context, addresses []string, log *slog.Logger) ([]net.Listener, error) {
	var listeners []net.Listener
	var absent error
	for _, address := range addresses {
		var config net.ListenConfig
		listener, err := config.Listen(ctx, "tcp", address)
		switch {
		case err == nil:
			listeners = append(listeners, listener)
		case errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EAFNOSUPPORT):
			log.WarnContext(ctx, "an address is not on this machine", "address", address)
			absent = unusable(address, err)
		default:
			return nil, errors.Join(unusable(address, err), closeAll(listeners))
		}
	}
	if len(listeners) == 0 {
		return nil, absent
	}
	return listeners, nil
}

func unusable(address string, err error) error {
	detail := "The address " + address + " can't be listened on"
	var why *net.OpError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		detail = "The address " + address + " is taken by another program: stop it, or choose another port."
	case errors.Is(err, syscall.EACCES):
		detail += ": a port below 1024 needs the capability CAP_NET_BIND_SERVICE. Choose another port, or give it " +
			"(AmbientCapabilities= and CapabilityBoundingSet= in a unit of systemd)."
	case errors.As(err, &why):
		detail += ": " + why.Err.Error() + "."
	default:
		detail += "."
	}
	return fault.New(fault.Invalid, "listen", detail).At("PORTICO_LISTEN").Because(err)
}

// closeAll closes listeners; the server may have closed them before.
func closeAll(listeners []net.Listener) error {
	var failures []error
	for _, listener := range listeners {
		if err := listener.Close(); !errors.Is(err, net.ErrClosed) {
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

// localURL is the base URL of a server that was given none. Browsers take
// localhost, and no IP address, for a secure context and a name of its own.
func localURL(listener net.Listener, secured bool) string {
	port := 0
	if address, ok := listener.Addr().(*net.TCPAddr); ok {
		port = address.Port
	}
	if secured {
		return "https://localhost:" + strconv.Itoa(port)
	}
	return "http://localhost:" + strconv.Itoa(port)
}
