package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// queryFlags are all parameters of the administration API that are true or false, as in
// "POST /users/import dry_run".
func queryFlags(t *testing.T) (flags []string) {
	t.Helper()
	description, err := openapi3.NewLoader().LoadFromFile("../../../../docs/openapi/extensions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range description.Paths.Map() {
		for method, operation := range item.Operations() {
			for _, p := range operation.Parameters {
				at, ours := strings.CutPrefix(path, "/admin/v1")
				if ours && p.Value.In == "query" && p.Value.Schema.Value.Type.Is("boolean") {
					flags = append(flags, method+" "+at+" "+p.Value.Name)
				}
			}
		}
	}
	return flags
}

// Rule: ADMIN-8
func TestASlipInAFlagOfAQueryIsNotTakenForFalse(t *testing.T) {
	t.Parallel()
	s := start(t, sqliteURL(t))
	s.person("admin@example.test", "--admin")
	tool := s.client("--redirect-uri", callback, "--scope", "openid account:read account:write")
	token := s.visitor("admin@example.test").withPassword().tokens(tool, "scope",
		"openid account:read account:write").text("access_token")
	flags := queryFlags(t)
	for _, flag := range flags {
		part := strings.Fields(flag)
		for _, slip := range []string{"1", "True", "yes", ""} {
			got := s.api(token, part[0], part[1]+"?"+part[2]+"="+slip, "")
			if got.Status != http.StatusBadRequest || !strings.Contains(got.Body, part[2]) {
				t.Errorf("%s=%s: %d %s", flag, slip, got.Status, got.Body)
			}
		}
	}
	if len(flags) < 7 {
		t.Errorf("the flags are %q", flags)
	}
	for _, said := range []string{"admin=false", "admin=true&disabled=false"} {
		if got := s.api(token, "GET", "/users?"+said, ""); got.Status != http.StatusOK {
			t.Errorf("%s: %d %s", said, got.Status, got.Body)
		}
	}
}
