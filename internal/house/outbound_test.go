package house

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// callers are what opens connections: names of packages of the library.
func callers() map[string][]string {
	return map[string][]string{
		"net/http":   {"Client", "DefaultClient", "DefaultTransport", "Get", "Head", "Post", "PostForm", "Transport"},
		"net":        {"Dial", "DialIP", "DialTCP", "DialTimeout", "DialUDP", "DialUnix", "Dialer"},
		"crypto/tls": {"Dial", "DialWithDialer", "Dialer"},
		"net/smtp":   {"Dial", "SendMail"},
	}
}

// own are the files that call what the operator named, or that run beside the
// server; a folder ends in a slash.
func own() []string {
	return []string{
		"internal/outbound/", "internal/harness/", "cmd/portico-bench/",
		"internal/tracing/",                        // the collector that the operator named
		"internal/antivirus/",                      // the scanner that the operator named
		"internal/ratelimit/redis.go",              // Redis
		"storage/sqlstore/engine/postgres_dial.go", // the database
		"cmd/portico/internal/transfer/",           // the command line, towards a server
		"cmd/portico/internal/commands/",           // likewise
		"cmd/portico/internal/doctor/",             // likewise
	}
}

// Rule: OUTBOUND-5
func TestWhatCallsOutDoesSoThroughOutbound(t *testing.T) {
	found := map[string]bool{}
	for _, s := range product(t) {
		mine := slices.IndexFunc(own(), func(o string) bool {
			return s.path == o || strings.HasSuffix(o, "/") &&
				strings.HasPrefix(s.path, o)
		})
		for imported, names := range callers() {
			for _, use := range usesOf(s.syntax, imported, names) {
				if mine < 0 {
					t.Errorf("%s: %s.%s: ask internal/outbound", s.at(use), path.Base(imported), use.Sel.Name)
					continue
				}
				found[own()[mine]] = true
			}
		}
	}
	if !found["internal/outbound/"] || !found["internal/antivirus/"] {
		t.Errorf("calls were found in %v alone", found)
	}
}
