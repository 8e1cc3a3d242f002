package apps

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// Tests of the whole server run what docs/guides says; the portal says the same.
//
// Rule: PORTAL-12
func TestGuidesOfServicesSayWhatIsRun(t *testing.T) {
	for slug, bye := range map[string]string{
		"spring": "https://app.example.test/bye", "django": "https://app.example.test/bye",
		"node-red": "https://app.example.test/",
		"keycloak": "https://app.example.test/", "jupyterhub": "https://app.example.test/",
		"synapse": "https://app.example.test/_matrix/static/client/login/", "oidc-client-ts": "https://app.example.test/bye",
		"oidc-agent": "",
	} {
		all := allGuides()
		g := all[slices.IndexFunc(all, func(g guide) bool { return g.slug == slug })]
		c := storage.Client{
			ID: "YOUR_CLIENT_ID", Type: g.types[0], Profile: storage.ProfileStandard,
			Scopes:       []string{scope.OpenID, scope.Profile, scope.Email},
			RedirectURIs: []string{"https://app.example.test/"}, PostLogoutRedirectURIs: []string{bye},
		}
		if g.suffix != "" {
			c.RedirectURIs[0] = "https://app.example.test" + g.suffix
		}
		blocks, err := g.blocks(c, "https://id.example.test")
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile("../../docs/guides/" + slug + ".md")
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks {
			if b.Where.Key == "guides.where.both" {
				continue // the tests' page has buttons for it
			}
			if !strings.Contains(string(text), "\n"+b.Text+"\n```") {
				t.Errorf("docs/guides/%s.md has another %s; the portal's is\n%s", slug, b.Where, b.Text)
			}
		}
	}
}
