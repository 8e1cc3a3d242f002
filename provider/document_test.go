package provider_test

import (
	"testing"

	"github.com/portico-id/portico/internal/harness/openapicheck"
	"github.com/portico-id/portico/internal/harness/pgtest"
)

// document is the description that every exchange of these tests is held to.
var document = openapicheck.NewSuite(openapicheck.Options{
	Files: []string{"../docs/openapi/auth.yaml"},
	Elsewhere: []string{"/", "/login", "/login/claim", "/login/code", "/login/passkey", "/login/enrol", "/consent",
		"/signout", "/device", "/device/confirm", "/account", "/admin", "/authentication/v2/authorize/resume"},
}, "")

// TestMain fails when all tests ran and some answer of auth.yaml was not among
// what they got.
// Rule: DISC-7
func TestMain(m *testing.M) { pgtest.Main(document.Main(m)) }
