package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// foreign are the ways in which another site's form comes: with and without the
// header that old browsers lack, from a neighbour, from a page that hides where
// it is from.
var foreign = map[string][]string{
	"another site":            {"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"},
	"a neighbour":             {"Sec-Fetch-Site", "same-site", "Origin", "https://other.example.test"},
	"an old browser":          {"Origin", "https://evil.example"},
	"a page that hides":       {"Origin", "null"},
	"another port":            {"Origin", "http://127.0.0.1:1"},
	"a site with our address": {"Sec-Fetch-Site", "cross-site", "Origin", "OURS"},
}

// changing are the paths of every form of a page and of every operation of the
// administration API that changes something; what ends things comes last.
func (f *furnished) changing(t *testing.T) []deskRoute {
	t.Helper()
	all := []deskRoute{{"POST", "/login"}, {"POST", "/consent"}, {"POST", "/signout"}, {"POST", "/device"},
		{"POST", "/device/confirm"}, {"POST", "/login/code"}, {"POST", "/login/passkey"}, {"POST", "/login/enrol"},
		{"POST", "/login/claim"},
		{"POST", "/sign-up"}, {"POST", "/forgotten"}, {"POST", "/address"}}
	for _, route := range pageRoutes(t) {
		for _, path := range f.at(route.template) {
			all = append(all, deskRoute{route.method, path})
		}
	}
	for _, route := range append(routesBelow(t, "/admin/v1/"), routesBelow(t, "/account/v1/")...) {
		all = append(all, deskRoute{route.method, variables.ReplaceAllString(route.template, "x")})
	}
	all = slices.DeleteFunc(all, func(r deskRoute) bool {
		// Recovery acts for nobody, and takes JSON alone.
		return r.method == http.MethodGet || r.template == "/account/v1/recovery"
	})
	ends := func(r deskRoute) int {
		rank := 0
		for i, word := range []string{"withdraw", "remove", "status", "/members/", "/secrets/", "/keys/", "end-sessions",
			"delete", "DELETE", "disable", "/signout"} {
			if strings.HasSuffix(r.template, word) || r.method == word || strings.Contains(r.template, word) &&
				strings.HasSuffix(word, "/") {
				rank = i + 1
			}
		}
		return rank
	}
	slices.SortStableFunc(all, func(a, b deskRoute) int { return ends(a) - ends(b) })
	return all
}

// Rule: PORTAL-4
func TestFormsOfPagesTakeNothingFromOtherSites(t *testing.T) {
	t.Parallel()
	f := furnish(t, sqliteURL(t), nil)
	before := f.happened()
	routes := f.changing(t)
	for name, headers := range foreign {
		headers = slices.Clone(headers)
		if i := slices.Index(headers, "OURS"); i >= 0 {
			headers[i] = f.URL
		}
		for _, route := range routes {
			got := f.admin.fetch(route.method, route.template, headers...)
			if got.Status != http.StatusForbidden || !strings.Contains(got.Body, "cross_origin") {
				t.Errorf("%s: %s %s: %d\n%s", name, route.method, route.template, got.Status, got.Body)
			}
		}
	}
	if diff := cmp.Diff(before, f.happened()); diff != "" {
		t.Errorf("something was done, -before +now:\n%s", diff)
	}
	for _, route := range routes {
		got := f.admin.fetch(route.method, route.template, "Sec-Fetch-Site", "same-origin", "Origin", f.URL)
		if got.Status >= http.StatusInternalServerError || strings.Contains(got.Body, "cross_origin") {
			t.Errorf("our own %s %s: %d\n%s", route.method, route.template, got.Status, got.Body)
		}
	}
	if now := f.command("", "client", "list", "--json"); strings.Contains(now, f.web["clientId"]) {
		t.Error("our own form deleted nothing: the test would pass without any form working")
	}
}
