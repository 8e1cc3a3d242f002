package house

import (
	"bufio"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/harness/openapicheck"
)

// descriptions are the documents with the versions that the specification gives
// them.
func descriptions() map[string]string {
	return map[string]string{"auth.yaml": "2.0", "service-accounts.yaml": "1.0", "data.yaml": "1.0",
		"objects.yaml": "1.0", "twins.yaml": "1.0", "scim.yaml": "2.0", "extensions.yaml": "1.0"}
}

// undescribed are the routes that no client program uses.
var undescribed = []string{
	"/", "/login", "/login/claim", "/login/code", "/login/passkey", "/login/enrol", "/consent", "/signout", "/device",
	"/device/confirm", "/authentication/v2/authorize/resume",
	"/login/upstream/{upstreamId}", "/login/upstream/{upstreamId}/callback",
	// What providers call that people come from: docs/upstreams.md.
	"/login/upstream/{upstreamId}/backchannel-logout", "/login/upstream/{upstreamId}/signed-out",
	"/assets/{name}", "/logos/{logo}", "/healthz", "/readyz",
}

// isPage reports whether the route is a page or form for people.
func isPage(path string) bool {
	for _, page := range []string{"/account", "/apps", "/admin", "/setup", "/password", "/forgotten", "/sign-up",
		"/address", "/files", "/shown", "/portraits", "/brand", "/brand-logo"} {
		if path == page || strings.HasPrefix(path, page+"/") && !strings.HasPrefix(path, "/admin/v1/") &&
			!strings.HasPrefix(path, "/account/v1/") && !strings.HasPrefix(path, "/files/v1/") {
			return true
		}
	}
	return slices.Contains(undescribed, path)
}

// Rule: DISC-7
func TestDescriptionsHaveTheirVersions(t *testing.T) {
	for name, version := range descriptions() {
		text, err := os.ReadFile(filepath.Join(root, "docs/openapi", name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), "openapi: 3.1.") ||
			!strings.Contains(string(text), "\n  version: \""+version+"\"\n") {
			t.Errorf("%s is not OpenAPI 3.1 of version %s", name, version)
		}
	}
}

// Rule: DISC-7
func TestEveryRouteIsDescribedAndEveryDescriptionHasItsRoute(t *testing.T) {
	var files []string
	for name := range descriptions() {
		files = append(files, filepath.Join(root, "docs/openapi", name))
	}
	book, err := openapicheck.Load(openapicheck.Options{Files: files})
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	for _, answer := range book.Answers() {
		described[answer.Method+" "+answer.Path] = true
	}
	if diff := cmp.Diff(routed(t), slices.Sorted(maps.Keys(described))); diff != "" {
		t.Errorf("-routed +described:\n%s", diff)
	}
}

// routed returns the operations of the application's route table.
func routed(t *testing.T) []string {
	t.Helper()
	file, err := os.Open(filepath.Join(root, "cmd/portico/internal/app/testdata/routes.golden"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all []string
	path := ""
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if method, ok := strings.CutPrefix(lines.Text(), "  "); ok {
			method, _, _ = strings.Cut(method, " ")
			if !isPage(path) {
				all = append(all, method+" "+path)
			}
			continue
		}
		path, _, _ = strings.Cut(lines.Text(), ": ")
	}
	slices.Sort(all)
	return all
}
