package outbound

import (
	"net/netip"
	"testing"

	"github.com/portico-id/portico/internal/harness/freeport"
)

func TestPublicAddressesAreKnownAsSuch(t *testing.T) {
	for _, address := range []string{
		"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0",
		"192.0.1.1", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
		"::ffff:1.1.1.1", "2001:200::1", "2606:4700::1111", "2a00:1450::1", "3ffe::1",
	} {
		if !public(netip.MustParseAddr(address)) {
			t.Errorf("%s is taken for private", address)
		}
	}
}

// Rule: OUTBOUND-4
func TestAFailureIsNoRefusalWhileAnAddressThatMayBeCalledDidNotAnswer(t *testing.T) {
	port := freeport.Take(t)
	only := func(address string) error {
		_, err := guarded(func(a netip.Addr) bool { return a == netip.MustParseAddr(address) }, BySetting)(t.Context(),
			"tcp", "localhost:"+port)
		return err
	}
	if err := only("127.0.0.1"); err == nil || Refused(err) {
		t.Errorf("one address may be called and does not answer: %v", err)
	}
	if err := only("192.0.2.1"); !Refused(err) {
		t.Errorf("none may be called: %v", err)
	}
}

func TestTheDiallerIsHandedAddressesAndNothingElse(t *testing.T) {
	all := func(netip.Addr) bool { return true }
	if err := check("1.1.1.1:443", all, BySetting); err != nil {
		t.Error(err)
	}
	for _, address := range []string{"", "localhost:80", "1.1.1.1", "1.1.1.1:http", "/run/socket"} {
		if check(address, all, BySetting) == nil {
			t.Errorf("%q is dialled", address)
		}
	}
	if check("[fe80::1%eth0]:443", public, BySetting) == nil {
		t.Error("an address with a zone is dialled")
	}
}
