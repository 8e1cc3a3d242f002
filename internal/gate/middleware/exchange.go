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

// clientAddress is the address that the request comes from: of a trusted proxy what it
// says is believed.
func clientAddress(r *http.Request, peer netip.Addr, trusted []netip.Prefix) string {
	address := peer
	if isTrusted(peer, trusted) {
		address = behind(r.Header, peer, trusted)
	}
	if !address.IsValid() {
		return "" // a Unix socket
	}
	return address.String()
}

// behind returns the address that stands behind a trusted proxy. A proxy writes one of
// the two headers, and as a rule passes the other one on as anybody may have sent it: where
// they disagree nothing tells which is the proxy's, and the proxy itself stands.
func behind(header http.Header, peer netip.Addr, trusted []netip.Prefix) netip.Addr {
	address, said := peer, false
	for _, hops := range [][]string{forwardedHops(header), xForwardedHops(header)} {
		if len(hops) == 0 {
			continue
		}
		farthest := walk(hops, peer, trusted)
		if said && farthest != address {
			return peer
		}
		address, said = farthest, true
	}
	return address
}

// walk goes through the forwarded addresses from the nearest hop to the
// farthest and stops at the first that no trusted proxy stands behind: what is
// further left could have been written by anyone.
func walk(hops []string, peer netip.Addr, trusted []netip.Prefix) netip.Addr {
	address := peer
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
	return address
}

// forwardedHops returns the addresses of Forwarded (RFC 7239) in the order they were
// written, without ports; none where nothing came.
func forwardedHops(header http.Header) []string {
	return hopsOf(header.Values("Forwarded"), forwardedFor)
}

// xForwardedHops is forwardedHops of X-Forwarded-For.
func xForwardedHops(header http.Header) []string {
	return hopsOf(header.Values("X-Forwarded-For"), func(hop string) string { return withoutPort(strings.TrimSpace(hop)) })
}

func hopsOf(lines []string, read func(element string) string) (hops []string) {
	all := strings.Join(lines, ",")
	if strings.TrimSpace(all) == "" {
		return nil
	}
	for element := range strings.SplitSeq(all, ",") {
		hops = append(hops, read(element))
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
