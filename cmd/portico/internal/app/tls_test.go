package app

import (
	"bytes"
	"crypto/tls"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/internal/ambient"
)

// A key that the server may not read after a renewal is tried each second for days.
//
// Rule: SERVER-42
func TestACertificateThatCanNotBeUsedIsSaidOnceForEachChange(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cert.pem")
	source, clock := ambient.Fixed(time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC), 1)
	var log bytes.Buffer
	s := &secured{files: config.TLS{Cert: file, Key: file}, ambient: source, log: slog.New(slog.NewTextHandler(&log, nil)),
		stamp: "of the one before", config: &tls.Config{MinVersion: tls.VersionTLS12}}
	for said, content := range []string{"none", "none either"} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			clock.Advance(lookAgain)
			s.current()
		}
		if got := strings.Count(log.String(), "the one before stays"); got != said+1 {
			t.Errorf("%s: said %d times", content, got)
		}
	}
}
