package middleware

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/clientcert"
	"github.com/portico-id/portico/internal/httpio"
)

const requestIDHeader = "X-Request-Id"

// Exchange gives every request its httpio.Exchange and every answer an
// X-Request-Id. Forwarded headers, request ids and certificates, which are in the
// header of the given name, count only from a trusted proxy.
func Exchange(source *ambient.Source, trusted []netip.Prefix, certificate string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		peer := peerAddress(r.RemoteAddr)
		exchange := &httpio.Exchange{RequestID: source.UUID(), Address: clientAddress(r, peer, trusted)}
		exchange.Certificates = clientcert.Presented(r, certificate, isTrusted(peer, trusted))
		exchange.Languages.Browser = r.Header.Get("Accept-Language")
		if id := r.Header.Get(requestIDHeader); isTrusted(peer, trusted) && plainID(id) {
			exchange.RequestID = id
		}
		w.Header().Set(requestIDHeader, exchange.RequestID)
		next.ServeHTTP(w, r.WithContext(httpio.With(r.Context(), exchange)))
	})
}

// plainID reports whether a proxy's request id can stand in headers, logs and
// pages as it is.
func plainID(id string) bool {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	return id != "" && len(id) <= 64 && strings.Trim(id, allowed) == "" &&
		!strings.ContainsFunc(id, func(c rune) bool { return !strings.ContainsRune(allowed, c) })
}

func peerAddress(remote string) netip.Addr {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	address, _ := netip.ParseAddr(host)
	return address.Unmap().WithZone("")
}

func isTrusted(address netip.Addr, trusted []netip.Prefix) bool {
	return slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(address) })
}

// clientAddress walks the forwarded addresses from the nearest hop to the
// farthest and stops at the first that no trusted proxy stands behind: what is
// further left could have been written by anyone.
func clientAddress(r *http.Request, peer netip.Addr, trusted []netip.Prefix) string {
	address := peer
	if isTrusted(peer, trusted) {
		hops := forwardedHops(r.Header)
		for _, hop := range slices.Backward(hops) {
			next, err := netip.ParseAddr(hop)
			if err != nil {
				break // unknown, obfuscated or nonsense: the last certain hop stands
			}
			address = next.Unmap().WithZone("")
			if !isTrusted(address, trusted) {
				break
			}
		}
	}
	if !address.IsValid() {
		return "" // a Unix socket
	}
	return address.String()
}

// forwardedHops returns the addresses of Forwarded (RFC 7239) or, without one,
// of X-Forwarded-For, in the order they were written. Ports are cut off.
func forwardedHops(header http.Header) []string {
	var hops []string
	if lines := header.Values("Forwarded"); len(lines) > 0 {
		for element := range strings.SplitSeq(strings.Join(lines, ","), ",") {
			hops = append(hops, forwardedFor(element))
		}
		return hops
	}
	for hop := range strings.SplitSeq(strings.Join(header.Values("X-Forwarded-For"), ","), ",") {
		hops = append(hops, withoutPort(strings.TrimSpace(hop)))
	}
	return hops
}

// forwardedFor returns the for= of one element of Forwarded.
func forwardedFor(element string) string {
	for pair := range strings.SplitSeq(element, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		if strings.EqualFold(name, "for") {
			return withoutPort(strings.Trim(value, `"`))
		}
	}
	return ""
}

func withoutPort(hop string) string {
	if host, _, err := net.SplitHostPort(hop); err == nil {
		return host
	}
	return strings.Trim(hop, "[]")
}
