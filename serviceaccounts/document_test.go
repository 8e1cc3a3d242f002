package serviceaccounts_test

import (
	"testing"

	"github.com/portico-id/portico/internal/harness/openapicheck"
	"github.com/portico-id/portico/internal/harness/pgtest"
)

// document is the description that every exchange of these tests is held to.
var document = openapicheck.NewSuite(openapicheck.Options{
	Files:     []string{"../docs/openapi/service-accounts.yaml", "../docs/openapi/auth.yaml"},
	Elsewhere: []string{"/whoami"},
}, accountsPath)

// TestMain fails when all tests ran and some answer of service-accounts.yaml
// was not among what they got. The rest is the provider's to show.
func TestMain(m *testing.M) { pgtest.Main(document.Main(m)) }
