package e2e

import (
	"context"
	"html"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/cmd/portico/internal/app"
	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/freeport"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// unsealed are the columns of bytes that nothing is sealed in: hashes, public halves, and
// pictures and files that people gave.
func unsealed() []string {
	return strings.Fields(`archive_pages.entries authorize_codes.hash brand.logo client_logos.picture
		client_secrets.hash device_requests.hash device_requests.user_code enrolments.token_hash imports.file
		initial_tokens.hash login_sessions.token_hash objects.sha256 objects.sha1 objects.crc32 one_time_links.hash
		other_signing_keys.public passkeys.credential passkeys.public_key recovery_codes.hash scim_tokens.hash
		sent_forms.key service_account_keys.public signing_keys.public thumbnails.picture tries.key twin_documents.sha256
		upstream_attempts.state_hash upstream_attempts.browser user_portraits.picture`)
}

// vault is a site in whose database something of every kind is sealed.
type vault struct {
	*site
	process *process
	store   *sqlstore.Store
	secret  string // of now

	works   *site // the provider by which somebody signs in
	comer   *visitor
	guarded *visitor
}

// sealsAll makes something of everything that is kept under the secret.
func sealsAll(t *testing.T, database string) *vault {
	t.Helper()
	v := &vault{site: newSite(t, database, "SMTP_URL=smtp://127.0.0.1:1"), secret: siteSecret}
	v.process = v.spawn()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{URL: database, Version: version.Number})
	v.must(err)
	t.Cleanup(func() { v.must(store.Close()) })
	v.store = store
	v.tolerate("mail")
	v.person("admin@example.test", "--admin")
	v.person("guarded@example.test")
	v.guarded = v.signedIn("guarded@example.test")
	v.guarded.addsAuthenticator()
	v.visitor("").asks("/forgotten", "forgotten-form", "guarded@example.test")
	var hub, project struct{ ID string }
	v.commandJSON(&hub, "", "hub", "create", "--name", "Works")
	v.commandJSON(&project, "", "project", "create", "--hub", hub.ID, "--name", "Yard")
	v.command("", "webhook", "create", "--project", project.ID, "--url", "https://hooks.example.test")
	secret := filepath.Join(t.TempDir(), "secret")
	v.must(os.WriteFile(secret, []byte("the bind password"), 0o600))
	v.command("", "directory", "create", "staff", "--kind", "openldap", "--secret-file", secret,
		"hosts=ldaps://127.0.0.1:1", "bind_dn=cn=x", "base=ou=people,dc=works,dc=test", "domains=staff.test")
	v.employs(t)
	return v
}

// employs signs somebody in by another Portico, which says by a refresh token whether they
// are still there, and by an ID token where to sign out.
func (v *vault) employs(t *testing.T) {
	t.Helper()
	at := freeport.Address(t) // another host for the browser than that of the site
	v.works = start(t, sqliteURL(t), "LISTEN="+at, "BASE_URL=http://"+at)
	v.works.person("one@works.test")
	client := v.works.client("--redirect-uri", v.URL+"/login/upstream/works/callback",
		"--post-logout-uri", v.URL+"/login/upstream/works/signed-out", "--scope", "openid email profile")
	secret := filepath.Join(v.TempDir(), "secret")
	v.must(os.WriteFile(secret, []byte(client.Secret), 0o600))
	v.command("", "upstream", "create", "works", "--preset", "portico", "--secret-file", secret, "issuer="+v.works.URL,
		"client_id="+client.ID, "networks=127.0.0.0/8", "join=open", "trust_email=true", "offer_logout=true",
		"scopes=openid,email,profile")
	v.comer = v.arrives()
}

// arrives signs in by the other Portico.
func (v *vault) arrives() *visitor {
	v.Helper()
	one := v.visitor("one@works.test")
	one.goes = []string{v.works.URL + "/"}
	p, err := one.through(one.open(v.URL + "/login/upstream/works"))
	v.must(err)
	if p.Status != http.StatusOK || p.At.String() != v.URL+"/" {
		v.Fatalf("%d on %s: %s", p.Status, p.At, p.Body)
	}
	return one
}

// changes gives the server a new secret, with the one before beside it, until nothing is
// sealed under that any more.
func (v *vault) changes(secret string) {
	v.Helper()
	v.must(v.process.stop())
	v.environ = slices.DeleteFunc(v.environ, func(s string) bool { return strings.HasPrefix(s, "PORTICO_SECRET") })
	v.environ = append(v.environ, "PORTICO_SECRET="+secret, "PORTICO_SECRET_PREVIOUS="+v.secret)
	v.secret = secret
	v.process = v.spawn()
	v.eventually("everything is sealed anew", func() bool { return v.opened(secret) == "" })
}

// opened says what the secret alone does not open, and of what there is nothing.
func (v *vault) opened(secret string) (trouble string) {
	v.Helper()
	ring, err := sealing.New([]byte(secret), nil, ambient.System())
	v.must(err)
	for column, labels := range app.Sealed() {
		boxes, err := v.store.ListSealed(v.Context(), column, nil, storage.MaxPage)
		v.must(err)
		if len(boxes) == 0 {
			trouble += "nothing is in " + string(column) + "\n"
		}
		for _, box := range boxes {
			if !slices.ContainsFunc(labels, func(label string) bool {
				_, _, err := ring.Open(label, box.Box, box.Bound)
				return err == nil
			}) {
				trouble += string(column) + " of " + strings.Join(box.Key, " ") + " is not opened\n"
			}
		}
	}
	return trouble
}

// Whatever is kept under the secret is still good after that was changed twice, and nobody
// has to enter anything anew.
//
// Rules: KEY-5, FACTOR-10, HOOK-14, FED-20
func TestWhatIsSealedOutlivesTwoChangesOfTheSecret(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		v := sealsAll(t, database)
		second, third := strings.Repeat("second ", 6), strings.Repeat("third ", 7)
		if trouble := v.opened(siteSecret); trouble != "" {
			t.Fatal(trouble)
		}
		if v.opened(third) == "" {
			t.Fatal("any secret opens everything: the test shows nothing")
		}
		v.changes(second)
		v.changes(third)
		if v.opened(siteSecret) == "" || v.opened(second) == "" {
			t.Error("a former secret still opens something")
		}
		link := leaveLink.FindStringSubmatch(must(v.comer.open(v.URL + logoutPath)).Body)
		if link == nil || !strings.Contains(html.UnescapeString(link[1]), "id_token_hint=") {
			t.Errorf("who signs out is not told how to sign out there: %v", link)
		}
		v.arrives()
		if _, p := v.typesCode("guarded@example.test", shownCode(v.guarded.authenticator, 1)); p.At.Path != securityPath {
			t.Errorf("a code of before is not taken: %d on %s", p.Status, p.At)
		}
	})
}

// A column of bytes that is new is either among those that are sealed anew, or here.
//
// Rule: KEY-5
func TestEveryColumnOfBytesIsSealedOrNot(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		store, err := sqlstore.Open(t.Context(), sqlstore.Options{URL: database, Version: version.Number, Migrate: true})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		known := map[string]bool{}
		for _, column := range unsealed() {
			known[column] = true
		}
		for column := range app.Sealed() {
			known[string(column)] = true
		}
		err = store.Snapshot(t.Context(), func(ctx context.Context, all sqlstore.Snapshot) error {
			shapes, err := all.Shapes(ctx)
			for _, shape := range shapes {
				for i, kind := range shape.Kinds {
					name := shape.Table + "." + shape.Columns[i]
					if kind == sqlstore.Bytes && !known[name] {
						t.Errorf("%s: seal it anew (storage.SealedColumn), or say in this test that it is not sealed", name)
					}
					delete(known, name)
				}
			}
			return err
		})
		if err != nil || len(known) > 0 {
			t.Errorf("%v; there is no %v", err, known)
		}
	})
}
