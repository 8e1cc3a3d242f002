package app

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// Rule: RES-12
func TestOurAPIsAreDescribedWhereTheirChallengesSay(t *testing.T) {
	a := open(t, configure(t))
	start(t, a)
	for _, path := range []string{"/userinfo", "/project/v1/hubs", "/admin/v1/users"} {
		response, _ := answer(t, http.MethodGet, a.URL()+path)
		challenge := response.Header.Get("WWW-Authenticate")
		_, where, found := strings.Cut(challenge, `resource_metadata="`)
		where, _, _ = strings.Cut(where, `"`)
		if response.StatusCode != http.StatusUnauthorized || !found {
			t.Fatalf("%s: %d, challenge %s", path, response.StatusCode, challenge)
		}
		described, body := answer(t, http.MethodGet, where, "Origin", "https://else.example.test")
		var said struct {
			Resource string   `json:"resource"`
			Servers  []string `json:"authorization_servers"`
			Scopes   []string `json:"scopes_supported"`
		}
		if err := json.Unmarshal([]byte(body), &said); err != nil {
			t.Fatal(err)
		}
		if said.Resource != a.URL() || len(said.Servers) != 1 || said.Servers[0] != a.URL() || len(said.Scopes) == 0 ||
			described.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %+v", path, said)
		}
	}
}
