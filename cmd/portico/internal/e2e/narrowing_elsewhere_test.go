package e2e

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/portico-id/portico/provider/clientprofile"
)

// trusting is the setting, of the standard library, by which a server in a process of its
// own believes a certificate.
const trusting = "SSL_CERT_FILE="

// documents describe a native client at each address below a base.
type documents struct{ base, trust string }

func newDocuments(t testing.TB) documents { t.Helper(); return newDocumentsOf(t, "Assistant") }

// newDocumentsOf is newDocuments of an app with the name.
func newDocumentsOf(t testing.TB, name string) documents {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"client_id": "https://" + r.Host + r.URL.Path,
			"client_name": name, "token_endpoint_auth_method": "none", "redirect_uris": []string{anyPort}})
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "root.pem")
	root := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, root, 0o600); err != nil {
		t.Fatal(err)
	}
	return documents{server.URL, trusting + file}
}

// elsewhere is an app that a document describes and that speaks for the person, and what
// introduces the person to another server.
type elsewhere struct {
	described              client
	speaks, lives, vouches string
}

const (
	otherServer = "https://chat.example.test"
	jagType     = "urn:ietf:params:oauth:token-type:id-jag"
)

// reaches signs the person in to both.
func (d *dock) reaches(all documents) {
	d.Helper()
	d.described = client{ID: all.base + "/" + d.userID, RedirectURIs: []string{anyPort}}
	d.speaks, d.lives = d.person.publicTokens(d.described)
	d.command("", "client", "update", d.app.ID, "--introduce-to", otherServer+" app-there chat:read")
	d.vouches = d.person.tokens(d.app, "scope", appScopes).text("refresh_token")
}

func (d *dock) elsewhereLasting() map[string]func(at *site) bool {
	return map[string]func(at *site) bool{
		"described": func(at *site) bool { return at.userInfo(d.speaks).Status == http.StatusOK },
		"introduced": func(at *site) bool {
			return at.token(d.app, "grant_type", exchangeGrant, "requested_token_type", jagType, "subject_token_type",
				"urn:ietf:params:oauth:token-type:refresh_token", "subject_token", d.vouches, "audience", otherServer,
				"scope", "chat:read").Status == http.StatusOK
		},
	}
}

func (d *dock) elsewhereOnce() map[string]func(at *site) bool {
	return map[string]func(at *site) bool{
		"described, refreshed": func(at *site) bool { return gives(d, at.refresh(d.described, d.lives)) },
	}
}

// disablesDescribed has an administrator disable the app that a document describes.
func (d *dock) disablesDescribed() {
	d.command("", "client", "disable", clientprofile.ID(d.described.ID))
}
