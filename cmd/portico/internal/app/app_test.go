package app

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
)

// configure returns the configuration of a server on a free port with a data
// directory and a migrated database of its own; further settings are NAME=value.
func configure(t testing.TB, settings ...string) config.Config {
	t.Helper()
	dir := t.TempDir()
	sqlitetest.Create(t, filepath.Join(dir, "portico.db"))
	environ := append([]string{"PORTICO_LISTEN=127.0.0.1:0", "PORTICO_DATA_DIR=" + dir}, settings...)
	c, err := config.Load(config.Sources{Environ: environ})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func options() Options {
	return Options{Log: slog.New(slog.DiscardHandler), Ambient: ambient.System()}
}

func open(t testing.TB, c config.Config) *App {
	t.Helper()
	a, err := New(t.Context(), c, options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// start serves until the returned function is called, which waits for the end.
func start(t *testing.T, a *App) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("a stop that was asked for ends with %v", err)
		}
	}
	t.Cleanup(stop)
	return stop
}

func answer(t *testing.T, method, url string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	got, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got, string(body)
}

func TestTheBaseURLWithoutOneIsLocalhostAndThePort(t *testing.T) {
	a := open(t, configure(t))
	_, port, err := net.SplitHostPort(a.Addr())
	if err != nil || a.URL() != "http://localhost:"+port {
		t.Errorf("listening on %s as %s", a.Addr(), a.URL())
	}
	given := open(t, configure(t, "PORTICO_BASE_URL=https://id.example.test"))
	if given.URL() != "https://id.example.test" {
		t.Errorf("the given base URL became %s", given.URL())
	}
}

// Rule: SERVER-27
func TestHealthAndReadiness(t *testing.T) {
	a := open(t, configure(t))
	start(t, a)
	for _, path := range []string{"/healthz", "/readyz"} {
		if got, body := answer(t, "GET", "http://"+a.Addr()+path); got.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", path, got.StatusCode, body)
		}
	}
	if err := a.parts.Store.Close(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(stands)
	if got, body := answer(t, "GET", "http://"+a.Addr()+"/readyz"); got.StatusCode != http.StatusServiceUnavailable ||
		got.Header.Get("Retry-After") != "2" {
		t.Errorf("without a database, readyz: %d %s", got.StatusCode, body)
	}
	if got, body := answer(t, "GET", "http://"+a.Addr()+"/healthz"); got.StatusCode != http.StatusOK {
		t.Errorf("without a database, healthz: %d %s", got.StatusCode, body)
	}
}

// Rule: SERVER-8
func TestAStopFinishesTheRequestsInFlight(t *testing.T) {
	a := open(t, configure(t))
	stop := start(t, a)
	conn, err := net.Dial("tcp", a.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	const body = "grant_type=client_credentials"
	_, _ = fmt.Fprintf(conn, "POST /authentication/v2/token HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"+
		"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n", len(body))
	reader := bufio.NewReader(conn)
	if line, err := reader.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("got %q, %v: the handler is not waiting for the body", line, err)
	}
	ended := make(chan struct{})
	go func() { stop(); close(ended) }()
	for !a.stopping.Load() || accepts(a.Addr()) {
		continue // until nobody new is let in
	}
	_, _ = fmt.Fprint(conn, body)
	got, err := http.ReadResponse(skipBlank(reader), nil)
	if err != nil || got.StatusCode/100 != 4 {
		t.Errorf("the request in flight got %v, %v; want the answer of the token endpoint", got, err)
	}
	<-ended
}

func accepts(address string) bool {
	conn, err := net.Dial("tcp", address)
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}

// skipBlank reads over the empty line that ends an informational answer.
func skipBlank(r *bufio.Reader) *bufio.Reader {
	_, _ = r.ReadString('\n')
	return r
}

// Rule: SERVER-40
func TestAServerThatIsToldToStopWhileItStartsHasNotFailed(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var said bytes.Buffer
	args := []string{"serve", "--data-dir", t.TempDir(), "--listen", "127.0.0.1:0"}
	if code := Main(ctx, args, strings.NewReader(""), &said, &said, nil); code != 0 || said.Len() > 0 {
		t.Errorf("ended with %d: %s", code, said.String())
	}
}

// Rule: SERVER-22
func TestATakenPortIsRefusedByName(t *testing.T) {
	a := open(t, configure(t))
	for setting, listen := range map[string]func(*config.Config) *[]string{
		"PORTICO_LISTEN":            func(c *config.Config) *[]string { return &c.Listen },
		"PORTICO_TLS_CLIENT_LISTEN": func(c *config.Config) *[]string { return &c.TLS.ClientListen },
		"PORTICO_METRICS_LISTEN":    func(c *config.Config) *[]string { return &c.MetricsListen },
	} {
		c := configure(t)
		*listen(&c) = []string{a.Addr()}
		_, err := New(t.Context(), c, options())
		if f := fault.From(err); f == nil || f.Source != setting || !strings.Contains(f.Detail, a.Addr()) ||
			!strings.Contains(f.Detail, "taken by another program") {
			t.Errorf("%s: got %v", setting, err)
		}
	}
}

// Rule: SERVER-22
func TestWhatCannotStartSaysWhichSettingToChange(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for setting, want := range map[string]string{
		"PORTICO_DATA_DIR=" + file:                                      "PORTICO_DATA_DIR",
		"PORTICO_DATABASE_URL=sqlite:" + file + "/db":                   "database",
		"PORTICO_DATABASE_URL=postgres://127.0.0.1:1/x?sslmode=disable": "PORTICO_SECRET",
	} {
		_, err := New(t.Context(), configure(t, setting), options())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want word of %s", setting, err, want)
		}
	}
}

func TestASecondStartKeepsSecretAndKeys(t *testing.T) {
	c := configure(t, "PORTICO_BASE_URL=http://localhost:8080")
	first := open(t, c)
	before, _ := first.parts.keys.KeySetDocument(t.Context())
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	after, _ := open(t, c).parts.keys.KeySetDocument(t.Context())
	if string(before) != string(after) {
		t.Errorf("the published keys changed from %s to %s", before, after)
	}
}

// Rule: SERVER-25
func TestTheFirstAdministratorIsCreatedOnlyWhileThereIsNone(t *testing.T) {
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte("correct horse battery staple\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := configure(t, "PORTICO_ADMIN_EMAIL=first@example.test", "PORTICO_ADMIN_PASSWORD_FILE="+password)
	a := open(t, c)
	first, hash, err := a.parts.Store.FindUserByLogin(t.Context(), "first@example.test")
	if err != nil || !first.Admin || hash == "" {
		t.Fatalf("administrator %+v, %v", first, err)
	}
	c.AdminEmail = "second@example.test"
	again := open(t, c)
	users, err := again.parts.Store.ListUsers(t.Context(), storage.UserFilter{}, storage.PageRequest{})
	if err != nil || users.Total != 1 {
		t.Errorf("a second start made %d users, %v", users.Total, err)
	}
}
