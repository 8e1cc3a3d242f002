package outbound

import (
	"net/netip"
	"slices"
	"strings"

	"code.dny.dev/ssrf"
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
	// metadata is where clouds tell their machines' secrets to whoever asks from
	// within; one of the addresses looks public.
	metadata = prefixes(`169.254.169.254/32 168.63.129.16/32 100.100.100.200/32 192.0.0.192/32
		fd00:ec2::254/128 fd20:ce::254/128`)

	// delicate are networks that lead to this machine, to its neighbours on the
	// wire, to everybody or to the cloud's secrets. A network of one's own that
	// is merely large enough to hold them does not open them.
	delicate = append(prefixes(`0.0.0.0/8 127.0.0.0/8 169.254.0.0/16 224.0.0.0/4 240.0.0.0/4
		::/128 ::1/128 64:ff9b::/96 64:ff9b:1::/48 2002::/16 fe80::/10 ff00::/8`), metadata...)

	// nat64 leads to any IPv4 address, which its last four bytes are (RFC 6052).
	nat64 = ssrf.IPv6NAT64Prefix

	loopback = prefixes(`127.0.0.0/8 ::1/128`)
)

// public reports whether the address is one that anybody on the Internet could
// call as well.
func public(a netip.Addr) bool {
	a = a.Unmap() // ::ffff:127.0.0.1 is 127.0.0.1
	if within(metadata, a) {
		return false
	}
	if a.Is4() {
		return !within(ssrf.IPv4DeniedPrefixes, a)
	}
	return a.Zone() == "" && ssrf.IPv6GlobalUnicast.Contains(a) && !within(ssrf.IPv6DeniedPrefixes, a)
}

// near reports whether the address lies in one of the networks; when it is a
// delicate one, in one that lies where it does.
func near(networks []netip.Prefix, a netip.Addr) bool {
	a = a.Unmap()
	bits := 0
	for _, d := range delicate {
		if d.Contains(a) {
			bits = max(bits, d.Bits())
		}
	}
	holds := func(n netip.Prefix) bool { n = Unmapped(n); return n.Bits() >= bits && n.Contains(a) }
	if !slices.ContainsFunc(networks, holds) {
		return false
	}
	if nat64.Contains(a) {
		bytes := a.As16()
		behind := netip.AddrFrom4([4]byte(bytes[12:]))
		return public(behind) || near(networks, behind)
	}
	return true
}

// Unmapped is the network that IPv4 addresses lie in: ::ffff:10.0.0.0/104 is 10.0.0.0/8.
func Unmapped(network netip.Prefix) netip.Prefix {
	if address := network.Addr(); address.Is4In6() && network.Bits() >= 96 {
		return netip.PrefixFrom(address.Unmap(), network.Bits()-96)
	}
	return network
}

func within(networks []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(a) })
}

// Beside returns the networks that a server with the base URL may call beside
// public ones and its own: the machine itself for one that speaks plain http,
// which only a server on loopback may; none for any other.
func Beside(baseURL string) []netip.Prefix {
	if strings.HasPrefix(baseURL, "http://") {
		return slices.Clone(loopback)
	}
	return nil
}

// ReadNetworks reads networks, such as 10.0.0.0/8, and leaves out what is none.
func ReadNetworks(texts []string) (all []netip.Prefix) {
	for _, text := range texts {
		if prefix, err := netip.ParsePrefix(text); err == nil {
			all = append(all, prefix)
		}
	}
	return all
}
