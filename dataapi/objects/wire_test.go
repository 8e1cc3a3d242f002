package objects

import (
	"encoding/json"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
)

// Rule: OBJ-27
func TestEveryKindOfFaultHasAnAnswer(t *testing.T) {
	for _, kind := range fault.Kinds() {
		recorder := httptest.NewRecorder()
		WriteError(recorder, httptest.NewRequest("GET", "/", nil),
			fault.New(kind, "code", "What is wrong.").After(1500*time.Millisecond))
		var got failure
		if err := json.Unmarshal(recorder.Body.Bytes(), &got); err != nil || got.Reason == "" {
			t.Errorf("%v: %s", kind, recorder.Body)
		}
		if recorder.Code < 400 || recorder.Header().Get("Retry-After") != "2" ||
			recorder.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%v: %d %v", kind, recorder.Code, recorder.Header())
		}
	}
}

// Rule: OBJ-25
func TestBytesAreKnownByHowTheyBegin(t *testing.T) {
	for head, want := range map[string]string{
		"":                             "text/plain",
		"hello":                        "text/plain",
		"\x00\x01\x02\x03":             "application/octet-stream",
		"%PDF-1.7\n":                   "application/pdf",
		"\x89PNG\r\n\x1a\n":            "image/png",
		"<!DOCTYPE html><html></html>": "text/html",
		`<svg xmlns="http://www.w3.org/2000/svg"></svg>`: "image/svg+xml",
	} {
		if got := sniff([]byte(head)); got != want {
			t.Errorf("%q is %s, want %s", head, got, want)
		}
	}
}
