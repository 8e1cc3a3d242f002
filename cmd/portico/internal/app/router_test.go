package app

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/templates"
)

// A test function reads it; the flag package needs it before any test runs.
var update = flag.Bool("update", false, "write golden files")

// Rule: SERVER-5
func TestTheRouteTableIsAsWritten(t *testing.T) {
	const golden = "testdata/routes.golden"
	words := map[httpio.Sites]string{
		httpio.NoSite: "no other site", httpio.RegisteredSites: "registered origins", httpio.AnySite: "any origin",
	}
	var table strings.Builder
	seen := map[string]bool{}
	for _, area := range open(t, configure(t)).areas() {
		for _, r := range area.Routes {
			template := area.Prefix + r.Template
			if seen[template] {
				t.Errorf("%s stands twice in the table", template)
			}
			seen[template] = true
			fmt.Fprintf(&table, "%s: %s\n", template, words[r.Sites])
			for _, method := range slices.Sorted(maps.Keys(r.Methods)) {
				fmt.Fprintln(&table, strings.TrimRight("  "+method+" "+r.Methods[method].Scope, " "))
			}
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), table.String()); diff != "" {
		t.Errorf("routes (-want +got); run with -update:\n%s", diff)
	}
}

// Rule: SERVER-5
func TestTheCommandLinePrintsTheRouteTable(t *testing.T) {
	var out strings.Builder
	if code := Main(t.Context(), []string{"routes"}, strings.NewReader(""), &out, &out, nil); code != 0 ||
		!strings.Contains(out.String(), "/authentication/v2/token: registered origins\n  POST\n") {
		t.Errorf("%d %.200s", code, out.String())
	}
}

// Rule: SERVER-7
func TestEveryRouteAnswersItsMethodsAndNoOther(t *testing.T) {
	a := open(t, configure(t))
	start(t, a)
	for _, area := range a.areas() {
		for _, r := range area.Routes {
			template := area.Prefix + r.Template
			t.Run(template, func(t *testing.T) {
				wantMethods(t, "http://"+a.Addr()+variable.ReplaceAllString(template, "x"), r.Allowed())
			})
		}
	}
}

var variable = regexp.MustCompile(`\{\w+\}`)

func wantMethods(t *testing.T, url string, allowed []string) {
	t.Helper()
	allow := strings.Join(allowed, ", ")
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"} {
		got, _ := answer(t, method, url)
		wrong := got.StatusCode == http.StatusMethodNotAllowed
		if wrong == slices.Contains(allowed, method) {
			t.Errorf("%s: %d, but it allows %s", method, got.StatusCode, allow)
		}
		if wrong && got.Header.Get("Allow") != allow {
			t.Errorf("%s: Allow is %q, want %q", method, got.Header.Get("Allow"), allow)
		}
	}
	if got, _ := answer(t, "OPTIONS", url); got.StatusCode != http.StatusNoContent || got.Header.Get("Allow") != allow {
		t.Errorf("OPTIONS: %d, Allow %q, want %q", got.StatusCode, got.Header.Get("Allow"), allow)
	}
}

func TestUnknownPathsAnswerInTheFormThatIsAskedFor(t *testing.T) {
	a := open(t, configure(t))
	start(t, a)
	for accept, want := range map[string]string{"": "application/problem+json",
		"text/html,*/*": "text/html; charset=utf-8"} {
		got, body := answer(t, "GET", "http://"+a.Addr()+"/nowhere", "Accept", accept)
		if got.StatusCode != http.StatusNotFound || got.Header.Get("Content-Type") != want ||
			!strings.Contains(body, got.Header.Get("X-Request-Id")) {
			t.Errorf("Accept %q: %d %s\n%s", accept, got.StatusCode, got.Header.Get("Content-Type"), body)
		}
	}
}

// Rule: SERVER-6
func TestLeadingSlashesReachTheRoute(t *testing.T) {
	a := open(t, configure(t))
	start(t, a)
	for path, want := range map[string]int{"//healthz": 200, "///healthz": 200, "/%2fhealthz": 404, "/healthz/": 404} {
		if got, _ := answer(t, "GET", "http://"+a.Addr()+path); got.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, got.StatusCode, want)
		}
	}
}

// Rule: SERVER-6
func TestAnOtherSpellingOfAnEndpointIsNoSecondWayToIt(t *testing.T) {
	a := open(t, configure(t))
	start(t, a)
	for path, want := range map[string]int{
		"/authentication/v2/token": 401, "//authentication/v2/token": 401, // the same route, and the same checks
		"/authentication/v2/token/": 404, "/Authentication/v2/token": 404, "/authentication/v2/TOKEN": 404,
		"/authentication//v2/token": 404, "/authentication/v2/./token": 404, "/authentication/v2/x/../token": 404,
		"/authentication/v2/%74oken": 404, "/authentication%2fv2/token": 404, "/authentication/v2/token;x": 404,
	} {
		got, _ := answer(t, "POST", "http://"+a.Addr()+path)
		if got.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, got.StatusCode, want)
		}
	}
}

func TestAssetsMayBeKeptForEver(t *testing.T) {
	a := open(t, configure(t))
	start(t, a)
	for path, asset := range templates.Assets() {
		got, body := answer(t, "GET", "http://"+a.Addr()+path)
		if got.StatusCode != http.StatusOK || body != string(asset.Body) ||
			got.Header.Get("Cache-Control") != templates.AssetCacheControl {
			t.Errorf("%s: %d, %s", path, got.StatusCode, got.Header.Get("Cache-Control"))
		}
		for _, has := range []string{asset.ETag, `"x", W/` + asset.ETag, "*"} {
			got, _ := answer(t, "GET", "http://"+a.Addr()+path, "If-None-Match", has)
			if got.StatusCode != http.StatusNotModified {
				t.Errorf("%s to who has %s: %d, want 304", path, has, got.StatusCode)
			}
		}
	}
	if got, _ := answer(t, "GET", "http://"+a.Addr()+"/assets/nothing.css"); got.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown asset: %d", got.StatusCode)
	}
}

// Rule: SERVER-27
func TestEveryFormatOfAnOutageSaysWhenToComeBack(t *testing.T) {
	a := open(t, configure(t))
	outage := fault.New(fault.Unavailable, "", "Out of reach.")
	formats := map[string]bool{}
	for i, one := range a.areas() {
		write := one.WriteError
		if write == nil {
			write = a.parts.writeError
		}
		path := fmt.Sprintf("/area/%d", i)
		fails := httpio.Open(write, func(http.ResponseWriter, *http.Request) error { return outage })
		router := newRouter([]httpio.Area{{Routes: []httpio.Route{httpio.At(path).Get(fails)}}}, a.parts, a.config)
		for _, accept := range []string{"", "text/html", "application/vnd.api+json"} {
			r, w := httptest.NewRequest("GET", path, nil), httptest.NewRecorder()
			r.Header.Set("Accept", accept)
			router.ServeHTTP(w, r)
			formats[w.Header().Get("Content-Type")] = true
			if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "2" {
				t.Errorf("area %d, %q: %d, Retry-After %q", i, accept, w.Code, w.Header().Get("Retry-After"))
			}
		}
	}
	want := []string{"application/json", "application/problem+json", "application/scim+json",
		"application/vnd.api+json", "text/html; charset=utf-8"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(formats))); diff != "" {
		t.Errorf("formats (-want +got):\n%s", diff)
	}
}
