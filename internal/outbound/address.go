package outbound

import (
	"net/netip"
	"slices"
	"strings"
)

// prefixes reads a list of networks, separated by white space.
func prefixes(list string) []netip.Prefix {
	var all []netip.Prefix
	for text := range strings.FieldsSeq(list) {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

var (
	// notPublic are the IPv4 networks that are no place on the public Internet
	// (the registry of RFC 6890), multicast and what is reserved.
	notPublic = prefixes(`
		0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12
		192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15
		198.51.100.0/24 203.0.113.0/24 224.0.0.0/3`)

	// allocated is where all public IPv6 addresses lie. Loopback, link-local,
	// unique local, multicast and NAT64 (64:ff9b::/96, which leads to any IPv4
	// address) do not.
	allocated = netip.MustParsePrefix("2000::/3")

	// notPublic6 are its exceptions: protocol assignments with Teredo among
	// them, documentation, and 6to4, which leads to any IPv4 address too.
	notPublic6 = prefixes(`2001::/23 2001:db8::/32 2002::/16 3fff::/20`)

	loopback = prefixes(`127.0.0.0/8 ::1/128`)
)

// public reports whether the address is one that anybody on the Internet could
// call as well.
func public(a netip.Addr) bool {
	a = a.Unmap() // ::ffff:127.0.0.1 is 127.0.0.1
	if a.Is4() {
		return !within(notPublic, a)
	}
	return a.Zone() == "" && allocated.Contains(a) && !within(notPublic6, a)
}

func within(networks []netip.Prefix, a netip.Addr) bool {
	a = a.Unmap()
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(a) })
}

// Beside returns the networks that a server with the base URL may call beside
// public ones: the machine itself for one that speaks plain http, which only a
// server on loopback may (decision N2); none for any other.
func Beside(baseURL string) []netip.Prefix {
	if strings.HasPrefix(baseURL, "http://") {
		return slices.Clone(loopback)
	}
	return nil
}
