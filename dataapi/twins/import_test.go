package twins_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/portico-id/portico/dataapi/pdf/pdftest"
	"github.com/portico-id/portico/storage"
)

// Rules: TWIN-7, TWIN-10
func TestEveryEntryOfAnImportIsAnsweredInItsPlace(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		closed := w.folder("Closed")
		good, hidden := w.file(w.Folder, "good.pdf", pdftest.Manual()), w.file(w.Folder, "hidden.pdf", pdftest.Manual())
		hide := true
		_, err := w.Store.UpdateItem(t.Context(), w.Operator(), w.Project.ID, hidden, storage.ItemPatch{Hidden: &hide})
		w.Must(err)
		of := func(name string, content []byte) string { return w.file(w.Folder, name, content) }
		entries := []struct {
			entry  any
			code   string // empty: imported
			source string
		}{
			{w.entry(good, "Good.pdf"), "", ""},
			{w.entry(of("encrypted.pdf", pdftest.Encrypted()), ""), "pdf_encrypted", ""},
			{w.entry(of("truncated.pdf", pdftest.Truncated()), ""), "pdf_truncated", ""},
			{w.entry(of("page.pdf", pdftest.HTML()), ""), "not_a_pdf", ""},
			{w.entry(of("bomb.pdf", pdftest.Bomb()), ""), "pdf_too_complex", ""},
			{w.entry(of("circle.pdf", pdftest.Circle()), ""), "pdf_damaged", ""},
			{w.entry(of("bytesless.pdf", nil), ""), "no_bytes", "/accVersion"},
			{w.entry(w.file(closed, "closed.pdf", pdftest.Manual()), ""), "no_permission", "/accLineage"},
			{w.entry(w.Ambient.UID(), ""), "version_not_found", "/accVersion"},
			{w.entry(w.Ambient.UID(), "", "accVersion", ""), "item_not_found", "/accLineage"},
			{w.entry(hidden, ""), "version_not_found", "/accVersion"},
			{w.entry(good, "", "accVersion", versionURN(good, "7")), "version_not_found", "/accVersion"},
			{w.entry(good, "", "accVersion", versionURN(hidden, "1")), "bad_input", "/accVersion"},
			{w.entry(good, "", "accVersion", "x"), "malformed_id", "/accVersion"},
			{w.entry(good, "", "accLineage", "x"), "malformed_id", "/accLineage"},
			{w.entry(good, "", "accAccountId", "b.other"), "bad_input", "/accAccountId"},
			{w.entry(good, "", "accProjectId", ""), "bad_input", "/accProjectId"},
			{w.entry(good, "", "accProjectId", "b."+w.Ambient.UUID()), "project_not_found", "/accProjectId"},
			{w.entry(good, "a\nb"), "bad_input", "/name"},
			{w.entry(good, "", "policy", "often"), "bad_input", "/policy"},
			{7, "invalid_request", "/"},
			{w.entry(of("last.pdf", pdftest.Streamed()), "", "accVersion", "", "accAccountId", "", "label", "Ä",
				"policy", "pin"), "", ""},
		}
		var sent []any
		for _, e := range entries {
			sent = append(sent, e.entry)
		}
		got := w.ok(as(writer), "POST", w.path("/documents"), sent)
		w.Equal("partial", got.text(t, "status"))
		for i, e := range entries {
			code, source, id := got.text(t, "data", i, "error", "code"), got.text(t, "data", i, "error", "source"),
				got.text(t, "data", i, "id")
			if code != e.code || (id == "") != (e.code != "") || e.code != "" && e.source != "" && source != e.source {
				t.Errorf("%d: %v, want %s %s", i, got.value(t, "data", i), e.code, e.source)
			}
		}
		w.Equal("last.pdf", got.text(t, "data", len(entries)-1, "name"))
		documents := w.ok(as(reader), "GET", w.path("/documents"), nil).list(t, "documents")
		w.Equal(2, len(documents))
		all := w.ok(as(writer), "POST", "/documentsbulk", map[string]any{"twinId": w.twinURN(), "documents": sent[1:3]})
		w.Equal("failed", all.text(t, "status"))
	})
}

// Rule: TWIN-7
func TestANewerVersionKeepsTheURNAndTheSameIsTheSame(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		item := w.file(w.Folder, "manual.pdf", pdftest.Plain(1, "one"))
		w.newVersion(item, "manual.pdf", pdftest.Plain(2, "two"))
		take := func(version string, more ...string) answer {
			return w.ok(as(writer), "POST", w.path("/documents"),
				[]any{w.entry(item, "", append(more, "accVersion", version)...)})
		}
		first := take(versionURN(item, "1"), "policy", "notify")
		urn := first.text(t, "data", 0, "id")
		w.Equal("created", first.text(t, "data", 0, "outcome"))
		w.Equal("outdated", first.text(t, "data", 0, "state"))
		w.Equal(versionURN(item, "2"), first.text(t, "data", 0, "newestVersion"))
		again := take(versionURN(item, "1"))
		w.Equal("unchanged", again.text(t, "data", 0, "outcome"))
		w.Equal(urn, again.text(t, "data", 0, "id"))
		newer := take("")
		w.Equal("updated", newer.text(t, "data", 0, "outcome"))
		w.Equal(urn, newer.text(t, "data", 0, "id"))
		w.Equal("ready", newer.text(t, "data", 0, "state"))
		if got := w.ok(as(reader), "GET", w.path("/documents/"+urn+"/content"), nil); !bytes.Equal(got.Body,
			pdftest.Plain(2, "two")) {
			t.Errorf("%d bytes", len(got.Body))
		}
		older := take(versionURN(item, "1"))
		w.Equal("older_version", older.text(t, "data", 0, "error", "code"))
		both := w.ok(as(writer), "POST", "/twins/urn:portico:dtt:"+w.twin("Other").ID+"/documents", []any{
			w.entry(item, ""), w.entry(item, "", "accVersion", ""), w.entry(item, "", "accVersion", ""),
		}, "Authorization", "Bearer "+w.token(as(hubAdmin)))
		var outcomes []string
		for i := range 3 {
			outcomes = append(outcomes, both.text(t, "data", i, "outcome"))
		}
		w.Equal([]string{"created", "updated", "unchanged"}, outcomes)
	})
}

// Rule: TWIN-9
func TestDocumentsAreFoundByTheirElementsAndElementsByTheirDocuments(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		urn := w.imported(w.file(w.Folder, "manual.pdf", pdftest.Manual()))
		other := w.imported(w.file(w.Folder, "other.pdf", pdftest.Plain(1, "other")))
		w.ok(as(writer), "POST", w.path("/mutate"), mutate("door", "a", urn))
		w.ok(as(writer), "POST", w.path("/mutate"), mutate("door", "b", urn))
		w.ok(as(writer), "POST", w.path("/mutate"), mutate("wall", "a", other))
		uses := w.ok(as(reader), "GET", w.path("/documents/"+urn+"/elements?limit=1"), nil)
		w.Equal("a", uses.text(t, "elements", 0, "column"))
		uses = w.ok(as(reader), "GET", w.path("/documents/"+urn+"/elements?limit=1&after="+uses.text(t, "next")), nil)
		w.Equal("b", uses.text(t, "elements", 0, "column"))
		w.Equal(any(nil), uses.value(t, "next"))
		of := w.ok(as(reader), "GET", w.path("/documents?key=door&modelId="+w.modelURN()), nil).list(t, "documents")
		w.Equal(1, len(of))
		w.refused(as(writer), "POST", w.path("/mutate"), mutate("door", "c", "urn:portico:dtd:"+w.Ambient.UID()),
			400, "document_absent")
		changed := w.ok(as(writer), "PATCH", w.path("/documents/"+urn),
			map[string]any{"label": "L", "name": "N.pdf", "policy": "pin"})
		w.Equal("pin", changed.text(t, "policy"))
		gone := w.ok(as(writer), "DELETE", w.path("/documents/"+urn), nil)
		w.Equal(2, len(gone.list(t, "elements")))
		w.refused(as(writer), "DELETE", w.path("/documents/"+urn), nil, 404, "document_not_found")
		w.refused(as(reader), "GET", w.path("/documents/"+urn+"/content"), nil, 404, "document_not_found")
		w.Equal(any(urn), w.valueOf("door", "a"))
		left := w.ok(as(reader), "GET", w.path("/documents"), nil).list(t, "documents")
		w.Equal(1, len(left))
		w.Equal(true, slices.ContainsFunc(left, func(d any) bool { return d.(map[string]any)["id"] == other }))
	})
}
