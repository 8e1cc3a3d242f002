package directory_test

import (
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/harness/ldaptest"
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
