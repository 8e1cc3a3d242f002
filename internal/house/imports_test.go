package house

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// room is a package and what of ours it may import. A name that ends in /...
// stands for a folder and everything below it.
type room struct {
	name string
	may  []string
}

// rooms is the plan of the house. The first entry that fits a package counts.
// Leaf packages (redirect URIs, scopes, profiles, URNs, levels) hold pure rules that several
// rooms of an area need; otherwise parent and child folders are strangers.
func rooms() []room {
	small := []string{
		"storage", "templates", "templates/texts", "internal/gate/acts", "internal/gate/adminapi", "internal/ambient",
		"internal/gate/bearer", "internal/gate/clientcert", "internal/gate/dpop", "internal/fault", "internal/httpio",
		"internal/outbound", "internal/password", "internal/picture", "internal/ratelimit", "internal/sealing",
		"internal/fetched", "internal/fresh", "internal/term", "internal/textkey", "internal/webauthn", "internal/webpage",
		"internal/gate/websession", "internal/tracing",
	}
	leaves := []string{"provider/breakglass", "provider/clientprofile", "provider/devices",
		"provider/portrait", "provider/redirecturi", "provider/said", "provider/scope"}
	data := []string{"dataapi/access", "dataapi/element", "dataapi/filter", "dataapi/pdf", "dataapi/jsonapi",
		"dataapi/level", "dataapi/naming", "dataapi/setup", "dataapi/shape", "dataapi/urn", "provider/scope",
		"storage/blobstore"}
	ground := []string{"internal/ambient", "internal/fault", "internal/httpio", "internal/redislink", "internal/sealing",
		"internal/tracing"}
	below := []string{"storage", "storage/sqlstore/engine", "internal/fault", "internal/textkey"} // rooms of the store
	return []room{
		{"cmd/portico", []string{"cmd/portico/internal/app"}},
		{"cmd/portico/internal/version", nil},
		{"cmd/portico/internal/config", []string{"internal/ambient", "internal/antivirus", "internal/contrast",
			"internal/fault", "internal/outbound", "internal/ratelimit", "internal/sealing"}},
		{"cmd/portico/internal/...", []string{"..."}},
		{"cmd/portico-bench", []string{"internal/gate/signing/libcrypto"}}, // what it measures beside
		{"cmd/...", []string{"internal/ambient"}},

		{"provider/clientprofile", append(leaves, "internal/fault", "storage")},
		{"provider/devices", []string{"storage", "internal/ambient", "internal/fault", "internal/ratelimit",
			"internal/sealing", "internal/textkey"}},
		{"provider/breakglass", []string{"storage", "internal/fault", "provider/said"}},
		{"provider/portrait", []string{"storage"}},
		{"provider/redirecturi", []string{"internal/fault", "storage"}},
		{"provider/said", []string{"internal/fault", "internal/textkey"}},
		{"provider/scope", []string{"internal/fault"}},
		{"provider/usage", small},
		{"provider", append(append([]string{"internal/gate/jwt", "internal/gate/signing", "provider/resources"},
			leaves...), small...)},
		{"provider/apps", append(append([]string{"internal/gate/jwt", "provider/resources", "provider/usage"},
			leaves...), small...)},
		{"provider/system", append(append([]string{"provider/usage"}, leaves...), small...)},
		{"provider/outbox", append([]string{"internal/mail"}, small...)},
		{"provider/upstreams", append([]string{"internal/gate/jwt", "provider/breakglass", "provider/said"}, small...)},
		{"provider/catalogue", append(append([]string{"provider/resources"}, leaves...), small...)},
		{"provider/branding", append([]string{"internal/contrast"}, small...)},
		{"provider/...", append(leaves, small...)},
		{"serviceaccounts", append([]string{"provider/scope", "internal/gate/jwt", "internal/gate/signing"}, small...)},
		{"dataapi/jsonapi", []string{"internal/fault", "internal/httpio", "internal/sealing"}},
		{"dataapi/access", []string{"dataapi/jsonapi", "dataapi/level", "dataapi/urn", "internal/fault",
			"internal/gate/bearer", "internal/httpio", "provider/scope", "storage"}},
		{"dataapi/element", []string{"internal/fault", "storage"}},
		{"dataapi/pdf", []string{"internal/fault"}},
		{"dataapi/filter", []string{"dataapi/jsonapi", "dataapi/urn", "internal/fault", "storage"}},
		{"dataapi/naming", []string{"internal/fault", "storage"}},
		{"dataapi/level", []string{"internal/fault", "storage"}},
		{"dataapi/shape", []string{"dataapi/jsonapi", "dataapi/urn", "internal/ambient", "internal/fault",
			"internal/fresh", "storage"}},
		{"dataapi/setup", []string{"dataapi/urn", "internal/fault", "internal/textkey", "storage"}},
		{"dataapi/urn", []string{"storage"}},
		{"dataapi", append(append([]string{"dataapi/tree"}, data...), small...)},
		{"dataapi/pages", append(append([]string{"dataapi/pages/ground"}, data...), small...)},
		{"dataapi/pages/...", append(append([]string{"dataapi/administration", "dataapi/archive", "dataapi/feed",
			"dataapi/flow", "dataapi/objects", "dataapi/pages/ground", "dataapi/relations",
			"dataapi/transmittal", "dataapi/tree", "dataapi/twins"}, data...), small...)},
		{"dataapi/batch", append(append([]string{"dataapi/relations"}, data...), small...)},
		{"dataapi/administration", append(append([]string{"dataapi/webhooks"}, data...), small...)},
		{"dataapi/...", append(data, small...)},

		{"storage", []string{"internal/fault"}},
		{"storage/sqlstore/engine", []string{"storage", "migrations", "internal/fault", "internal/textkey",
			"internal/tracing"}},
		{"storage/sqlstore/clients", append([]string{"storage/sqlstore/identity"}, below...)},
		{"storage/sqlstore/federation", append([]string{"storage/sqlstore/identity"}, below...)},
		{"storage/sqlstore/scim", append([]string{"storage/sqlstore/identity"}, below...)},
		{"storage/sqlstore/flow", append([]string{"storage/sqlstore/hubs"}, below...)},
		{"storage/sqlstore/transmittals", append([]string{"storage/sqlstore/hubs"}, below...)},
		{"storage/sqlstore/tree", append([]string{"storage/sqlstore/hubs", "internal/ambient"}, below...)},
		{"storage/sqlstore/twins", append([]string{"storage/sqlstore/hubs"}, below...)},
		{"storage/sqlstore/...", below},
		{"storage/sqlstore", []string{"storage", "storage/sqlstore/..."}},
		{"storage/blobstore", []string{"internal/ambient", "internal/fault", "internal/sealing", "internal/tracing"}},
		{"storage/blobstore/blobtest", []string{"storage/blobstore", "internal/ambient", "internal/fault"}},
		{"storage/storagetest", []string{"storage", "internal/ambient", "internal/fault"}},
		{"internal/harness/...", []string{"..."}},
		{"migrations", nil},
		{"templates", []string{"templates/texts"}},
		{"templates/texts", nil},

		{"internal/ambient", nil},
		{"internal/antivirus", nil},
		{"internal/fault", nil},
		{"internal/textkey", nil},
		{everywhere, nil},
		{"internal/term", []string{"internal/fault", "internal/textkey"}},
		{"internal/password", []string{"internal/ambient", "internal/fault", "internal/textkey"}},
		{"internal/webauthn", []string{"internal/sealing"}},
		{"internal/httpio", []string{"internal/fault"}},
		{"internal/redislink", []string{"internal/ambient", "internal/fault"}},
		{"internal/mail", []string{"internal/outbound", "internal/sealing", "internal/tracing"}},
		{"internal/metrics", []string{"internal/fault", "internal/httpio"}},
		{"internal/outbound", []string{"internal/fault", "internal/tracing"}},
		{"internal/tracing", nil},
		{"internal/picture", []string{"internal/fault"}},
		{"internal/gate/acts", []string{"storage", "internal/httpio"}},
		{"internal/gate/adminapi", []string{"storage", "internal/fault", "internal/gate/acts", "internal/httpio"}},
		{"internal/webpage", []string{"templates", "templates/texts", "internal/fault", "internal/httpio", "internal/term"}},
		{"internal/gate/jwt", []string{"internal/sealing"}},
		{"internal/gate/...", append([]string{"storage", "internal/gate/acts", "internal/gate/clientcert",
			"internal/gate/dpop", "internal/gate/jwt", "internal/gate/signing", "internal/gate/signing/libcrypto",
			"internal/fresh"}, ground...)},
		{"internal/...", ground},
	}
}

// exclusive says who alone imports what from outside.
func exclusive() map[string][]string {
	return map[string][]string{
		"github.com/ory/fosite":   {"provider"},
		"filippo.io/age":          {"cmd/portico/internal/backup", "cmd/portico/internal/commands"},
		"github.com/jmoiron/sqlx": {"storage/sqlstore/engine"},
		"modernc.org/sqlite":      {"storage/sqlstore/engine", "migrations", "internal/harness/sqlitetest"},
		"github.com/lib/pq":       {"storage/sqlstore/engine", "migrations", "internal/harness/pgtest"},
		"database/sql": {"storage/sqlstore/engine", "migrations", "internal/harness/pgtest",
			"internal/harness/sqlitetest", "internal/harness/datatest"},
		"github.com/golang-migrate":       {"migrations"},
		"github.com/spf13/cobra":          {"cmd/portico/internal/commands"},
		"github.com/modelcontextprotocol": {"dataapi/mcp"},
		"html/template":                   {}, // see build in binary_test.go
		"text/template":                   {},
		"regexp": {everywhere, "internal/harness/ldaptest", "internal/harness/linter", "internal/harness/otlptest",
			"internal/harness/queryplan"}, // what starts compiles none
		"github.com/DataDog/datadog-agent":   {"templates", "provider/apps"},
		"github.com/gorilla/mux":             {"internal/httpio"},
		"github.com/go-ldap/ldap":            {"provider/directory"},
		"github.com/go-asn1-ber/asn1-ber":    {"provider/directory", "internal/harness/ldaptest"},
		"github.com/wneessen/go-mail":        {"internal/mail"},
		"github.com/emersion":                {"internal/harness/smtptest"},
		"github.com/minio/minio-go":          {"storage/blobstore", "internal/harness/s3test"},
		"github.com/prometheus":              {"internal/metrics"},
		"golang.org/x/image":                 {"internal/picture"},
		"image":                              {"internal/picture", "cmd/portico/internal/demo"}, // which draws one of its own
		"golang.org/x/crypto/argon2":         {"internal/password"},
		"github.com/go-playground/validator": {"provider/apps", "provider/people", "serviceaccounts", "dataapi"},
	}
}

func matches(pattern, dir string) bool {
	folder, below := strings.CutSuffix(pattern, "...")
	if below {
		return strings.HasPrefix(dir, folder)
	}
	return pattern == dir
}

// everywhere is what every room may import, as it may what comes with Go.
const everywhere = "internal/pattern"

func mayImport(dir, imported string) bool {
	for _, r := range rooms() {
		if matches(r.name, dir) {
			return imported == everywhere || slices.ContainsFunc(r.may, func(p string) bool { return matches(p, imported) })
		}
	}
	return false
}

// floor is a storey of the house: folders, and everything below them.
type floor struct {
	name    string
	folders []string
}

// floors lists the storeys from the ground up. What lies on none is ground.
func floors() []floor {
	return []floor{
		{"ground", []string{"internal/", "migrations", "templates"}},
		{"storage", []string{"storage"}},
		{"gate", []string{"internal/gate/"}},
		{"areas", []string{"provider", "serviceaccounts", "dataapi"}},
		{"roof", []string{"cmd/"}},
	}
}

// harness is what tests stand on: it may see every floor, and none may see it.
const harness = "internal/harness/"

// floorOf returns the storey of a package: the highest that has it.
func floorOf(dir string) int {
	for i, f := range slices.Backward(floors()) {
		if slices.ContainsFunc(f.folders, func(folder string) bool {
			return strings.HasPrefix(dir+"/",
				strings.TrimSuffix(folder, "/")+"/")
		}) {
			return i
		}
	}
	return -1
}

func TestNoImportRunsUpBetweenFloors(t *testing.T) {
	seen := map[int]bool{}
	for _, s := range product(t) {
		from := floorOf(s.dir)
		seen[from] = true
		if from < 0 {
			t.Errorf("%s stands on no floor", s.path)
		}
		for _, path := range s.imports() {
			ours, ok := strings.CutPrefix(path, module)
			if !ok || strings.HasPrefix(s.dir+"/", harness) {
				continue
			}
			if to := floorOf(ours); to > from {
				t.Errorf("%s (%s) imports %s (%s)", s.path, floors()[from].name, ours, floors()[to].name)
			}
			if strings.HasPrefix(ours+"/", harness) {
				t.Errorf("%s imports %s, which is for tests alone", s.path, ours)
			}
		}
	}
	if len(seen) != len(floors()) {
		t.Errorf("files were found on %d floors of %d", len(seen), len(floors()))
	}
}

func TestFloorsAreTold(t *testing.T) {
	for dir, want := range map[string]int{"internal/fault": 0, "storage/sqlstore": 1, "internal/gate/bearer": 2,
		"dataapi/twins": 3, "cmd/portico": 4, "lib": -1} {
		if got := floorOf(dir); got != want {
			t.Errorf("%s is on floor %d, want %d", dir, got, want)
		}
	}
}

func TestPackagesImportOnlyWhatTheirRoomMay(t *testing.T) {
	for _, s := range product(t) {
		for _, path := range s.imports() {
			if ours, ok := strings.CutPrefix(path, module); ok && !mayImport(s.dir, ours) {
				t.Errorf("%s imports %s, which its room may not", s.path, ours)
			}
		}
	}
}

// Rule: PICTURE-4
func TestSomeLibrariesHaveOneDoor(t *testing.T) {
	for _, s := range product(t) {
		for _, path := range s.imports() {
			for library, doors := range exclusive() {
				if (path == library || strings.HasPrefix(path, library+"/")) && !slices.Contains(doors, s.dir) {
					t.Errorf("%s imports %s, which is for %v alone", s.path, path, doors)
				}
			}
		}
	}
}

func TestStoresKnowNoHTTP(t *testing.T) {
	for _, s := range product(t) {
		if strings.HasPrefix(s.dir, "storage") && s.dir != "storage/blobstore" && slices.Contains(s.imports(), "net/http") {
			t.Errorf("%s imports net/http", s.path)
		}
	}
}

// maxChain is the longest way from one package of ours to another, counted in
// packages; it leads from the program through the commands, and what they share
// with the server, down the rooms of the store.
const maxChain = 9

func TestNoChainOfImportsIsLong(t *testing.T) {
	graph := map[string]map[string]bool{}
	for _, s := range product(t) {
		if graph[s.dir] == nil {
			graph[s.dir] = map[string]bool{}
		}
		for _, path := range s.imports() {
			if ours, ok := strings.CutPrefix(path, module); ok && ours != everywhere {
				graph[s.dir][ours] = true
			}
		}
	}
	var longest func(dir string) []string
	longest = func(dir string) []string {
		var best []string
		for next := range graph[dir] {
			if chain := longest(next); len(chain) > len(best) {
				best = chain
			}
		}
		return append([]string{dir}, best...)
	}
	for _, dir := range slices.Sorted(maps.Keys(graph)) {
		if chain := longest(dir); len(chain) > maxChain {
			t.Errorf("%d packages in a row: %s", len(chain), strings.Join(chain, " → "))
		}
	}
}

func TestTheTableOfRoomsRefusesWhatItShould(t *testing.T) {
	for _, forbidden := range [][2]string{
		{"cmd/portico", "storage"}, {"provider", "storage/sqlstore"}, {"provider", "provider/apps"},
		{"provider/apps", "provider"},
		{"provider", "dataapi"}, {"storage", "internal/httpio"}, {"internal/fault", "internal/ambient"},
		{"templates", "internal/fault"},
		{"dataapi/jsonapi", "storage"}, {"unknown", "storage"},
	} {
		if mayImport(forbidden[0], forbidden[1]) {
			t.Errorf("%s may import %s", forbidden[0], forbidden[1])
		}
	}
	for _, allowed := range [][2]string{{"cmd/portico", "cmd/portico/internal/app"}, {"provider", "storage"},
		{"cmd/portico/internal/app", "provider"}} {
		if !mayImport(allowed[0], allowed[1]) {
			t.Errorf("%s may not import %s", allowed[0], allowed[1])
		}
	}
}
