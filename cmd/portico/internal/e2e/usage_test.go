package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// seriesOfUsage is what is told of usage.
type seriesOfUsage struct {
	Items []pointOfUsage `json:"items"`
}

type pointOfUsage struct {
	SignIns int64 `json:"sign_ins"`
	People  int64 `json:"people"`
	Tokens  int64 `json:"tokens"`
	Refused int64 `json:"refused"`
	Failed  int64 `json:"failed"`
}

// used is what a command tells of usage, added up.
func (s *site) used(args ...string) (sum pointOfUsage) {
	s.Helper()
	var told seriesOfUsage
	s.commandJSON(&told, "", args...)
	return s.summed(told)
}

func (s *site) summed(told seriesOfUsage) (sum pointOfUsage) {
	s.Helper()
	for _, one := range told.Items { // all are of now, whatever the hour
		sum.SignIns, sum.Tokens = sum.SignIns+one.SignIns, sum.Tokens+one.Tokens
		sum.Refused, sum.Failed = sum.Refused+one.Refused, sum.Failed+one.Failed
		sum.People = max(sum.People, one.People)
	}
	return sum
}

// Rules: USAGE-4, USAGE-6
func TestUsageIsCountedAndToldAlike(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		s := newSite(t, database)
		server := s.spawn()
		s.person("admin@example.test", "--admin")
		s.person("dev@example.test")
		tool := s.client("--redirect-uri", callback, "--first-party", "--scope", "openid account:read")
		app := s.client("--redirect-uri", callback)
		s.command("", "client", "member", "add", app.ID, "dev@example.test")
		robot := s.client("--type", "service", "--scope", "data:read")
		dev := s.visitor("dev@example.test")
		refresh := dev.tokens(app).text("refresh_token")
		s.userInfo(s.refresh(app, refresh).text("access_token"))
		for range 3 {
			s.token(robot, "grant_type", "client_credentials")
		}
		s.send(introspectPath, client{ID: robot.ID, Secret: "wrong"}, "token", "x")
		s.token(robot, "grant_type", "client_credentials", "scope", "account:read")
		s.must(server.stop()) // which writes what the last minute had

		ofApp, ofRobot := pointOfUsage{SignIns: 1, People: 1, Tokens: 2}, pointOfUsage{Tokens: 3, Refused: 2}
		ofAll := pointOfUsage{SignIns: 1, People: 1, Tokens: 5, Refused: 2}
		for _, c := range []struct {
			args []string
			want pointOfUsage
		}{
			{[]string{"client", "usage", app.ID, "--period", "day", "--json"}, ofApp},
			{[]string{"client", "usage", robot.ID, "--json"}, ofRobot},
			{[]string{"usage", "--period", "year", "--json"}, ofAll},
		} {
			if diff := cmp.Diff(c.want, s.used(c.args...)); diff != "" {
				t.Errorf("portico %v: -want +got\n%s", c.args, diff)
			}
		}

		server = s.spawn()
		admin := s.visitor("admin@example.test").tokens(tool, "scope", "openid account:read").text("access_token")
		token := dev.tokens(tool, "scope", "openid account:read").text("access_token")
		for path, want := range map[string]pointOfUsage{"/apps/" + app.ID + "/usage?period=day": ofApp,
			"/apps/" + robot.ID + "/usage": ofRobot, "/usage?period=year": ofAll} {
			var told seriesOfUsage
			s.must(json.Unmarshal([]byte(s.api(admin, "GET", path, "").Body), &told))
			if diff := cmp.Diff(want, s.summed(told)); diff != "" {
				t.Errorf("%s: -want +got\n%s", path, diff)
			}
			if got := s.api(token, "GET", path, ""); got.Status != http.StatusForbidden {
				t.Errorf("%s for somebody who administers nothing: %d", path, got.Status)
			}
		}
		if got := s.api(admin, "GET", "/usage?period=week", ""); got.Status != http.StatusBadRequest {
			t.Errorf("a period that is none: %d %s", got.Status, got.Body)
		}
		s.showsUsage(dev, app.ID)
		server.kill() // and what it had counted is lost, no more
		if diff := cmp.Diff(ofAll, s.used("usage", "--json")); diff != "" {
			t.Errorf("after a server was killed: -want +got\n%s", diff)
		}
	})
}

// showsUsage looks whether pages tell the same, to those who may see them.
func (s *site) showsUsage(dev *visitor, app string) {
	s.Helper()
	stranger := s.signedIn("admin@example.test")
	for _, c := range []struct {
		who    *visitor
		path   string
		status int
		says   string
	}{
		{dev, "/apps/" + app + "?period=day", 200, "2 in all, at most "},
		{stranger, "/admin/apps/" + app + "?period=month", 200, "2 in all, at most "},
		{stranger, "/admin/system?period=year", 200, "5 in all, at most "},
		{stranger, "/apps/" + app, 404, ""},
		{dev, "/admin/system", 403, ""},
		{dev, "/apps/" + app + "?period=week", 400, ""},
	} {
		got := c.who.fetch("GET", c.path)
		if got.Status != c.status || !strings.Contains(got.Body, c.says) {
			s.Errorf("%s: %d, without %q", c.path, got.Status, c.says)
		}
	}
}
