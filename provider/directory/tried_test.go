package directory_test

import (
	"strings"
	"testing"
	"time"

	ber "github.com/go-asn1-ber/asn1-ber"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/ldaptest"
	"github.com/portico-id/portico/provider/directory"
)

// tested is what a test of the directory works says, in lines.
func (w *world) tested() (said string) {
	w.Helper()
	steps, err := w.Rules.Test(w.Context(), "works", "")
	w.must(err)
	for _, step := range steps {
		said += step.String() + "\n"
	}
	return said
}

// Rule: LDAP-17
func TestATestSaysOverWhatItIsConnected(t *testing.T) {
	slapd := ldaptest.Start(t, persons("alice"))
	eachEngine(t, func(t *testing.T, w *world) {
		w.works(slapd, nil)
		if said := w.tested(); !strings.Contains(said, "TLS, certificate of CN=directory\n") {
			t.Errorf("over TLS it says\n%s", said)
		}
		w.set(map[string]any{"hosts": []string{slapd.URL}, "start_tls": true})
		if said := w.tested(); !strings.Contains(said, "TLS, certificate of CN=directory\n") {
			t.Errorf("with StartTLS it says\n%s", said)
		}
		w.set(map[string]any{"start_tls": false})
		if said := w.tested(); !strings.Contains(said, "in clear, on this machine\n") {
			t.Errorf("in clear it says\n%s", said)
		}
	})
}

// What a host failed by is said, by the test and of the walk, also while it rests for it.
//
// Rules: LDAP-14, LDAP-17
func TestWhatAHostFailedByIsSaid(t *testing.T) {
	full := "the disk is full"
	for name, broken := range map[string]ber.Tag{"its bind": ldaptest.Bind, "its search": ldaptest.Search} {
		eachEngine(t, func(t *testing.T, w *world) {
			w.gremlin(func(op ber.Tag, id int64, _ *ber.Packet) [][]byte {
				code, text := 0, ""
				if op == broken {
					code, text = 52, full
				}
				return [][]byte{ldaptest.Result(id, map[ber.Tag]ber.Tag{ldaptest.Bind: 1, ldaptest.Search: 5}[op], code, text)}
			}, nil)
			if said := w.tested(); !strings.Contains(said, full) {
				t.Errorf("%s fails, and the test says\n%s", name, said)
			}
			for range 2 {
				if said := w.walk(false); !strings.Contains(said.Detail, full) {
					t.Errorf("%s fails, and of the walk is said %q", name, said.Detail)
				}
			}
			if _, _, err := w.try("alice", secret); !fault.Is(err, fault.Unavailable) ||
				!strings.Contains(w.said.String(), full) {
				t.Errorf("%s fails, and the log has %s", name, w.said)
			}
		})
	}
}

// Rule: LDAP-17
func TestAServiceAccountWithoutItsPasswordIsSaid(t *testing.T) {
	slapd := ldaptest.Start(t, persons("alice"))
	eachEngine(t, func(t *testing.T, w *world) {
		w.works(slapd, nil)
		w.wait(time.Millisecond)
		_, err := w.Rules.Set(t.Context(), w.act(), "works", directory.Change{Secret: new("")})
		w.must(err)
		if said := w.tested(); !strings.Contains(said, "empty password") {
			t.Errorf("the test says\n%s", said)
		}
	})
}
