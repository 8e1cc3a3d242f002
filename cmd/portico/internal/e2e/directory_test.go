package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/harness/ldaptest"
)

// Rule: LDAP-17
func TestDirectoriesAreLookedAfterByProgramOnPagesAndByCommands(t *testing.T) {
	slapd := ldaptest.Start(t, ldaptest.PersonLDIF("alice", "secret of alice")+
		ldaptest.GroupLDIF("staff", ldaptest.PersonDN("alice")))
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		s.person("admin@example.test", "--admin")
		s.person("person@example.test")
		tool := s.client("--redirect-uri", callback, "--scope", "openid account:read account:write")
		access := s.visitor("admin@example.test").withPassword().tokens(tool, "scope",
			"openid account:read account:write").text("access_token")
		api := func(status int, method, path, body string) answer {
			t.Helper()
			got := s.api(access, method, "/directories"+path, body)
			if got.Status != status {
				t.Fatalf("%s %s: %d %s, want %d", method, path, got.Status, got.Body, status)
			}
			return got
		}
		config := `"config":{"hosts":["` + slapd.TLS + `"],"ca":` + strconv.Quote(slapd.CA) +
			`,"bind_dn":"` + ldaptest.Service +
			`","base":"` + ldaptest.People + `","group_base":"` + ldaptest.Groups + `","networks":["127.0.0.0/8"]}`
		api(201, "POST", "", `{"id":"works","kind":"openldap","name":"Works","secret":"`+ldaptest.Password+`",`+config+`}`)
		api(409, "POST", "", `{"id":"works","kind":"openldap",`+config+`}`)
		api(422, "POST", "", `{"id":"X","kind":"none"}`)
		api(422, "PATCH", "/works", `{"config":{"nothing":1}}`)
		api(409, "PATCH", "/works", `{"config":{"hosts":["ldaps://evil.example"]}}`)
		for _, told := range []string{api(200, "GET", "", "").Body, api(200, "GET", "/works", "").Body} {
			if !strings.Contains(told, `"has_secret":true`) || strings.Contains(told, ldaptest.Password) {
				t.Errorf("told is %s", told)
			}
		}
		if got := api(200, "POST", "/works/test", `{"person":"alice"}`).Body; strings.Contains(got, `"ok":false`) ||
			!strings.Contains(got, "1 staff") {
			t.Errorf("the test says %s", got)
		}
		api(200, "PATCH", "/works", `{"group_prefix":"w ","config":{"join":"all","groups_come":true}}`)
		api(204, "POST", "/works/sync", `{}`)
		s.eventually("the walk", func() bool {
			return strings.Contains(api(200, "GET", "/works", "").Body, `"outcome":"done"`)
		})
		if got := s.api(access, "GET", "/groups", "").Body; !strings.Contains(got, "w staff") {
			t.Errorf("groups: %s", got)
		}
		s.directoryByCommands(slapd)
		admin := s.signedIn("admin@example.test")
		if got := admin.fetch("GET", "/admin/directories/works"); !strings.Contains(got.Body, "It came to its end.") {
			t.Errorf("the page says %s", got.Body)
		}
		if got := s.signedIn("person@example.test").fetch("GET", "/admin/directories"); got.Status != http.StatusForbidden {
			t.Errorf("the page for everybody: %d", got.Status)
		}
		api(204, "DELETE", "/works", "")
		api(404, "GET", "/works", "")
	})
}

func (s *site) directoryByCommands(slapd *ldaptest.Slapd) {
	s.Helper()
	s.directory(slapd, "other", "join=off")
	for what, want := range map[string]string{
		"test other alice": "uid=alice", "sync other": "done", "list": "other", "show other": `"join":"off"`,
	} {
		got := s.command("", append([]string{"directory"}, strings.Fields(what)...)...)
		if !strings.Contains(strings.ReplaceAll(got, ": ", ":"), want) {
			s.Errorf("%s: %s", what, got)
		}
	}
	s.command("", "directory", "disable", "other")
	s.command("", "directory", "enable", "other")
	s.command("", "directory", "connect", "other", "alice", "person@example.test")
	s.command("", "directory", "delete", "other", "--yes")
}

// directory makes the slapd one, by a command.
func (s *site) directory(slapd *ldaptest.Slapd, id string, more ...string) {
	s.Helper()
	dir := s.TempDir()
	secret, ca := filepath.Join(dir, "secret"), filepath.Join(dir, "ca.pem")
	s.must(os.WriteFile(secret, []byte(ldaptest.Password), 0o600))
	s.must(os.WriteFile(ca, []byte(slapd.CA), 0o600))
	s.command("", append([]string{"directory", "create", id, "--kind", "openldap", "--secret-file", secret,
		"hosts=" + slapd.TLS, "ca=@" + ca, "bind_dn=" + ldaptest.Service, "base=" + ldaptest.People,
		"networks=127.0.0.0/8"}, more...)...)
}
