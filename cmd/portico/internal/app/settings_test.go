package app

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/ambient"
)

// A variable that is forgotten at a restart makes another issuer of the server.
//
// Rule: SERVER-71
func TestAStartWithAnotherBaseURLThanBeforeIsWarnedOf(t *testing.T) {
	c := configure(t, "PORTICO_BASE_URL=https://id.example.test")
	for _, tt := range []struct {
		url  string
		warn bool
	}{{"https://id.example.test", false}, {"https://id.example.test", false}, {"", true}} {
		c.BaseURL = tt.url
		var log bytes.Buffer
		a, err := New(t.Context(), c, Options{Log: slog.New(slog.NewTextHandler(&log, nil)), Ambient: ambient.System()})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(log.String(), "before=https://id.example.test now=http://localhost:"); got != tt.warn {
			t.Errorf("%q: %s", tt.url, &log)
		}
	}
}
