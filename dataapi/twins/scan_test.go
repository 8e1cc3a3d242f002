package twins_test

import (
	"testing"
	"time"

	"github.com/portico-id/portico/dataapi/pdf/pdftest"
	"github.com/portico-id/portico/storage"
)

// Rule: OBJ-55
func TestNoDocumentIsMadeOfBytesThatAScannerHasNotFoundClean(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		w.scan = storage.ScanPending
		ended := func(finding string) {
			claimed, err := w.Store.ClaimScans(t.Context(), w.Ambient.Now(), w.Ambient.Now().Add(time.Hour), 10)
			w.Must(err)
			w.Equal(1, len(claimed))
			w.Must(w.Store.EndScan(t.Context(), w.Operator().Act, claimed[0].Bucket, claimed[0].Key, finding))
		}
		infected := w.file(w.Folder, "infected.pdf", pdftest.Plain(1, "one"))
		ended("X")
		clean := w.file(w.Folder, "clean.pdf", pdftest.Plain(1, "two"))
		ended("")
		waiting := w.file(w.Folder, "waiting.pdf", pdftest.Plain(1, "three"))
		got := w.ok(as(writer), "POST", w.path("/documents"),
			[]any{w.entry(infected, ""), w.entry(clean, ""), w.entry(waiting, "")})
		for i, want := range []string{storage.ReasonInfected, "", storage.ReasonScanPending} {
			if code := got.text(t, "data", i, "error", "code"); code != want {
				t.Errorf("%d: %v, want %q", i, got.value(t, "data", i), want)
			}
		}
	})
}
