package provider_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/provider/apps"
)

// Rule: JAR-4
func TestARequestThatWasSignedIsNotMadeOnceMoreByALink(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		k, b := w.keyed(jose.ES256, func(r *apps.Registration) { r.RequireSigned = true }), w.browser()
		asked := b.get(k.withObject(k.requested(nil)))
		if v := b.through(asked, somebody); v.Away == nil {
			t.Fatalf("on %s: %d", v.At, v.Status)
		}
		over := b.get(asked.At.String()) // the back button
		if over.Status != http.StatusGone {
			t.Fatalf("a finished sign-in answers %d", over.Status)
		}
		if strings.Contains(string(over.Body), "/authorize?") {
			t.Errorf("the page leads on to what the app is told of as: %v", b.get(b.hrefOf(over, "way-on")).Away)
		}
	})
}

// Rule: CIMD-1
func TestAPushedRequestOfADescribedClientIsMadeOnceMore(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	w.published.at(described, nil)
	w.published.hosts = "all"
	a, b := byDocument(described), w.browser()
	asked := b.get(w.goingOn(a, w.push(a, pkce...)))
	if v := b.through(asked, somebody); v.Away == nil {
		t.Fatalf("on %s: %d", v.At, v.Status)
	}
	over := b.get(asked.At.String()) // the back button
	to := b.hrefOf(over, "way-on")
	if v := b.get(to); v.Status != http.StatusOK {
		t.Errorf("the page leads to %s, and that answers %d: %s", to, v.Status, v.Body)
	}
}

// Rules: JARM-1, CIMD-1
func TestASignedAnswerIsForTheAddressOfTheDocument(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.published.at(described, nil)
		w.published.hosts = "all"
		a, b := byDocument(described), w.browser()
		v := b.through(b.get(w.authorizeURL(a, append(pkce, "response_mode", "query.jwt")...)), somebody)
		if v.Away == nil {
			t.Fatalf("on %s: %d", v.At, v.Status)
		}
		w.opened(a, v.Away.Query().Get("response")) // aud is the client_id that the client knows
	})
}
