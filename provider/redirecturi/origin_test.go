package redirecturi_test

import (
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/redirecturi"
)

func TestOriginIsWrittenAsBrowsersSendIt(t *testing.T) {
	for _, origin := range []string{"https://app.example.com", "https://app.example.com:8443",
		"http://localhost:3000", "http://[::1]"} {
		if err := redirecturi.CheckOrigin(origin); err != nil {
			t.Errorf("%s: %v", origin, err)
		}
	}
	for bad, canonical := range map[string]string{
		"https://app.example.com/":    "https://app.example.com",
		"https://App.Example.com":     "https://app.example.com",
		"https://app.example.com:443": "https://app.example.com",
		"https://app.example.com?x":   "https://app.example.com",
		"http://localhost:80/x":       "http://localhost",
	} {
		err := redirecturi.CheckOrigin(bad)
		if !fault.HasReason(err, redirecturi.ReasonOrigin) || !strings.HasSuffix(fault.From(err).Detail, " "+canonical) {
			t.Errorf("%s: got %v, want a hint at %s", bad, err, canonical)
		}
	}
	for _, bad := range []string{"", "null", "*", "https://*.example.com", "http://app.example.com",
		"com.example.app://x", "https://me@app.example.com"} {
		if err := redirecturi.CheckOrigin(bad); fault.From(err) == nil || fault.From(err).Source != redirecturi.FieldOrigin {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}
