package provider_test

import (
	"net/http"
	"testing"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/metadoc"
	"github.com/portico-id/portico/provider/registration"
	"github.com/portico-id/portico/storage"
)

// assistants are native apps by how they came to their client_id. What comes with them is
// under what id they are kept.
func (w *world) assistants() (all map[string]app, ids map[string]string) {
	w.Helper()
	w.registering, w.published.hosts = registration.Open, metadoc.All
	w.published.at(described, nil)
	itself, _ := w.registered(agent())
	all = map[string]app{"registered": w.app(apps.Registration{Type: storage.ClientNative,
		RedirectURIs: []string{"http://localhost/callback"}, Scopes: []string{"openid", "data:read", "data:search"}}),
		"described by a document": byDocument(described), "registered itself": itself}
	ids = map[string]string{}
	for name, a := range all {
		ids[name] = clientprofile.ID(a.ID)
		a.RedirectURIs = []string{"http://localhost:58135/callback"} // any free port
		all[name] = a
	}
	return all, ids
}

// Rule: MCP-13
func TestAnAssistantComesInEachOfThreeWays(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.resource(orders, func(r *storage.Resource) { r.DefaultScopes = []string{"read"} })
		none := w.discovery()
		all, _ := w.assistants()
		said := w.discovery()
		const documents, itself = "client_id_metadata_document_supported", "registration_endpoint"
		if said[documents] != true || said[itself] != w.URL+registration.Path ||
			none[documents] != nil || none[itself] != nil {
			t.Errorf("the metadata say %v, and where nobody may %v", said, none)
		}
		for name, a := range all {
			v := w.browser()
			page := v.through(v.get(w.authorizeURL(a, append(pkce, "scope", "", "resource", orders)...)), somebody)
			if page.Away == nil || page.Away.Query().Get("iss") != w.URL {
				t.Fatalf("%s: sent to %v from %v", name, page.Away, page.At)
			}
			tokens := w.granted(a, form("grant_type", "authorization_code", "code", page.Away.Query().Get("code"),
				"redirect_uri", a.RedirectURIs[0], "code_verifier", verifier, "resource", orders))
			w.is(tokens, []string{orders}, "read")
			w.is(w.refreshWith(a, tokens, "resource", orders).JSON(t), []string{orders}, "read")
		}
	})
}

// Rule: MCP-14
func TestWhoAsksForMoreKeepsWhatThereWasBefore(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.resource(orders)
		all, _ := w.assistants()
		for name, a := range all {
			b := w.browser()
			asks := func(scope string) map[string]any {
				page := b.through(b.get(w.authorizeURL(a, append(pkce, "scope", scope, "resource", orders)...)), somebody)
				if page.Away == nil {
					t.Fatalf("%s: on %v", name, page.At)
				}
				return w.granted(a, form("grant_type", "authorization_code", "code", page.Away.Query().Get("code"),
					"code_verifier", verifier))
			}
			before := asks("read")
			more := asks("read write")
			w.is(more, []string{orders}, "read write")
			if _, err := w.Bearer.For(orders).Check(t.Context(), before["access_token"].(string)); err != nil {
				t.Errorf("%s: the token of before: %v", name, err)
			}
			w.is(w.refreshWith(a, before).JSON(t), []string{orders}, "read")
			w.is(w.refreshWith(a, more).JSON(t), []string{orders}, "read write")
			if lives := before["expires_in"].(float64); lives > 3600 {
				t.Errorf("%s: access tokens live for %v seconds", name, lives)
			}
		}
	})
}

// Rule: MCP-15
func TestErrorsSayWhereAnAssistantBeginsAnew(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.resource(orders)
		all, ids := w.assistants()
		for name, a := range all {
			b := w.browser()
			page := b.through(b.get(w.authorizeURL(a, append(pkce, "scope", "read", "resource", orders)...)), somebody)
			code := form("grant_type", "authorization_code", "code", page.Away.Query().Get("code"), "code_verifier", verifier)
			first := w.token(a, code)
			if first.Status != http.StatusOK || first.Header.Get("Content-Type") != "application/json" ||
				first.Header.Get("Cache-Control") != "no-store" {
				t.Fatalf("%s: %d %v %s", name, first.Status, first.Header, first.Body)
			}
			tokens := first.JSON(t)

			// Neither its registration nor its tokens are at fault.
			w.refused(w.refreshWith(a, tokens, "resource", billing), http.StatusBadRequest, "invalid_target")
			w.refused(w.refreshWith(a, tokens, "scope", "read write"), http.StatusBadRequest, "invalid_scope")
			w.refused(w.token(a, form("grant_type", "refresh_token")), http.StatusBadRequest, "invalid_request")
			tokens = w.refreshWith(a, tokens).JSON(t)

			// Its tokens are: the person signs in again.
			w.refused(w.token(a, code), http.StatusBadRequest, "invalid_grant")
			w.refused(w.refreshWith(a, tokens), http.StatusBadRequest, "invalid_grant") // a code came twice

			// Its registration is: it makes itself known again.
			w.refused(w.token(a, form("grant_type", "client_credentials")), http.StatusBadRequest, "unauthorized_client")
			w.must(w.Apps.SetDisabled(t.Context(), w.act(), ids[name], true))
			w.wait(clientLag)
			w.refused(w.refreshWith(a, tokens), http.StatusUnauthorized, "invalid_client")
			w.must(w.Store.DeleteClient(t.Context(), w.act(), ids[name]))
			w.wait(clientLag)
			w.refused(w.refreshWith(a, tokens), http.StatusUnauthorized, "invalid_client")
		}
	})
}
