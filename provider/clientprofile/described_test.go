package clientprofile_test

import (
	"testing"

	"github.com/portico-id/portico/provider/clientprofile"
)

// Rule: CIMD-1
func TestEveryAddressHasAnIDOfItsOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, address := range []string{"https://a.example.test/1", "https://a.example.test/2", "https://b.example.test/1"} {
		id := clientprofile.ID(address)
		if len(id) != 32 || seen[id] || clientprofile.ID(id) != id || clientprofile.Described(id) ||
			!clientprofile.Described(address) {
			t.Errorf("%s is %q", address, id)
		}
		seen[id] = true
	}
}
