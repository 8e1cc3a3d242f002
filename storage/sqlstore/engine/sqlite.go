package engine

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"syscall"

	"github.com/portico-id/portico/internal/fault"
	sqlite3 "modernc.org/sqlite/lib"
)

// defaultReaders is how many connections read at once unless told otherwise.
const defaultReaders = 8

// connectSQLite opens the file, and makes it when it isn't there and may be. One
// connection writes, but for what WriteUnsynced and WriteTogether are for; the
// others read, and never wait for it (write-ahead log).
func connectSQLite(ctx context.Context, path string, opts Options) (*DB, error) {
	if err := checkFile(path, opts.Existing); err != nil {
		return nil, err
	}
	readers := opts.MaxConns
	if readers < 1 {
		readers = defaultReaders
	}
	writer, err := openSQLite(path, url.Values{"_txlock": {"immediate"}}, 1)
	if err != nil {
		return nil, err
	}
	reader, err := openSQLite(path, url.Values{"_pragma": {"query_only(1)"}}, readers)
	if err != nil {
		return nil, errors.Join(err, writer.close())
	}
	unsynced, err := openSQLite(path, url.Values{"_txlock": {"immediate"}}, 1)
	if err != nil {
		return nil, errors.Join(err, reader.close(), writer.close())
	}
	d := &DB{reader: reader, writer: writer, unsynced: unsynced, closing: make(chan struct{})}
	log := logOf(path)
	_, none := os.Stat(log.path)
	if err := d.startSQLite(ctx, path); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.log = log
	if err := d.keepLog(errors.Is(none, fs.ErrNotExist)); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// busyTimeout is how long a statement waits for the lock of the file, in
// milliseconds. The wait heeds no context, so it is short; persist waits again.
const busyTimeout = "busy_timeout(1500)"

// logLimit is how large the log stays, in bytes, once what is in it is in the file: else as
// large as it ever was, all of which whoever comes later writes anew (see logKeeper).
const logLimit = "journal_size_limit(33554432)"

// openSQLite makes a pool whose connections are all set up alike.
func openSQLite(path string, settings url.Values, limit int) (*handle, error) {
	settings["_pragma"] = append([]string{
		busyTimeout, // first: what follows may have to wait
		"foreign_keys(1)",
		"case_sensitive_like(1)", // as PostgreSQL does
		"synchronous(normal)",    // who is told of a commit waits for the disk first: see onDisk
		"wal_autocheckpoint(0)",  // it would not say what it can't write: see checkpoint
		logLimit,
	}, settings["_pragma"]...)
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: settings.Encode()}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, AsFault(err)
	}
	return pool(db, sqliteDialect(), limit), nil
}

// startSQLite switches the file to a write-ahead log, which it stays in, and
// tries the write lock.
func (d *DB) startSQLite(ctx context.Context, path string) error {
	_, err := d.WriteOne(ctx, `PRAGMA journal_mode = WAL`, Args{})
	if err == nil {
		err = d.Write(ctx, func(Tx) error { return nil })
	}
	switch {
	case sqliteCode(err)&0xff == sqlite3.SQLITE_NOTADB:
		return badURL("The file " + path + " is no SQLite database: name another one.").Because(err)
	case sqliteCode(err)&0xff == sqlite3.SQLITE_READONLY:
		return readOnlyFile(path, err)
	case sqliteCode(err)&0xff == sqlite3.SQLITE_FULL:
		return fullDisk(path, err)
	}
	return err
}

// checkFile finds what is wrong with the path in words that help, and makes the
// file so that nobody else on the machine can read it. SQLite gives its
// companions (-wal, -shm) the same mode.
func checkFile(path string, existing bool) error {
	if path == "" || path == ":memory:" {
		return badURL("The database URL must name a file, as in sqlite:data/portico.db.")
	}
	how := os.O_RDWR | os.O_CREATE
	if existing {
		how = os.O_RDWR
	}
	file, err := os.OpenFile(path, how, 0o600)
	switch {
	case err == nil:
		return file.Close()
	case errors.Is(err, fs.ErrNotExist) && existing:
		return fault.New(fault.Invalid, ReasonSchemaOutdated, "There is no database file "+path+
			": run this in the folder of the server or name its data directory (--data-dir, PORTICO_DATA_DIR). "+
			"Where there is none yet start the server, or run \"portico migrate up\".").At(setting).Because(err)
	case errors.Is(err, fs.ErrNotExist):
		return badURL("The folder " + filepath.Dir(path) + " of the database file does not exist: create it.").Because(err)
	case errors.Is(err, fs.ErrPermission):
		return readOnlyFile(path, err)
	case errors.Is(err, syscall.EROFS):
		return fault.New(fault.Invalid, ReasonDatabaseReadOnly,
			"The database file "+path+" lies on a disk that is read-only: mount it so that it can be written to, or name a file elsewhere.").
			At(setting).Because(err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fullDisk(path, err)
	}
	return badURL("The database file " + path + " can't be opened: name another one, or see why.").Because(err)
}

func fullDisk(path string, cause error) error {
	return fault.New(fault.Unavailable, ReasonDatabaseFull,
		"The disk that the database file "+path+" lies on is full: make room on it, or name a file elsewhere.").
		At(setting).Because(cause)
}

func readOnlyFile(path string, cause error) error {
	return fault.New(fault.Invalid, ReasonDatabaseReadOnly,
		"The database file "+path+" can't be written to: give the user that runs portico the right to write it and its folder.").
		At(setting).Because(cause)
}
