package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/oauth2"

	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// soakImport has the imports of make soak-import come in full.
const soakImport = "PORTICO_SOAK_IMPORT"

// movers returns how many people and clients move in.
func movers() (people, clients int) {
	if os.Getenv(soakImport) != "" {
		return 10000, 500
	}
	return 200, 20
}

// of other libraries: "correct horse battery staple" by Python's passlib, bcrypt and
// argon2-cffi.
var movedHashes = map[string]string{
	"bcrypt": "$2b$04$7nnvPkqWbMwLv96nDhMVOeLf2rTSaITjyQLKvR0Kx1Uy4dNLwYZ/K",
	"argon2id": "$argon2id$v=19$m=1024,t=2,p=1$mHIhvGYlZ05faPPsqMGxQQ$ySlpSvQ" +
		"0m5nkKthw/TjWiWJskEhJJW1PvATTLhxCh3k",
	"argon2i":       "$argon2i$v=19$m=1024,t=2,p=1$Xz/C5RHtOuApCZN4KasRaw$eP6hPwDdG7dfA0dZxu9UX02vBN6jJ5ETidIqcbuCz3U",
	"pbkdf2":        "$pbkdf2$1000$WQsBoBQiRIhRCgGg1JrTmg$uAuTMaRAppHfTCU9mKWzH..D7sc",
	"pbkdf2-sha256": "$pbkdf2-sha256$1000$4VxLqRUCIGTMmfO.V2rtXQ$lajsg8nzGwlv1jz2V8BBTm6MnESVwlzljuD.XC7JuhY",
	"pbkdf2-sha512": "$pbkdf2-sha512$1000$i3EuhdA6J8RY6x2jlNJaKw$fi2ewHLAJCw2nDTS2" +
		"XfSvfUbB8OytU/6v5ldzG8bpmtpLWCaKR3VtqrZam/vTtnW2D6v.9CSpJv71EAyGUaqJA",
	"scrypt": "$scrypt$ln=10,r=8,p=1$vbdWaq313ts7R2iNMcb4Pw$GtC43NLvClVNQR9bRCWuDU2FdGUCkK3A/4jiRdhdtRs",
}

// keptHash is the hash that is kept of a person's password.
func (s *site) keptHash(database, email string) string {
	s.Helper()
	store, err := sqlstore.Open(s.Context(), sqlstore.Options{URL: database, Version: version.Number})
	s.must(err)
	defer store.Close()
	_, hash, err := store.FindUserByLogin(s.Context(), email)
	s.must(err)
	return hash
}

// document writes lines of JSON into a file.
func document(t *testing.T, entries ...any) string {
	t.Helper()
	var out strings.Builder
	for _, entry := range entries {
		out.WriteString(string(must(json.Marshal(entry))) + "\n")
	}
	path := filepath.Join(t.TempDir(), "document.jsonl")
	if err := os.WriteFile(path, []byte(out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// counted is what a report says of a kind.
type counted struct{ New, Same, Differ, Wrong int }

type importReport struct {
	Imported               bool
	Wrong, Changed         int
	Users, Groups, Clients counted
}

func (s *site) imports(args ...string) (r importReport) {
	s.Helper()
	s.commandJSON(&r, "", append([]string{"import"}, args...)...)
	return r
}

// Rules: MOVE-3, PASS-4
func TestWhoMovedInSignsInByThePasswordOfBefore(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		var entries []any
		for kind, hash := range movedHashes {
			user := map[string]any{"email": kind + "@example.test", "password_hash": hash}
			entries = append(entries, map[string]any{"user": user})
		}
		if r := s.imports(document(t, entries...)); r.Users.New != len(movedHashes) {
			t.Fatalf("%+v", r)
		}
		for kind, hash := range movedHashes {
			email := kind + "@example.test"
			liar := s.visitor(email)
			liar.password = "correct horse battery stable"
			if _, err := liar.through(liar.open(s.URL + "/account/sessions")); err != nil || liar.isIn() {
				t.Errorf("%s: a wrong password signs in, or %v", kind, err)
			}
			if kept := s.keptHash(database, email); kept != hash {
				t.Errorf("%s: before anybody signed in, %q is kept", kind, kept)
			}
			for _, which := range []string{"first", "second"} {
				v := s.visitor(email)
				if _, err := v.through(v.open(s.URL + "/account/sessions")); err != nil || !v.isIn() {
					t.Errorf("%s: not signed in the %s time: %v", kind, which, err)
				}
				if kept := s.keptHash(database, email); !strings.HasPrefix(kept, "$argon2id$v=19$m=8,t=1,p=1$") {
					t.Errorf("%s: the %s time, %q is kept", kind, which, kept)
				}
			}
		}
	})
}

// The export is by Keycloak 26.0.7 (see provider/moving).
//
// Rules: MOVE-3, MOVE-5
func TestARealmOfKeycloakMovesInWithPasswordsAndSubjects(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		const from = "../../../../provider/moving/testdata/"
		s := start(t, database)
		r := s.imports("--from", "keycloak", "--keep-going", from+"keycloak-realm.json", from+"keycloak-users.json")
		if !r.Imported || r.Users.New != 5 || r.Clients.New != 3 {
			t.Fatalf("%+v", r)
		}
		wiki := client{ID: "wiki", Secret: "Zc6N0bqkVt1h8XoSxgTnq2rJ5uLw9eAd",
			RedirectURIs: []string{"https://wiki.example.test/callback"}}
		for email, of := range map[string][2]string{
			"ann.lee@example.test":       {"seven green lamps", "f50a74a7-6557-463b-ab01-d945391e6524"},
			"pbkdf2@example.test":        {"ten round tables", ""},
			"pbkdf2-sha256@example.test": {"ten round tables", ""},
			"pbkdf2-sha512@example.test": {"ten round tables", ""},
		} {
			v := s.visitor(email)
			v.password = of[0]
			verifier := oauth2.GenerateVerifier()
			code, err := v.tryCode(wiki, "code_challenge", oauth2.S256ChallengeFromVerifier(verifier),
				"code_challenge_method", "S256")
			if err != nil {
				t.Errorf("%s: %v", email, err)
				continue
			}
			tokens := s.token(wiki, "grant_type", "authorization_code", "code", code,
				"redirect_uri", wiki.RedirectURIs[0], "code_verifier", verifier)
			subject := s.userInfo(tokens.text("access_token")).text("sub")
			if tokens.Status != http.StatusOK || subject == "" || of[1] != "" && subject != of[1] {
				t.Errorf("%s: status %d, subject %q: %s", email, tokens.Status, subject, tokens.Body)
			}
		}
		nightly := client{ID: "nightly", Secret: "pQ4rWn8zKc2vYb7mTx5sHd1gLf9jEa3u"}
		if got := s.token(nightly, "grant_type", "client_credentials"); got.Status != http.StatusOK {
			t.Errorf("the service: %d %s", got.Status, got.Body)
		}
		bo := s.visitor("bo.ek@example.test")
		bo.password = "eight brown doors"
		if _, err := bo.through(bo.open(s.URL + "/account/sessions")); err != nil || bo.isIn() {
			t.Errorf("who was disabled there signs in, or %v", err)
		}
	})
}

// Rule: MOVE-1
func TestTheGuideToMovingInIsImported(t *testing.T) {
	s := start(t, sqliteURL(t))
	path := filepath.Join(t.TempDir(), "document.jsonl")
	s.must(os.WriteFile(path, []byte(snippet(t, "moving-in.md", "json", 1)), 0o600))
	if r := s.imports(path); !r.Imported || r.Users.New != 1 || r.Groups.New != 1 || r.Clients.New != 1 {
		t.Fatalf("%+v", r)
	}
	v := s.visitor("ann.lee@example.com")
	v.password = "correct horse"
	if _, err := v.through(v.open(s.URL + "/account/sessions")); err != nil || !v.isIn() {
		t.Errorf("not signed in: %v", err)
	}
}

// crowds are so many people and clients as each product writes them, with bcrypt hashes
// of password.
func crowds(people, clients int) map[string]string {
	hash := movedHashes["bcrypt"]
	kc, own, au, dex := map[string]any{"realm": "works"}, new(strings.Builder), new(strings.Builder), new(strings.Builder)
	au.WriteString("users:\n")
	dex.WriteString("staticPasswords:\n")
	var users, apps []any
	for i := range people {
		name := fmt.Sprintf("person-%d", i)
		email := name + "@example.test"
		fmt.Fprintf(own, `{"user":{"id":"id-%d","email":%q,"groups":["g%d"],"password_hash":%q}}`+"\n", i, email, i%9, hash)
		fmt.Fprintf(au, "  %s: {displayname: P, email: %s, password: '%s', groups: [g%d]}\n", name, email, hash, i%9)
		fmt.Fprintf(dex, "  - {email: %s, username: %s, userID: id-%d, hash: '%s'}\n", email, name, i, hash)
		users = append(users, map[string]any{"id": fmt.Sprintf("id-%d", i), "username": name, "email": email, "enabled": true,
			"groups": []string{fmt.Sprintf("/g%d", i%9)}, "credentials": []map[string]any{{"type": "password",
				"secretData":     `{"value":"ScKV5+gJ/EZd4DOH62pG9/ViGnc=","salt":"NsY4h1BKifE+RyhFqLVWig==","additionalParameters":{}}`,
				"credentialData": `{"hashIterations":1000,"algorithm":"pbkdf2","additionalParameters":{}}`}}})
	}
	au.WriteString("identity_providers:\n  oidc:\n    clients:\n")
	dex.WriteString("staticClients:\n")
	for i := range clients {
		id, uri, secret := fmt.Sprintf("app-%d", i), fmt.Sprintf("https://a%d.example.test/cb", i), strings.Repeat("s", 32)
		fmt.Fprintf(own, `{"client":{"client_id":%q,"type":"web","client_secrets":[%q],"redirect_uris":[%q]}}`+"\n", id, secret, uri)
		fmt.Fprintf(au, "      - {client_id: %s, client_secret: '$plaintext$%s', redirect_uris: [%q], scopes: [openid]}\n", id, secret, uri)
		fmt.Fprintf(dex, "  - {id: %s, name: %s, secret: %s, redirectURIs: [%q]}\n", id, id, secret, uri)
		apps = append(apps, map[string]any{"clientId": id, "protocol": "openid-connect", "enabled": true, "secret": secret,
			"redirectUris": []string{uri}, "standardFlowEnabled": true})
	}
	kc["users"], kc["clients"] = users, apps
	return map[string]string{"": own.String(), "keycloak": string(must(json.Marshal(kc))), "authelia": au.String(),
		"dex": dex.String()}
}

// Rules: MOVE-1, MOVE-2, MOVE-5
func TestManyMoveInFromEveryForm(t *testing.T) {
	people, clients := movers()
	for from, text := range crowds(people, clients) {
		t.Run("from "+from, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, database string) { manyMoveIn(t, database, from, text) })
		})
	}
}

func manyMoveIn(t *testing.T, database, from, text string) {
	people, clients := movers()
	s := start(t, database)
	path := filepath.Join(t.TempDir(), "file")
	s.must(os.WriteFile(path, []byte(text), 0o600))
	args := []string{path}
	if from != "" {
		args = append(args, "--from", from)
	}
	dry := s.imports(append(args, "--dry-run")...)
	if dry.Imported || dry.Users.New != people || dry.Clients.New != clients {
		t.Fatalf("%q, a dry run: %+v", from, dry)
	}
	first := s.imports(args...)
	dry.Imported = true
	if diff := cmp.Diff(dry, first); diff != "" {
		t.Errorf("%q (-dry +done):\n%s", from, diff)
	}
	if again := s.imports(args...); again.Users.Same != people || again.Clients.Same != clients {
		t.Errorf("%q again: %+v", from, again)
	}
	v := s.visitor(fmt.Sprintf("person-%d@example.test", people-1))
	if from == "keycloak" {
		v.password = "correct horse"
	}
	app := client{ID: fmt.Sprintf("app-%d", clients-1), Secret: strings.Repeat("s", 32),
		RedirectURIs: []string{fmt.Sprintf("https://a%d.example.test/cb", clients-1)}}
	if from == "authelia" { // asks for a second factor, as there
		s.command("", "client", "update", app.ID, "--require-second-factor=false")
	}
	if code, err := v.tryCode(app, "scope", "openid"); err != nil || s.redeem(app, code).Status != http.StatusOK {
		t.Errorf("%q: %v", from, err)
	}
}

// Rule: MOVE-1
func TestAKilledMoveLeavesNothingOrAll(t *testing.T) {
	people, _ := movers()
	inTurn(t, func(t *testing.T, database string) {
		s := newSite(t, database) // without a server, which on SQLite could not write meanwhile
		path := filepath.Join(t.TempDir(), "document.jsonl")
		s.must(os.WriteFile(path, []byte(crowds(people*10, 0)[""]), 0o600))
		store, err := sqlstore.Open(t.Context(), sqlstore.Options{URL: database, Version: version.Number})
		s.must(err)
		defer store.Close()
		begin := func(more ...string) *exec.Cmd {
			cmd := s.portico(append([]string{"import", path}, more...)...)
			_, err := cmd.StdinPipe() // with which it would end
			s.must(err)
			s.must(cmd.Start())
			return cmd
		}
		began := time.Now()
		s.must(begin("--dry-run").Wait())
		whole, killed := time.Since(began), 0
		for i := range 8 { // each dies some later, wherever it is then
			cmd := begin()
			time.Sleep(whole * time.Duration(i+1) / 8)
			_ = cmd.Process.Kill()
			if cmd.Wait() != nil {
				killed++
			}
			all, err := store.ListUsers(t.Context(), storage.UserFilter{}, storage.PageRequest{Limit: 1})
			s.must(err)
			if all.Total != 0 && all.Total != people*10 {
				t.Fatalf("%d of %d are there", all.Total, people*10)
			}
			if all.Total != 0 {
				break
			}
		}
		if killed == 0 {
			t.Error("none was killed")
		}
		if r := s.imports(path); !r.Imported || r.Users.New+r.Users.Same != people*10 {
			t.Errorf("after all: %+v", r)
		}
	})
}
