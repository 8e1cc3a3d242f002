package moving_test

import (
	"io"
	"strings"
	"testing"

	"github.com/portico-id/portico/provider/moving"
)

// Keycloak takes an empty list for "+", and before 19 there was none to fill in.
//
// Rule: MOVE-5
func TestWhereKeycloakSaysNothingOfSigningOutPeopleComeBackToWhereTheySignIn(t *testing.T) {
	const same = `"post_logout_redirect_uris":["https://app.example.test/cb"]`
	for said, want := range map[string]string{
		``: same,
		`"attributes":{"post.logout.redirect.uris":""},`:     same,
		`"attributes":{"post.logout.redirect.uris":"+"},`:    same,
		`"attributes":{"post.logout.redirect.uris":"-"},`:    "",
		`"attributes":{"post.logout.redirect.uris":"/bye"},`: `"post_logout_redirect_uris":["https://app.example.test/bye"]`,
	} {
		export := `{"realm":"r","clients":[{"clientId":"app","enabled":true,"standardFlowEnabled":true,` + said +
			`"rootUrl":"https://app.example.test","secret":"s","redirectUris":["/cb"]}]}`
		var out strings.Builder
		err := moving.Convert(moving.FromKeycloak, []io.Reader{strings.NewReader(export)}, &out)
		there := strings.Contains(out.String(), "post_logout_redirect_uris")
		if err != nil || there != (want != "") || !strings.Contains(out.String(), want) {
			t.Errorf("%s: %v, %s", said, err, out.String())
		}
	}
}
