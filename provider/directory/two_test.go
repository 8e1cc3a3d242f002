package directory_test

import (
	"sync/atomic"
	"testing"

	ber "github.com/go-asn1-ber/asn1-ber"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/ldaptest"
)

// Whether the first of two directories knows somebody can't be told from what is asked of the
// second.
//
// Rule: LDAP-19
func TestOfTwoDirectoriesAWrongPasswordAsksWhatAnUnknownNameAsks(t *testing.T) {
	slapd := ldaptest.Start(t, persons("alice", "bob"))
	eachEngine(t, func(t *testing.T, w *world) {
		w.works(slapd, nil)
		var asked atomic.Int64
		g := ldaptest.StartGremlin(t, func(op ber.Tag, id int64, _ *ber.Packet) [][]byte {
			asked.Add(1)
			if op == ldaptest.Bind {
				return [][]byte{ldaptest.Result(id, 1, 0, "")}
			}
			return [][]byte{ldaptest.Result(id, 5, 0, "")}
		})
		next := config(map[string]any{"hosts": []string{g.URL}, "group_base": ""})
		next.Position = new(1)
		_, err := w.Rules.Create(t.Context(), w.act(), "next", "openldap", next)
		w.must(err)
		if !w.in("alice", secret) || asked.Load() > 0 {
			t.Fatalf("she is out, or the second is asked for her: %d", asked.Load())
		}
		w.in("nobody", "wrong") // the service account has signed in
		counts := map[string]int64{}
		for _, name := range []string{"nobody", "alice", "alice@works.test", "bob"} {
			asked.Store(0)
			if _, _, err := w.try(name, "wrong"); !fault.Is(err, fault.Unauthenticated) {
				t.Errorf("%s is told %v", name, err)
			}
			if counts[name] = asked.Load(); counts[name] != counts["nobody"] || counts[name] == 0 {
				t.Errorf("the second is asked %v", counts)
			}
		}
		if !w.in("alice@works.test", secret) {
			t.Error("she is out")
		}
	})
}
