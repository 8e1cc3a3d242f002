package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/storage/sqlstore"
)

// Secrets of upstreams and directories, entered by commands, are told by no command, no
// answer of the API, no page, no line of the log and of the audit trail, and are in no row
// as they are; and they go to no other server than the one that they were entered for.
//
// Rules: FED-16, FED-22, LDAP-17
func TestSecretsOfCompaniesAreToldNowhere(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		s.person("admin@example.test", "--admin")
		tool := s.client("--redirect-uri", callback, "--scope", "openid account:read account:write")
		access := s.visitor("admin@example.test").withPassword().tokens(tool, "scope",
			"openid account:read account:write").text("access_token")
		dir := t.TempDir()
		var secrets []string
		file := func(name string) string {
			secrets = append(secrets, "hush-hush of "+name)
			path := filepath.Join(dir, name)
			s.must(os.WriteFile(path, []byte(secrets[len(secrets)-1]), 0o600))
			return path
		}
		told := s.command("", "upstream", "create", "works", "--preset", "oidc", "--secret-file", file("works"),
			"issuer="+s.URL, "client_id=portico", "networks=127.0.0.0/8")
		told += s.command("", "directory", "create", "staff", "--kind", "openldap", "--secret-file", file("staff"),
			"hosts=ldaps://127.0.0.1:1", "bind_dn=cn=portico", "base=ou=people,dc=works,dc=test", "networks=127.0.0.0/8")
		for noun, where := range map[string]string{"upstream works": "issuer=https://evil.example.test",
			"directory staff": "hosts=ldaps://evil.example.test"} {
			words := strings.Fields(noun)
			set := []string{words[0], "set", words[1], where}
			if _, trouble := s.commanded("", set...); !strings.Contains(trouble, "Give it anew") {
				t.Errorf("%v goes on with the secret: %s", set, trouble)
			}
			told += s.command("", append(set, "--secret-file", file("new "+words[0]))...)
			for _, verb := range []string{"list", "show " + words[1], "list --json", "show " + words[1] + " --json",
				"test " + words[1]} {
				said, trouble := s.commanded("", append(words[:1:1], strings.Fields(verb)...)...)
				told += said + trouble
			}
			path := map[string]string{"upstream": "/upstreams/", "directory": "/directories/"}[words[0]] + words[1]
			admin := s.signedIn("admin@example.test")
			for _, at := range []string{path, filepath.Dir(path)} {
				got := s.api(access, http.MethodGet, at, "")
				page := admin.fetch("GET", "/admin"+at)
				if told += got.Body + page.Body; got.Status != http.StatusOK || page.Status != http.StatusOK {
					t.Errorf("%s: %d, its page %d", at, got.Status, page.Status)
				}
			}
			told += s.api(access, http.MethodPost, path+"/test", "{}").Body + admin.fetch("GET", "/admin"+path+"/test").Body
			told += admin.fetch("GET", "/admin/audit").Body
		}
		told += s.command("", "audit", "list", "--ndjson")
		text, _ := s.log.read()
		told += text + everyRow(t, database)
		if !strings.Contains(told, "upstream.updated") || !strings.Contains(told, "evil.example.test") {
			t.Error("nothing is told: the test shows nothing")
		}
		for _, secret := range secrets {
			if at := strings.Index(told, secret); at >= 0 {
				t.Errorf("a secret is told: …%s", told[max(0, at-200):at])
			}
		}
	})
}

// everyRow is all that is in the database.
func everyRow(t *testing.T, database string) string {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{URL: database, Version: version.Number})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var all strings.Builder
	err = store.Snapshot(t.Context(), func(ctx context.Context, snapshot sqlstore.Snapshot) error {
		shapes, err := snapshot.Shapes(ctx)
		for _, shape := range shapes {
			if err == nil {
				err = snapshot.Rows(ctx, shape, func(row []any) error {
					for _, value := range row {
						fmt.Fprintf(&all, "%s ", value)
					}
					return nil
				})
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
