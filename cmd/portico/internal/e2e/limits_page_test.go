package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// Rule: ADMIN-21
func TestAdministratorsSeeWhoUsesHowMuchOfALimit(t *testing.T) {
	s := start(t, sqliteURL(t), "RATE_LIMITS=token=3")
	s.person("admin@example.test", "--admin")
	admin := s.signedIn("admin@example.test")
	busy, idle := s.client("--type", "service"), s.client("--type", "service")
	if got := admin.fetch("GET", "/admin/limits").Body; !strings.Contains(got, "Nobody has used any of theirs.") {
		t.Errorf("before: %s", got)
	}
	for range 2 {
		if got := s.token(busy, "grant_type", "client_credentials"); got.Status != http.StatusOK {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
	}
	usage := inner(admin.fetch("GET", "/admin/limits").Body, "</table>", `id="usage"`, "<tbody>")
	if !strings.Contains(usage, ">token</td>") || !strings.Contains(usage, busy.ID) ||
		!strings.Contains(usage, " of 3</td>") || strings.Contains(usage, idle.ID) {
		t.Errorf("after: %s", usage)
	}
	var list struct {
		Items []struct {
			Class, Key  string
			Used, Limit int
		}
	}
	s.must(json.Unmarshal([]byte(admin.fetch("GET", "/admin/v1/limits").Body), &list))
	if len(list.Items) != 1 || list.Items[0].Class != "token" || !strings.Contains(list.Items[0].Key, busy.ID) ||
		list.Items[0].Used < 1 || list.Items[0].Limit != 3 {
		t.Errorf("the API: %+v", list)
	}
}
