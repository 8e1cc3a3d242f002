package moving_test

import (
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/moving"
)

var update = flag.Bool("update", false, "write the golden documents anew")

// The export is by Keycloak 26.0.7, of which what concerns no person, group or client
// is left out, keys above all. The configurations follow the manuals of Authelia and
// Dex; their hashes are by Python's libraries, and the subject of Dex's person is the
// one that Dex gives in its own examples.
//
// Rules: MOVE-5, MOVE-6
func TestFilesOfOtherProductsBecomeADocumentThatIsImported(t *testing.T) {
	for from, c := range map[string]struct {
		files []string
		kept  [3]int
		wrong int // who has no address
	}{
		moving.FromKeycloak: {[]string{"keycloak-realm.json", "keycloak-users.json"}, [3]int{5, 4, 3}, 1},
		moving.FromAuthelia: {[]string{"configuration.yml", "users_database.yml", "identifiers.yml"}, [3]int{2, 2, 3}, 0},
		moving.FromDex:      {[]string{"dex.yaml"}, [3]int{1, 0, 3}, 0},
	} {
		t.Run(from, func(t *testing.T) {
			document, err := converted(t, from, c.files...)
			if err != nil {
				t.Fatal(err)
			}
			golden := "testdata/" + from + ".jsonl"
			if *update {
				if err := os.WriteFile(golden, []byte(document), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if diff := cmp.Diff(string(want), document); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			h := newHouse(t)
			report := h.imports(moving.How{KeepGoing: true}, document)
			if report.Wrong != c.wrong || h.kept() != c.kept {
				t.Errorf("%+v, kept %v", report, h.kept())
			}
			again := h.imports(moving.How{KeepGoing: true}, document)
			if again.Changed != 0 || again.Users.New+again.Clients.New+again.Groups.New != 0 || h.kept() != c.kept {
				t.Errorf("again: %+v", again)
			}
		})
	}
}

// Rule: MOVE-5
func TestAFileOfAnotherProductIsRefused(t *testing.T) {
	for from, files := range map[string][]string{
		moving.FromKeycloak: {"[1]", "{}", `{"issuer":"https://dex.example.test"}`, `{"realm":"r"} {"clients":[]}`,
			`{"realm":"r"} x`, `{"realm":"r"}} {"realm":"r"}`},
		moving.FromAuthelia: {"users: 3", "", "{}", "issuer: https://dex.example.test", "users: {}\n---\n3"},
		moving.FromDex:      {"staticClients: {", "", "{}", `{"realm":"r","users":[]}`},
		"okta":              {"{}"},
	} {
		for _, file := range files {
			err := moving.Convert(from, []io.Reader{strings.NewReader(file)}, new(strings.Builder), fits)
			if !fault.Is(err, fault.Invalid) || !fault.HasReason(err, moving.ReasonSource) {
				t.Errorf("%s, %s: %v", from, file, err)
			}
		}
	}
}

// Rule: MOVE-5
func TestNothingOfWhatComesByOnePipeIsPassedOver(t *testing.T) {
	for _, c := range []struct{ from, apart, first, second string }{
		{moving.FromKeycloak, "\n", `{"realm":"r","groups":[{"path":"/first"}]}`,
			`{"realm":"r","groups":[{"path":"/second"}]}`},
		{moving.FromDex, "\n---\n", "staticClients: [{id: first}]", "staticClients: [{id: second}]"},
		{moving.FromAuthelia, "\n---\n", "users: {first: {}}", "users: {second: {}}"},
		{moving.FromAuthelia, "\n---\n", "users: {one: {displayname: first}}", "users: {one: {displayname: second}}"},
		{moving.FromAuthelia, "\n---\n", "identity_providers: {oidc: {clients: [{client_id: first}]}}",
			"identity_providers: {oidc: {clients: [{client_id: second}]}}"},
	} {
		for _, files := range [][]io.Reader{{strings.NewReader(c.first + c.apart + c.second)},
			{strings.NewReader(c.first), strings.NewReader(c.second)}} {
			var out strings.Builder
			err := moving.Convert(c.from, files, &out, fits)
			if err != nil || !strings.Contains(out.String(), "first") || !strings.Contains(out.String(), "second") {
				t.Errorf("%s: %v, %s", c.from, err, out.String())
			}
		}
	}
}

// Rule: MOVE-5
func TestOldExportsOfKeycloakHavePasswordsToo(t *testing.T) {
	const export = `{"realm":"old","users":[{"id":"u1","username":"old.one","email":"old@example.test","enabled":true,
		"credentials":[{"type":"password","hashedSaltedValue":"ScKV5+gJ/EZd4DOH62pG9/ViGnc=","salt":"NsY4h1BKifE+RyhFqLVWig==",
		"hashIterations":1000,"algorithm":"pbkdf2","counter":0}]},
		{"id":"u2","username":"odd.one","email":"odd@example.test","enabled":true,
		"credentials":[{"type":"otp","secretData":"{}"},{"type":"password","secretData":"{\"value\":\"eA==\",\"salt\":\"eA==\"}",
		"credentialData":"{\"hashIterations\":1,\"algorithm\":\"md5-crypt\"}"}]}]}`
	var out strings.Builder
	err := moving.Convert(moving.FromKeycloak, []io.Reader{strings.NewReader(export)}, &out, fits)
	if err != nil || !strings.Contains(out.String(), "$pbkdf2$1000$NsY4h1BKifE+RyhFqLVWig$ScKV5+gJ/EZd4DOH62pG9/ViGnc") {
		t.Errorf("%v: %s", err, out.String())
	}
	report := newHouse(t).imports(moving.How{}, out.String())
	if len(report.Faults) != 1 || !strings.Contains(report.Faults[0].Detail, "md5-crypt") || len(report.Notes) != 1 {
		t.Errorf("%+v", report)
	}
}
