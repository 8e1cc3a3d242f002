package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Changed returns the fault for a row that is not Unmoved.
func Changed() *fault.Error {
	return fault.New(fault.Conflict, storage.ReasonChanged, "It was changed meanwhile: read it again.")
}

// Absent is the fault for something that isn't there.
func Absent(what string) *fault.Error {
	return fault.Newf(fault.NotFound, "", "There is no such %s.", what)
}

// OrAbsent turns "no row" into the fault for an absent thing, and any other
// error into the fault it is.
func OrAbsent(err error, what string) error {
	if IsNoRow(err) {
		return Absent(what)
	}
	return AsFault(err)
}

// OrAbsentRow is OrAbsent inside a transaction, where what else is wrong is for
// the retry to judge first.
func OrAbsentRow(err error, what string) error {
	if IsNoRow(err) {
		return Absent(what)
	}
	return err
}

// IsNoRow reports that a query found nothing.
func IsNoRow(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// AsFault gives an error of the database its place in the vocabulary.
func AsFault(err error) error {
	var f *fault.Error
	switch {
	case err == nil || errors.As(err, &f):
		return err
	case violates(err, pqerror.ForeignKeyViolation, sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY):
		return fault.New(fault.NotFound, "", "What it belongs to does not exist.").Because(err)
	case IsDuplicate(err):
		return fault.New(fault.Conflict, "", "It exists already.").Because(err)
	case pq.As(err, pqerror.CharacterNotInRepertoire) != nil:
		return fault.New(fault.Invalid, "", "There is text in it that can't be stored.").Because(err)
	case pq.As(err, pqerror.DiskFull) != nil, sqliteCode(err)&0xff == sqlite3.SQLITE_FULL:
		return fault.New(fault.Unavailable, ReasonDatabaseFull,
			"The disk of the database is full: nothing can be written until there is room on it.").Because(err)
	case isReadOnly(err), sqliteCode(err)&0xff == sqlite3.SQLITE_READONLY:
		return fault.New(fault.Unavailable, ReasonDatabaseReadOnly,
			"The database can't be written to at the moment. Try again.").Because(err)
	case isUnavailable(err):
		return fault.New(fault.Unavailable, "", "The database can't be used at the moment. Try again.").Because(err)
	}
	return fault.From(err)
}

// inTheWay reports whether another transaction was in the way, so that trying
// again makes sense. A duplicate is such a case too: the statement had looked
// for one and saw none, so somebody else was faster, and the next look will see
// it.
func inTheWay(err error) bool {
	if pq.As(err, pqerror.TRSerializationFailure, pqerror.TRDeadlockDetected) != nil {
		return true
	}
	switch sqliteCode(err) & 0xff { // the primary code: the rest tells variants apart
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return true
	}
	return IsDuplicate(err)
}

// IsDuplicate reports whether a row was in the way that has to be the only one.
func IsDuplicate(err error) bool {
	return violates(err, pqerror.UniqueViolation, sqlite3.SQLITE_CONSTRAINT_UNIQUE) ||
		sqliteCode(err) == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
}

func violates(err error, postgres pqerror.Code, sqlite int) bool {
	return pq.As(err, postgres) != nil || sqliteCode(err) == sqlite
}

// isUnavailable reports whether the database, the way to it, or the time to
// wait for it is at fault.
func isUnavailable(err error) bool {
	for _, gone := range []error{
		driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed,
		context.Canceled, context.DeadlineExceeded,
		sql.ErrTxDone, // its time was over between two statements
	} {
		if errors.Is(err, gone) {
			return true
		}
	}
	var network net.Error
	return errors.As(err, &network) || postgresUnavailable(err) || sqliteUnavailable(err)
}

// unsure is the fault of what was done and may not be kept.
func unsure(err error) error {
	return fault.New(fault.Unavailable, "",
		"The database does not say whether this was kept. Look whether it was done before you try again.").
		Because(errors.Join(err, storage.ErrUnsure))
}

// brokeOff reports whether the way to the server ended while it was asked for something.
func brokeOff(err error) bool {
	var network *net.OpError
	return errors.Is(err, driver.ErrBadConn) || errors.As(err, &network)
}

func postgresUnavailable(err error) bool {
	e := pq.As(err)
	if e == nil {
		return false
	}
	switch e.Code.Class() {
	case pqerror.ClassConnectionException, pqerror.ClassInvalidAuthorizationSpecification,
		pqerror.ClassInvalidCatalogName, pqerror.ClassInsufficientResources,
		pqerror.ClassOperatorIntervention, pqerror.ClassSystemError:
		return true
	}
	return inTheWay(err) || isReadOnly(err) || pq.As(err, pqerror.LockNotAvailable,
		pqerror.IdleInTransactionSessionTimeout) != nil
}

// isReadOnly reports whether a server refuses to write: a standby, in whose words
// a transaction that is to write is a feature that it lacks, or one that was told
// to.
func isReadOnly(err error) bool {
	return pq.As(err, pqerror.ReadOnlySQLTransaction, pqerror.FeatureNotSupported) != nil
}

func sqliteUnavailable(err error) bool {
	switch sqliteCode(err) & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR,
		sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_INTERRUPT:
		return true
	}
	return false
}

// sqliteCode returns the extended result code of an SQLite error, or 0.
func sqliteCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}
