package twins_test

import (
	"bytes"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/dataapi/pdf/pdftest"
	"github.com/portico-id/portico/storage"
)

func mutate(key, column string, value any) map[string]any {
	return map[string]any{"keys": []string{key}, "muts": []any{[]any{"i", "z", column, value}}, "desc": "by a test"}
}

// valueOf reads a value of an element back.
func (w *world) valueOf(key, column string) any {
	w.Helper()
	got := w.ok(as(reader), "GET", w.path("/elements?key="+url.QueryEscape(key)), nil)
	for _, v := range got.list(w, "elements", 0, "values") {
		value, _ := v.(map[string]any)
		if value["column"] == column {
			return value["value"]
		}
	}
	return nil
}

// Rule: TWIN-4
func TestThreeWaysToADocumentAreReadBack(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		for _, prefix := range []string{"", "/tandem/v1"} {
			// A hyperlink.
			const address = "https://example.test/manual.pdf"
			w.ok(as(writer), "POST", prefix+"/mutate", map[string]any{
				"twinId": w.twinURN(), "keys": []string{"door"}, "muts": []any{[]any{"i", "z", "0Ac", address}},
			})
			w.Equal(any(address), w.valueOf("door", "0Ac"))

			// An import.
			item := w.file(w.Folder, "manual"+prefix[max(0, len(prefix)-2):]+".pdf", pdftest.Manual())
			got := w.ok(as(writer), "POST", prefix+w.path("/documentsbulk"), []any{w.entry(item, "Manual.pdf")})
			w.Equal("succeeded", got.text(t, "status"))
			urn := got.text(t, "data", 0, "id")
			w.ok(as(writer), "POST", prefix+w.path("/mutate"), mutate("door", "0Ac", urn))
			w.Equal(any(urn), w.valueOf("door", "0Ac"))

			// One that is there already, by what the facility says.
			docs := w.ok(as(reader), "GET", prefix+w.path(""), nil).list(t, "docs")
			last, _ := docs[len(docs)-1].(map[string]any)
			w.ok(as(writer), "POST", prefix+"/modeldata/"+w.modelURN()+"/mutate", mutate("window", "0Ac", last["id"]))
			w.Equal(any(urn), w.valueOf("window", "0Ac"))
			link, _ := last["signedLink"].(string)
			if content := w.ok(caller{token: "-"}, "GET", link, nil); !bytes.Equal(content.Body, pdftest.Manual()) {
				t.Errorf("%d bytes", len(content.Body))
			}
			if content := w.ok(as(reader), "GET", prefix+w.path("/documents/"+urn+"/content"),
				nil); !bytes.Equal(content.Body, pdftest.Manual()) {
				t.Errorf("%d bytes", len(content.Body))
			}
		}
	})
}

// Rule: TWIN-5
func TestTheFacilityHasItsModelsDocumentsAndAccess(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		w.imported(w.file(w.Folder, "manual.pdf", pdftest.Manual()))
		for user, access := range map[string]string{owner: "Owner", writer: "ReadWrite", reader: "Read", hubAdmin: "Owner"} {
			got := w.ok(as(user), "GET", w.path(""), nil)
			w.Equal(access, got.text(t, "accessLevel"))
			w.Equal(access, got.Header.Get("X-Dt-Access-Level"))
			w.Equal(w.modelURN(), got.text(t, "links", 0, "modelId"))
			w.Equal("Somebody", got.text(t, "props", "Identity Data", "Owner"))
			w.Equal("Manual.pdf", got.text(t, "docs", 0, "name"))
			head := w.ok(as(user), "HEAD", w.path(""), nil)
			w.Equal(access, head.Header.Get("X-Dt-Access-Level"))
		}
	})
}

// Rule: TWIN-5
func TestTheDefaultModelHasTheIDOfItsTwin(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		model := strings.Replace(w.twinURN(), ":dtt:", ":dtm:", 1) // as existing clients make it
		w.Equal(model, w.ok(as(writer), "GET", w.path(""), nil).text(t, "links", 0, "modelId"))
		w.ok(as(writer), "POST", "/modeldata/"+model+"/mutate", mutate("a", "Colour", "red"))
	})
}

// Rule: TWIN-8
func TestASignedLinkWorksInAPlainBrowserForMinutes(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		urn := w.imported(w.file(w.Folder, "manual.pdf", pdftest.Manual()))
		plain := caller{token: "-"}
		link := w.ok(as(reader), "GET", w.path("/documents/"+urn), nil).text(t, "signedLink")
		long := w.ok(as(reader), "GET", w.path("/documents/"+urn+"?minutesExpiration=60"), nil).text(t, "signedLink")
		got := w.ok(plain, "GET", link, nil)
		w.Equal("application/pdf", got.Header.Get("Content-Type"))
		w.Equal("inline; filename=Manual.pdf", got.Header.Get("Content-Disposition"))
		part := w.call(plain, "GET", link, nil, "Range", "bytes=0-4")
		if part.Status != 206 || string(part.Body) != "%PDF-" {
			t.Errorf("%d %q", part.Status, part.Body)
		}
		tail := w.call(as(reader), "GET", w.path("/documents/"+urn+"/content"), nil, "Range", "bytes=22000-99999999")
		if tail.Status != 206 || !bytes.Equal(tail.Body, pdftest.Manual()[22000:]) {
			t.Errorf("%d, %d bytes", tail.Status, len(tail.Body))
		}
		if behind := w.call(plain, "GET", link, nil, "Range", "bytes=99999999-"); behind.Status != 416 {
			t.Errorf("%d", behind.Status)
		}
		if same := w.call(plain, "GET", link, nil, "If-None-Match", got.Header.Get("ETag")); same.Status != 304 {
			t.Errorf("%d", same.Status)
		}
		other := w.imported(w.file(w.Folder, "other.pdf", pdftest.Plain(1, "other")))
		_, query, _ := bytes.Cut([]byte(link), []byte("?"))
		w.refused(plain, "GET", w.path("/documents/"+other+"/content?"+string(query)), nil, 403, "address_invalid")
		w.refused(plain, "GET", link+"x", nil, 403, "address_invalid")
		w.refused(plain, "GET", w.path("/documents/"+urn+"/content?ticket=x.y"), nil, 403, "address_invalid")
		w.Wait(3 * time.Minute)
		w.refused(plain, "GET", link, nil, 403, "address_expired")
		w.ok(plain, "GET", long, nil)
		w.Must(w.Rules.RemoveMember(t.Context(), w.Operator(), w.Twin.ID, reader))
		w.refused(plain, "GET", long, nil, 404, "twin_not_found")
		w.Must(w.Rules.SetMember(t.Context(), w.Operator(), w.Twin.ID, reader, storage.TwinRead))
		w.ok(plain, "GET", long, nil)
		user, err := w.Store.FindUser(t.Context(), reader)
		w.Must(err)
		w.Must(w.Store.DeleteUser(t.Context(), w.Operator().Act, user.ID))
		w.refused(plain, "GET", long, nil, 403, "address_invalid")
		w.Ahead.Store(0)
	})
}

// Rule: TOKEN-28
func TestALinkLosesTheScopesThatItsAppLoses(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		urn := w.imported(w.file(w.Folder, "manual.pdf", pdftest.Manual()))
		link := w.ok(as(reader), "GET", w.path("/documents/"+urn), nil).text(t, "signedLink")
		first, err := w.Store.FindClient(t.Context(), app)
		w.Must(err)
		for _, scopes := range [][]string{{"data:write"}, first.Scopes} {
			client, err := w.Store.FindClient(t.Context(), app)
			w.Must(err)
			client.Scopes = scopes
			w.Must(w.Store.UpdateClient(t.Context(), w.Operator().Act, client))
			if len(scopes) == 1 {
				w.refused(caller{token: "-"}, "GET", link, nil, 403, "address_invalid")
				continue
			}
			w.ok(caller{token: "-"}, "GET", link, nil)
		}
	})
}
