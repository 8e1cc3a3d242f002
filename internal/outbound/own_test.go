package outbound_test

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/outbound"
)

// names resolves as told, and knows no other name.
func names(known map[string]string) func(context.Context, string) ([]netip.Addr, error) {
	return func(_ context.Context, host string) ([]netip.Addr, error) {
		var all []netip.Addr
		for text := range strings.FieldsSeq(known[host]) {
			all = append(all, netip.MustParseAddr(text))
		}
		if len(all) == 0 {
			return nil, errors.New("no such host")
		}
		return all, nil
	}
}

func own(networks ...string) outbound.Options {
	var o outbound.Options
	for _, text := range networks {
		o.Networks = append(o.Networks, netip.MustParsePrefix(text))
	}
	o.Resolve = names(map[string]string{
		"public.example": "1.1.1.1", "inner.example": "10.1.2.3", "both.example": "10.1.2.3 1.1.1.1",
		"local.example": "::ffff:127.0.0.1", "cloud.example": "169.254.169.254",
	})
	return o
}

// Rule: OUTBOUND-1
func TestWhatIsNotCalledIsRefusedWhenItIsRegisteredWithTheAddress(t *testing.T) {
	for url, says := range map[string]string{
		"https://inner.example/":      "10.1.2.3",
		"https://local.example/":      "127.0.0.1",
		"https://cloud.example/":      "169.254.169.254",
		"https://192.168.7.9:8443":    "192.168.7.9",
		"https://[fd00::1]/":          "fd00::1",
		"https://[64:ff9b::a01:203]/": "64:ff9b::a01:203",
		"http://public.example/":      "begin with https",
		"ftp://public.example/":       "neither https nor http",
	} {
		_, err := outbound.New(own()).Check(t.Context(), url)
		if !outbound.Refused(err) || !strings.Contains(fault.From(err).Detail, says) {
			t.Errorf("%s: %v, want something with %q", url, err, says)
		}
	}
}

// Rules: CLIENT-6, OUTBOUND-1
func TestWhatIsCalledIsNotRefusedNorWhatNoNameServerKnowsYet(t *testing.T) {
	for url, want := range map[string]bool{
		"https://public.example/": true, "https://both.example/": true, "https://1.1.1.1/": true,
		"https://tomorrow.example/": false,
	} {
		if known, err := outbound.New(own()).Check(t.Context(), url); err != nil || known != want {
			t.Errorf("%s: known %v, %v", url, known, err)
		}
	}
	for _, network := range []string{"10.0.0.0/8", "::ffff:10.0.0.0/104"} {
		near := outbound.New(own(network))
		for _, url := range []string{"https://inner.example/", "http://inner.example/", "http://10.9.9.9/"} {
			if known, err := near.Check(t.Context(), url); err != nil || !known {
				t.Errorf("%s from a network of one's own: known %v, %v", url, known, err)
			}
		}
		if _, err := near.Check(t.Context(), "http://public.example/"); !outbound.Refused(err) {
			t.Errorf("plain http to a public address: %v", err)
		}
	}
}

// Rule: OUTBOUND-2
func TestANetworkOfOnesOwnOpensNothingDelicateThatItMerelyHolds(t *testing.T) {
	for network, url := range map[string]string{
		"0.0.0.0/0": "https://169.254.169.254/", "168.0.0.0/8": "https://168.63.129.16/", "::/0": "https://[fe80::1]/",
		"100.64.0.0/10": "https://100.100.100.200/", "126.0.0.0/7": "https://127.0.0.1/",
		"fd00::/8":     "https://[fd00:ec2::254]/",
		"64:ff9b::/96": "https://[64:ff9b::7f00:1]/", "169.254.0.0/16": "https://169.254.169.254/",
		"::ffff:0.0.0.0/96": "https://169.254.169.254/", "::ffff:126.0.0.0/103": "https://127.0.0.1/",
	} {
		if _, err := outbound.New(own(network)).Check(t.Context(), url); !outbound.Refused(err) {
			t.Errorf("%s opens %s", network, url)
		}
	}
	for network, url := range map[string]string{
		"0.0.0.0/0": "https://10.0.0.1/", "169.254.169.254/32": "https://169.254.169.254/",
		"169.254.0.0/16": "https://169.254.7.7/",
		"100.64.0.0/10":  "https://100.64.0.1/", "127.0.0.1/32": "https://127.0.0.1/",
		"64:ff9b::/96": "https://[64:ff9b::101:101]/", "::ffff:127.0.0.0/104": "https://127.0.0.1/",
	} {
		if _, err := outbound.New(own(network)).Check(t.Context(), url); err != nil {
			t.Errorf("%s does not open %s: %v", network, url, err)
		}
	}
}

// Rule: OUTBOUND-2
func TestACloudsMetadataAreNotCalledThoughTheirAddressLooksPublic(t *testing.T) {
	for _, host := range []string{"168.63.129.16", "169.254.169.254", "100.100.100.200", "192.0.0.192",
		"[fd00:ec2::254]", "[fd20:ce::254]"} {
		mustRefuse(t, outbound.Options{}, "https://"+host+"/")
	}
}
