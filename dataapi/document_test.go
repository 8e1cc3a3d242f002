package dataapi_test

import (
	"testing"

	"github.com/portico-id/portico/internal/harness/openapicheck"
	"github.com/portico-id/portico/internal/harness/pgtest"
)

// document is the description that every exchange of these tests is held to.
var document = openapicheck.NewSuite(openapicheck.Options{Files: []string{"../docs/openapi/data.yaml"}}, "")

// TestMain fails when all tests ran and some answer of data.yaml was not among
// what they got.
func TestMain(m *testing.M) { pgtest.Main(document.Main(m)) }
