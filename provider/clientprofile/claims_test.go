package clientprofile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/portico-id/portico/provider/clientprofile"
)

// Rule: ACCESS-11
func TestClaimsThatMeanSomethingElseCannotBeSet(t *testing.T) {
	fixed := func(name string) clientprofile.Claim {
		return clientprofile.Claim{Name: name, Source: clientprofile.SourceFixed, Value: "x"}
	}
	role := func(name, value string) clientprofile.Claim {
		return clientprofile.Claim{Name: name, Source: clientprofile.SourceRole, GroupID: "g", Value: value}
	}
	var many clientprofile.Claims
	for i := range 51 {
		many = append(many, fixed(fmt.Sprint("c", i)))
	}
	for name, c := range map[string]struct {
		claims clientprofile.Claims
		good   bool
	}{
		"a word":                {clientprofile.Claims{fixed("tenant")}, true},
		"an address":            {clientprofile.Claims{fixed("https://example.test/claims#tenant")}, true},
		"groups told otherwise": {clientprofile.Claims{{Name: "groups", Source: clientprofile.SourceGroups}}, true},
		"two roles":             {clientprofile.Claims{role("roles", "a"), role("roles", "b")}, true},
		"fifty":                 {many[:50], true},
		"one more":              {many, false},
		"iss":                   {clientprofile.Claims{fixed("iss")}, false},
		"Sub":                   {clientprofile.Claims{fixed("Sub")}, false},
		"AUD":                   {clientprofile.Claims{fixed("AUD")}, false},
		"exp as a role":         {clientprofile.Claims{role("exp", "9999999999")}, false},
		"email":                 {clientprofile.Claims{fixed("email")}, false},
		"cnf":                   {clientprofile.Claims{fixed("cnf")}, false},
		"token_use":             {clientprofile.Claims{fixed("token_use")}, false},
		"userid":                {clientprofile.Claims{fixed("userid")}, false},
		"no name":               {clientprofile.Claims{fixed("")}, false},
		"a quote":               {clientprofile.Claims{fixed(`a"b`)}, false},
		"a Kelvin sign":         {clientprofile.Claims{fixed("\u212Aid")}, false},
		"a long name":           {clientprofile.Claims{fixed(strings.Repeat("a", 101))}, false},
		"a long value": {clientprofile.Claims{{Name: "a", Source: clientprofile.SourceFixed,
			Value: strings.Repeat("ä", 201)}}, false},
		"no value":            {clientprofile.Claims{{Name: "a", Source: clientprofile.SourceFixed}}, false},
		"no group":            {clientprofile.Claims{{Name: "a", Source: clientprofile.SourceRole, Value: "x"}}, false},
		"no source":           {clientprofile.Claims{{Name: "a", Value: "x"}}, false},
		"twice":               {clientprofile.Claims{fixed("a"), fixed("a")}, false},
		"twice in other case": {clientprofile.Claims{fixed("a"), fixed("A")}, false},
		"fixed and a role":    {clientprofile.Claims{fixed("a"), role("a", "x")}, false},
		"the same role twice": {clientprofile.Claims{role("a", "x"), role("a", "x")}, false},
		"roles in other case": {clientprofile.Claims{role("a", "x"), role("A", "y")}, false},
	} {
		if err := c.claims.Check(nil); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}
