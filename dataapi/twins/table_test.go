package twins_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/portico-id/portico/dataapi/pdf/pdftest"
)

// Rule: TWIN-14
func TestATableOfDocumentsGoesOutAndComesBack(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		a := w.imported(w.file(w.Folder, "a.pdf", pdftest.Plain(1, "a")), "name", "=HYPERLINK(1)")
		b := w.imported(w.file(w.Folder, "b.pdf", pdftest.Plain(1, "b")))
		w.ok(as(writer), "POST", w.path("/mutate"), mutate("=door", "manual", a))
		w.ok(as(writer), "POST", w.path("/mutate"), mutate("'wall, \"old\"", "manual", b))
		const table = "/elements/documents"
		got := w.ok(as(reader), "GET", w.path(table), nil)
		want := "key,family,column,document,name\n" +
			"'=door,z,manual," + a + ",'=HYPERLINK(1)\n" +
			"\"''wall, \"\"old\"\"\",z,manual," + b + ",Manual.pdf\n"
		w.Equal(want, string(got.Body))
		put := func(body string) answer {
			return w.call(as(writer), "PUT", w.path(table), body, "Content-Type", "text/csv")
		}
		w.Equal(any(0.0), put(want).value(t, "mutation")) // nothing has changed
		swapped := strings.NewReplacer(a, b, b, a).Replace(want) + "window,z,manual,https://example.test/w.pdf,\n"
		w.Equal(any(3.0), put(swapped).value(t, "mutation"))
		w.Equal(any(b), w.valueOf("=door", "manual"))
		w.Equal(any(a), w.valueOf("'wall, \"old\"", "manual"))
		w.Equal(any("https://example.test/w.pdf"), w.valueOf("window", "manual"))
		w.Equal(any(4.0), put("key,family,column,document\n'=door,z,manual,\n").value(t, "mutation"))
		w.Equal(any(nil), w.valueOf("=door", "manual"))
		w.ok(as(writer), "POST", w.path("/mutations/4/undo"), nil)
		w.Equal(any(b), w.valueOf("=door", "manual"))
		for body, source := range map[string]string{
			"":                                     "line 1",
			"a,b\n":                                "line 1",
			"key,family,column,document\ndoor,z\n": "line 2",
			"key,family,column,document\n,z,c,x\n": "line 2",
			"key,family,column,document\nk,z,c,x\nk,y,c,x\n":                              "line 3",
			"key,family,column,document\nk,z,c,x\nk,n,other,text\n":                       "line 3",
			"key,family,column,document\nk,z,c,urn:portico:dtd:" + w.Ambient.UID() + "\n": "line 2",
			"key,family,column,document\nk,z,c,T\xfcr\n":                                  "line 2",
		} {
			if got := put(body); got.Status != 400 || got.text(t, "source") != source {
				t.Errorf("%q: %d %s, want %s", body, got.Status, got.Body, source)
			}
		}
		w.ok(as(writer), "DELETE", w.path("/documents/"+a), nil)
		got = w.ok(as(reader), "GET", w.path(table), nil)
		w.Equal(any(0.0), put(string(got.Body)).value(t, "mutation")) // what leads nowhere may stay
		if again := put("key,family,column,document\nnew,z,manual," + a + "\n"); again.text(t, "code") != "document_absent" {
			t.Errorf("%d %s", again.Status, again.Body)
		}
	})
}

// Rule: TWIN-14
func TestATableOfMoreLinesThanAMutationHasOperationsComesBack(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		urn := w.imported(w.file(w.Folder, "a.pdf", pdftest.Plain(1, "a")))
		var lines strings.Builder
		lines.WriteString("\ufeff\"key\",family,column,document,name\r\n")
		for i := range 6000 {
			fmt.Fprintf(&lines, "door %d,z,manual,%s,\"a.pdf\"\r\n", i, urn)
		}
		const table = "/elements/documents"
		w.Equal(any(1.0), w.ok(as(writer), "PUT", w.path(table), lines.String()).value(t, "mutation"))
		got := w.ok(as(reader), "GET", w.path(table), nil)
		w.Equal(6001, strings.Count(string(got.Body), "\n"))
		w.Equal(any(0.0), w.ok(as(writer), "PUT", w.path(table), string(got.Body)).value(t, "mutation"))
	})
}
