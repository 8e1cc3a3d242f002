package main

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestEveryProviderIsAskedTheSameByTurns measures Portico on both engines and npm's
// oidc-provider: shortly, or in rounds of thousands where PORTICO_BENCH_ROUNDS says how many.
func TestEveryProviderIsAskedTheSameByTurns(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	p := plan{requests: 20, rounds: 1, items: 3, pace: pace{clients: 4}}
	var err error
	if rounds := os.Getenv("PORTICO_BENCH_ROUNDS"); rounds != "" {
		p.rounds, err = strconv.Atoi(rounds)
		p.requests, p.items, p.idle = 1000, fullPage, idleAfter
	}
	if clients := os.Getenv("PORTICO_BENCH_CLIENTS"); err == nil && clients != "" {
		p.pace.clients, err = strconv.Atoi(clients)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.peer, err = filepath.Abs("../../.cache/oidc-provider/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	p.binaries = []string{build(t, "sqlite", "")}
	p.binaries = append(p.binaries, again(t, p.binaries[0], "postgres"))
	servers := []string{"npm oidc-provider", "postgres", "sqlite"}
	if p.idle > 0 { // whoever measures waits until half of the server is compiled once more
		p.binaries = append(p.binaries, build(t, "openssl", "portico_libcrypto"))
		servers = append(servers, "openssl")
	}
	p.databases = []database{{}}
	for range p.binaries[1:] {
		p.databases = append(p.databases, database{pgtest.EmptyURL(t), postgres(pgtest.PID(t))})
	}
	got, err := measure(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	got.print(&table)
	t.Log("\n" + table.String())
	for _, request := range []string{"client_credentials", "refresh", "introspection", "user info", "keys", "discovery"} {
		for _, server := range servers {
			f := got.rows[row{request, server}]
			if f == nil || f.costs[0] <= 0 || f.percentile(99) < f.percentile(50) || f.percentile(50) <= 0 {
				t.Errorf("%s of %s: %+v", request, server, f)
			}
		}
	}
	if got.firstStart <= 0 || got.laterStart <= 0 || got.idle <= 0 || len(got.quiet) != p.rounds {
		t.Errorf("%+v", got)
	}
	for _, server := range servers[1:] { // ours
		for _, request := range []string{"one folder", "contents of 200 items", "search", "download", "upload"} {
			if got.costs(server)[request] <= 0 {
				t.Errorf("%s of %s was not measured: %v", request, server, got.costs(server))
			}
		}
		if yardstick := got.rows[row{copyingRow, server}]; yardstick == nil || yardstick.rates[0] <= 0 {
			t.Errorf("files were not copied beside %s", server)
		}
	}
}

// build makes a server of the name in a folder of the test.
func build(t *testing.T, name, tag string) string {
	binary := filepath.Join(t.TempDir(), name)
	tags := strings.Trim("validator_novalidatefn,"+tag, ",")
	compile := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-tags="+tags, "-o", binary, "../portico")
	made, err := compile.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, made)
	}
	return binary
}

// again is a binary under another name.
func again(t *testing.T, binary, name string) string {
	same := filepath.Join(t.TempDir(), name)
	if err := os.Link(binary, same); err != nil {
		t.Fatal(err)
	}
	return same
}

func TestWhatCostsMoreThanRecordedIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "costs.json")
	recorded := map[string]float64{"refresh": 2, "keys": 0.05, "introspection": 0.13}
	if err := record(file, recorded); err != nil {
		t.Fatal(err)
	}
	now := maps.Clone(recorded)
	now["refresh"] = 2.29 // within 15 %
	if err := check(file, now); err != nil {
		t.Errorf("within what is tolerated: %v", err)
	}
	now["refresh"] = 2.31
	delete(now, "keys")
	err := check(file, now)
	if err == nil || !strings.Contains(err.Error(), "refresh costs 2.310") ||
		!strings.Contains(err.Error(), "keys was not") || strings.Contains(err.Error(), "introspection") {
		t.Errorf("%v", err)
	}
}

func TestARequestThatIsHeldUpCountsFromWhenItWasDue(t *testing.T) {
	began := time.Now().Add(-time.Second)
	if due := (pace{clients: 1, rate: 100}).due(began, 50); due.Sub(began) != 500*time.Millisecond {
		t.Errorf("due %v after the beginning", due.Sub(began))
	}
	if due := (pace{clients: 1}).due(began, 50); due.Sub(began) < time.Second {
		t.Errorf("without a rate it is due when it is sent, not %v after the beginning", due.Sub(began))
	}
}
