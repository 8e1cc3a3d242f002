package e2e

import (
	"net/http"
	"sync"

	"github.com/portico-id/portico/internal/openapicheck"
)

// theDescription is what every exchange of these tests is held to.
var theDescription = sync.OnceValues(func() (*openapicheck.Book, error) {
	return openapicheck.Load(openapicheck.Options{
		Files: []string{"../../docs/openapi/auth.yaml", "../../docs/openapi/service-accounts.yaml"},
		Elsewhere: []string{
			"/", "/login", "/consent", "/signout", "/authentication/v2/authorize/resume", "/healthz", "/readyz",
		},
	})
})

// described reaches the site and holds what it answers to its description.
func described(s *site) http.RoundTripper {
	book, err := theDescription()
	s.must(err)
	return book.Transport(s, s.wire)
}
