package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Rule: SERVER-35
func TestTheDatabaseMayHaveSeveralHosts(t *testing.T) {
	for _, good := range []string{
		"postgres://u:p@one/db", "postgres://u:p@one:6000,two:6001/db", "postgres://[2001:db8::1]/db",
		"postgres://u@[::1]:6000,[::2]:6001/db?target_session_attrs=any", "postgres:///db?host=/run",
		"postgresql://one,two?dbname=db",
	} {
		if got := load(t, environ("PORTICO_DATABASE_URL="+good)).DatabaseURL.Reveal(); got != good {
			t.Errorf("%s became %s", good, got)
		}
	}
	for _, bad := range []string{"mysql://one/db", "postgres:one", "postgres://one", "postgres://u@one,tw o/db",
		"postgres://u@one,[::2/db"} {
		got := faultsOf(t, environ("PORTICO_DATABASE_URL="+bad))
		if len(got) != 1 || !strings.Contains(got[0], "PORTICO_DATABASE_URL") {
			t.Errorf("%s: %q", bad, got)
		}
	}
}

// Rule: SERVER-49
func TestTheDatabasesFileIsReadAsItIsNow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "url")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("postgres://u:one@host/db\n")
	fromFile, given := load(t, environ("PORTICO_DATABASE_URL_FILE="+path)),
		load(t, environ("PORTICO_DATABASE_URL=postgres://u@host/db"))
	write("postgres://u:two@host/db\n")
	if got, err := fromFile.DatabaseURLNow(); got != "postgres://u:two@host/db" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := given.DatabaseURLNow(); got != "postgres://u@host/db" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
