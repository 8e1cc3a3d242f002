package e2e

import (
	"net/http"
	"strings"

	"github.com/portico-id/portico/internal/harness/openapicheck"
)

// theDescription is what every exchange of these tests is held to.
var theDescription = openapicheck.NewSuite(openapicheck.Options{
	Files: []string{"../../../../docs/openapi/auth.yaml", "../../../../docs/openapi/service-accounts.yaml",
		"../../../../docs/openapi/extensions.yaml", "../../../../docs/openapi/data.yaml",
		"../../../../docs/openapi/objects.yaml", "../../../../docs/openapi/twins.yaml",
		"../../../../docs/openapi/scim.yaml"},
	Elsewhere: forPeople,
}, "")

// forPeople are routes that answer people, or those who watch the server.
var forPeople = []string{
	"/", "/login", "/login/claim", "/login/code", "/login/passkey", "/login/enrol", "/consent", "/signout", "/device",
	"/device/confirm",
	"/authentication/v2/authorize/resume", "/healthz", "/readyz",
}

// described reaches the site and holds what it answers to its description.
// Others, such as an application that the site signs people in to, are reached
// as they are.
type described struct {
	s      *site
	judged http.RoundTripper
}

// isPage reports whether the path is one of the pages of signed-in people.
func isPage(path string) bool {
	for _, page := range []string{"/account", "/apps", "/admin", "/setup", "/password", "/forgotten", "/sign-up",
		"/address", "/files", "/shown", "/portraits", "/brand", "/brand-logo", "/assets", "/logos", "/login/upstream"} {
		if path == page || strings.HasPrefix(path, page+"/") && !strings.HasPrefix(path, "/admin/v1/") &&
			!strings.HasPrefix(path, "/files/v1/") &&
			!strings.HasPrefix(path, "/account/v1/") {
			return true
		}
	}
	return false
}

func newDescribed(s *site) described {
	return described{s, theDescription.Book(s).Transport(s, s.wire)}
}

// RoundTrip implements http.RoundTripper.
func (d described) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme+"://"+r.URL.Host != d.s.URL || isPage(r.URL.Path) {
		return d.s.wire.RoundTrip(r)
	}
	return d.judged.RoundTrip(r)
}
