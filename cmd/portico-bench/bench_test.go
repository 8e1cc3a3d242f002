package main

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/pgtest"
)

func TestMain(m *testing.M) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	if bare, err := serveBare(ctx); bare {
		fail(err)
		return
	}
	stop()
	pgtest.Main(m)
}

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
		p.requests, p.items, p.idle = 1024, fullPage, idleAfter
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
	if file := os.Getenv("PORTICO_BENCH_TABLE"); file != "" {
		head := headOf(p, append(versionsOf(p.peer), "PostgreSQL "+pgtest.Version(t)))
		if err := (report{got, head, append(servers, "bare handler")}).keep(file, p.pace.clients); err != nil {
			t.Error(err)
		}
	}
	for _, request := range []string{"client_credentials", "code flow", "refresh", "introspection", "user info", "keys",
		"discovery"} {
		for _, server := range servers {
			f := got.rows[row{request, server}]
			if f == nil || f.costs[0] <= 0 || f.percentile(99) < f.percentile(50) || f.percentile(50) <= 0 {
				t.Errorf("%s of %s: %+v", request, server, f)
			}
		}
	}
	if bare := got.rows[row{"keys", "bare handler"}]; bare == nil || bare.costs[0] <= 0 {
		t.Errorf("keys of a bare handler: %+v", bare)
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

func TestAServerThatRunsAlreadyIsAskedAtItsAddress(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	modules, err := filepath.Abs("../../.cache/oidc-provider/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	peer, err := newPeer(modules, t.TempDir())
	if err == nil {
		_, err = peer.start(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = peer.stop() })
	t.Setenv(outsiderClient, "page")
	t.Setenv(outsiderSecret, "secret of the page")
	t.Setenv(outsiderUser, "somebody")
	o := outsider{peer.url, peer.cmd.Process.Pid, "openid email"}
	s, err := o.server(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.paths != peer.paths {
		t.Errorf("it answers at %+v, not at %+v", s.paths, peer.paths)
	}
	page := app{id: "page", secret: "secret of the page"}
	flow, err := s.codeFlow(t.Context(), signIn{page, o.scope, person{"somebody", "any"}})
	if err == nil {
		err = flow.once(t.Context(), http.DefaultClient)
	}
	if err != nil {
		t.Error(err)
	}
	if used, err := s.cpu(); err != nil || used <= 0 {
		t.Errorf("it used %v: %v", used, err)
	}
	t.Setenv(outsiderClient, "service")
	t.Setenv(outsiderSecret, "secret of the service")
	t.Setenv(outsiderUser, "")
	all, err := o.loads(t.Context(), s)
	if err != nil || len(all) != 4 {
		t.Errorf("it is asked for %d kinds: %v", len(all), err)
	}
}

func TestAFormThatLeadsOnIsFilledInAsByAPersonWhoAgrees(t *testing.T) {
	who := person{"somebody", "secret"}
	for name, c := range map[string]struct{ page, action, want string }{
		"sign-in": {`<form action="/lang" method="post"><input type="hidden" name="l" value="de"></form>
			<form action="/in" method="post"><input name="user"><input type="password" name="pw">
			<input type="hidden" name="csrf" value="x"><button name="with" value="password">Sign in</button></form>`,
			"/in", "csrf=x&pw=secret&user=somebody&with=password"},
		"consent": {`<form action="/search"><input name="q"></form>
			<input type="checkbox" form="c" name="email" value="on" checked><input type="checkbox" form="c" name="phone" value="on">
			<form id="c" action="/agree" method="POST"><button name="decision" value="deny">No</button>
			<button name="decision" value="allow">Yes</button></form>`, "/agree", "decision=allow&email=on"},
	} {
		f, err := leadsOn(strings.NewReader(c.page), who)
		if err != nil || f.action != c.action || f.fields.Encode() != c.want {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
	if _, err := leadsOn(strings.NewReader(`<p>Sorry.</p>`), who); err == nil {
		t.Error("a page without a form leads on")
	}
}

func TestAReportTakesThePlaceOfTheOneBefore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "benchmarks.md")
	begin, end := marks(8)
	if err := os.WriteFile(file, []byte("before\n"+begin+"old\n"+end+"after\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	all := &results{rows: map[row]*figures{}}
	all.at(row{"keys", "ours"}).add(0.04, 20000, time.Millisecond)
	all.at(row{"keys", "theirs"}).add(0.10, 9000, 2*time.Millisecond)
	all.at(row{"assertion", "ours"}).add(1.2, 1600, 5*time.Millisecond)
	all.at(opensslRow).add(0.3, 0)
	r := report{all, "Today.", []string{"theirs", "ours"}}
	if err := r.keep(file, 8); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"before\n" + begin, "Today.", "| Request | theirs | ours |\n|---|---|---|\n",
		"| assertion |  | **1.20 (1.20 to 1.20)** |\n| keys | 0.10 (0.10 to 0.10) | **0.04 (0.04 to 0.04)** |\n",
		"| keys | 9000; 2.0, 2.0 | 20000; 1.0, 1.0 |\n", "an RSA-2048 signature by OpenSSL: 0.30", end + "after\n"} {
		if !strings.Contains(string(got), part) || strings.Contains(string(got), "old") {
			t.Errorf("lacks %q, or keeps what was:\n%s", part, got)
		}
	}
	if err := r.keep(file, 64); err == nil {
		t.Error("it finds a place that is not there")
	}
}
