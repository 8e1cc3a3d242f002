package metadoc_test

import (
	"strings"
	"testing"

	"github.com/portico-id/portico/provider/metadoc"
	"github.com/portico-id/portico/storage"
)

// Rule: CIMD-1
func TestWhichAddressesNameClients(t *testing.T) {
	for address, fits := range map[string]bool{
		"https://agent.example.test/client.json":                 true,
		"https://agent.example.test:8443/a/b/":                   true,
		"https://agent.example.test/a%20b":                       true,
		"https://agent.example.test":                             false,
		"https://agent.example.test/":                            false,
		"http://agent.example.test/client.json":                  false,
		"HTTPS://agent.example.test/client.json":                 false,
		"https://Agent.example.test/client.json":                 false,
		"https://me@agent.example.test/client.json":              false,
		"https://me:x@agent.example.test/client.json":            false,
		"https://agent.example.test/client.json#x":               false,
		"https://agent.example.test/client.json#":                false,
		"https://agent.example.test/client.json?x":               false,
		"https://agent.example.test/a/../client.json":            false,
		"https://agent.example.test/./client.json":               false,
		"https://agent.example.test/a/%2e%2e/client.json":        false,
		"https://agent.example.test/a/%2E./client.json":          false,
		"https://agent.example.test/a%2f..%2fclient.json":        false,
		"https://agent.example.test/a\\b":                        false,
		"https://agent.example.test/a b":                         false,
		"https:///client.json":                                   false,
		"https://[::1]/client.json":                              false,
		"https://agent.example.test:0/client.json":               false,
		"https://agent.example.test/" + strings.Repeat("x", 500): false,
	} {
		if err := metadoc.Check(address); (err == nil) != fits {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// Rule: CIMD-6
func TestADomainThatIsBlockedIsBlockedWithAllBelowIt(t *testing.T) {
	const apex, below, beside = "https://evil.example/c", "https://a.b.evil.example:8443/c", "https://notevil.example/c"
	for hosts, counts := range map[string][3]bool{
		"all":                                {true, true, true},
		"all -evil.example":                  {false, false, true},
		"all -evil.example:8443":             {true, false, true},
		"all -b.evil.example":                {true, false, true},
		"all -b.evil.example:8444":           {true, true, true},
		"all -https://evil.example/c":        {false, true, true},
		"a.b.evil.example:8443":              {false, true, false},
		"all a.b.evil.example -evil.example": {false, false, true},
	} {
		got := [3]bool{metadoc.Counts(hosts, apex), metadoc.Counts(hosts, below), metadoc.Counts(hosts, beside)}
		if got != counts {
			t.Errorf("%s: %v", hosts, got)
		}
	}
}

// Rule: CIMD-6
func TestAHostThatIsBlockedIsBlockedAtAllItsPorts(t *testing.T) {
	const usual, other = "https://agent.example.test/client.json", "https://agent.example.test:8443/client.json"
	for hosts, counts := range map[string][2]bool{ // at the usual port, at the other one
		"all":                          {true, true},
		"all -agent.example.test":      {false, false},
		"all -agent.example.test:8443": {true, false},
		"all -" + other:                {true, false},
		"all -agent":                   {true, true},
		"agent.example.test":           {true, false},
		"agent.example.test:8443":      {false, true},
		"off agent.example.test":       {false, false},
		"agent.example.test:8443 -agent.example.test": {false, false},
	} {
		if got := [2]bool{metadoc.Counts(hosts, usual), metadoc.Counts(hosts, other)}; got != counts {
			t.Errorf("%s: %v", hosts, got)
		}
	}
	if !metadoc.Counts("off", storage.OriginOpen) || !metadoc.Counts("off", "") {
		t.Error("who has no document does not count")
	}
}
