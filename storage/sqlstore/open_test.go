package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/storage/sqlstore"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// wantFault checks that opening is refused with a fault that names the setting,
// says what to do and keeps the password to itself.
func wantFault(t *testing.T, opts sqlstore.Options, kind fault.Kind, reason, hint string) {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), opts)
	if err == nil {
		store.Close()
		t.Fatalf("%s was opened", opts.URL)
	}
	f := fault.From(err)
	if f.Kind != kind || f.Reason != reason || f.Source != "PORTICO_DATABASE_URL" || !strings.Contains(f.Detail, hint) {
		t.Errorf("%q: %v %q at %q: %q, want %v %q with %q", opts.URL, f.Kind, f.Reason, f.Source,
			f.Detail, kind, reason, hint)
	}
	if strings.Contains(err.Error(), "s3cret") {
		t.Errorf("the error tells the password: %v", err)
	}
}

func options(address string) sqlstore.Options {
	return sqlstore.Options{URL: address, Version: thisBinary, Migrate: true}
}

func TestOpenRefusesAURLThatIsNone(t *testing.T) {
	for address, hint := range map[string]string{
		"":                                 "is empty",
		"mysql://u:s3cret@host/db":         `not with "mysql"`,
		"portico.db":                       `not with "portico.db"`,
		"sqlite:":                          "must name a file",
		"sqlite::memory:":                  "must name a file",
		"postgres://u:s3cret%zz@host/db":   "percent-encoded",
		"postgres://u:s3cret@host:none/db": "percent-encoded",
		"postgres://u:s3cret@host/db?sslmode=sometimes": "can't be used",
	} {
		wantFault(t, options(address), fault.Invalid, engine.ReasonDatabaseURL, hint)
	}
}

func TestOpenSaysThatTheFolderIsMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "portico.db")
	wantFault(t, options("sqlite:"+path), fault.Invalid, engine.ReasonDatabaseURL, "create it")
}

func TestOpenRefusesAFolderAndAFileThatIsNoDatabase(t *testing.T) {
	folder := t.TempDir()
	wantFault(t, options("sqlite:"+folder), fault.Invalid, engine.ReasonDatabaseURL, "can't be opened")
	path := filepath.Join(folder, "letter.txt")
	if err := os.WriteFile(path, []byte(strings.Repeat("Dear database, ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	wantFault(t, options("sqlite:"+path), fault.Invalid, engine.ReasonDatabaseURL, "no SQLite database")
}

func TestOpenRefusesAFileThatMayNotBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "portico.db")
	if err := os.WriteFile(path, nil, 0o444); err != nil {
		t.Fatal(err)
	}
	asNobody(t, func() {
		wantFault(t, options("sqlite:"+path), fault.Invalid, engine.ReasonDatabaseReadOnly, "can't be written to")
	})
}

// asNobody runs f on a thread without root's right to write everything.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if _, err := unix.SetfsuidRetUid(65534); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = unix.SetfsuidRetUid(0) }() // the way back to root can't fail
	f()
}

func TestOpenMakesAFileThatNobodyElseCanRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a ?b#c%20.db")
	openURL(t, options("sqlite:"+path))
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has mode %o", filepath.Base(name), mode)
		}
	}
}

func TestOpenSaysThatNobodyAnswers(t *testing.T) {
	wantFault(t, options("postgres://u:s3cret@127.0.0.1:1/db?sslmode=disable"), fault.Unavailable,
		engine.ReasonDatabaseUnreachable, "127.0.0.1:1")
}

// changed returns the URL with another user or database.
func changed(t *testing.T, address string, change func(*url.URL)) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	change(u)
	return u.String()
}

// withSetting adds a parameter to a URL.
func withSetting(name, value string) func(*url.URL) {
	return func(u *url.URL) {
		q := u.Query()
		q.Set(name, value)
		u.RawQuery = q.Encode()
	}
}

func TestOpenSaysThatTheDatabaseOrTheUserIsWrong(t *testing.T) {
	address := pgtest.EmptyURL(t)
	missing := changed(t, address, func(u *url.URL) { u.Path = "/nowhere" })
	wantFault(t, options(missing), fault.Invalid, engine.ReasonDatabaseRefused, "createdb")
	stranger := changed(t, address, func(u *url.URL) { u.User = url.UserPassword("stranger", "s3cret") })
	wantFault(t, options(stranger), fault.Invalid, engine.ReasonDatabaseRefused, "user or the password")
}

// Each cause has a mend of its own, and so the words of the database and of the way to it are passed on.
//
// Rule: SERVER-22
func TestOpenSaysWhyTheDatabaseLetsNobodyIn(t *testing.T) {
	address := pgtest.EmptyURL(t)
	for _, is := range []struct{ setting, value, words string }{
		{"statement_timeout", "soon", `invalid value for parameter "statement_timeout"`},
		{"target_session_attrs", "standby", "not in hot standby mode"},
	} {
		wantFault(t, options(changed(t, address, withSetting(is.setting, is.value))), fault.Unavailable,
			engine.ReasonDatabaseUnreachable, is.words)
	}
	wantFault(t, options("postgres://u:s3cret@127.0.0.1:1/db"), fault.Unavailable, engine.ReasonDatabaseUnreachable,
		"connection refused")
	stranger := changed(t, address, func(u *url.URL) { u.User = url.UserPassword("stranger", "s3cret") })
	wantFault(t, options(stranger), fault.Invalid, engine.ReasonDatabaseRefused, `"stranger"`)
}

// A user who may come in, but owns nothing, is what createdb by another one makes.
//
// Rule: SERVER-22
func TestOpenSaysThatTheUserMayMakeNoTables(t *testing.T) {
	address := pgtest.EmptyURL(t)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	guest := "guest_of_" + strings.TrimPrefix(u.Path, "/")
	pgtest.Exec(t, `CREATE ROLE `+guest+` LOGIN PASSWORD 's3cret'`)
	wantFault(t, options(changed(t, address, func(u *url.URL) { u.User = url.UserPassword(guest, "s3cret") })),
		fault.Invalid, engine.ReasonDatabaseRefused, "lacks a right: permission denied for schema public. Let it own the database")
	pgtest.Exec(t, `DROP ROLE `+guest)
}

// Whoever owns the database owns nothing of what another one has made in it, as of a backup that
// the administrator of PostgreSQL has put back.
//
// Rule: SERVER-22
func TestOpenSaysThatTheTablesAreOfSomebodyElse(t *testing.T) {
	address := pgtest.EmptyURL(t)
	openURL(t, options(address)).Close()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(u.Path, "/")
	owner := "owner_of_" + name
	pgtest.Exec(t, `CREATE ROLE `+owner+` LOGIN PASSWORD 's3cret'; ALTER DATABASE `+name+` OWNER TO `+owner)
	opts := options(changed(t, address, func(u *url.URL) { u.User = url.UserPassword(owner, "s3cret") }))
	for _, opts.Migrate = range []bool{true, false} {
		wantFault(t, opts, fault.Invalid, engine.ReasonDatabaseRefused,
			"lacks a right: permission denied for table schema_version. Let it own the database and each table in it")
	}
	pgtest.Exec(t, `ALTER DATABASE `+name+` OWNER TO CURRENT_USER; DROP ROLE `+owner)
}

func TestOpenRefusesAServerThatIsReadOnly(t *testing.T) {
	address := changed(t, pgtest.URL(t), withSetting("default_transaction_read_only", "on"))
	wantFault(t, options(address), fault.Invalid, engine.ReasonDatabaseReadOnly, "can't be written to")
}

// onBothEngines runs a test with the URL of an empty database.
func onBothEngines(t *testing.T, test func(t *testing.T, address string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, "sqlite:"+filepath.Join(t.TempDir(), "portico.db")) })
	t.Run("postgres", func(t *testing.T) { test(t, pgtest.EmptyURL(t)) })
}

func TestOpenWithoutMigrateRefusesAnOutdatedSchema(t *testing.T) {
	onBothEngines(t, func(t *testing.T, address string) {
		opts := options(address)
		opts.Migrate = false
		wantFault(t, opts, fault.Invalid, engine.ReasonSchemaOutdated, "portico migrate up")
		openURL(t, options(address))
		openURL(t, opts)
	})
}

func TestOpenRefusesASchemaThatDoesNotSupportThisBinaryNamingBoth(t *testing.T) {
	onBothEngines(t, func(t *testing.T, address string) {
		openURL(t, options(address))
		driver, name, _ := strings.Cut(address, ":")
		if driver == "postgres" {
			name = address
		}
		db, err := sql.Open(driver, name)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec(`INSERT INTO schema_support (version, oldest_binary) VALUES (9001, '7.8.9')`); err != nil {
			t.Fatal(err)
		}
		for _, migrate := range []bool{true, false} {
			opts := options(address)
			opts.Migrate = migrate
			wantFault(t, opts, fault.Invalid, engine.ReasonSchemaUnsupported, "7.8.9")
			wantFault(t, opts, fault.Invalid, engine.ReasonSchemaUnsupported, thisBinary)
		}
	})
}

func TestOpenSchemaMovesTheSchemaUpAndDown(t *testing.T) {
	onBothEngines(t, func(t *testing.T, address string) {
		schema, err := sqlstore.OpenSchema(t.Context(), options(address))
		if err != nil {
			t.Fatal(err)
		}
		defer schema.Close()
		if err := schema.Up(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := schema.Down(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		status, err := schema.Status(t.Context())
		if err != nil || status.Applied != status.Known-1 {
			t.Errorf("status is %+v, %v", status, err)
		}
	})
}

// Rule: SERVER-23
func TestALostDatabaseIsUnavailable(t *testing.T) {
	address := pgtest.URL(t)
	store := openURL(t, options(address))
	if _, err := store.FindClient(t.Context(), "nobody"); !fault.Is(err, fault.NotFound) {
		t.Fatalf("before: %v", err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, `DROP DATABASE `+strings.TrimPrefix(u.Path, "/")+` WITH (FORCE)`)
	_, err = store.FindClient(t.Context(), "nobody")
	for name, err := range map[string]error{
		"FindClient": err, "Ping": store.Ping(t.Context()), "TouchSession": store.TouchSession(t.Context(), "s", clockStart),
	} {
		if !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v, want unavailable", name, err)
		}
	}
}

func TestConnectionsThatTheServerEndedAreMadeAgain(t *testing.T) {
	store := openURL(t, options(pgtest.URL(t)))
	if err := store.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'portico'`)
	if _, err := store.FindClient(t.Context(), "nobody"); !fault.Is(err, fault.NotFound) {
		t.Errorf("after: %v, want not found", err)
	}
}

func TestACallThatWasGivenUpIsUnavailable(t *testing.T) {
	onBothEngines(t, func(t *testing.T, address string) {
		store := openURL(t, options(address))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := store.FindClient(ctx, "nobody")
		if !fault.Is(err, fault.Unavailable) || !errors.Is(err, context.Canceled) {
			t.Errorf("read: %v", err)
		}
		if err := store.TouchSession(ctx, "s", clockStart); !fault.Is(err, fault.Unavailable) {
			t.Errorf("write: %v", err)
		}
	})
}
