package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"

	"github.com/portico-id/portico/internal/fault"
)

// Rule: SERVER-34
func TestAServerThatCannotWriteIsUnavailable(t *testing.T) {
	for code, want := range map[pqerror.Code]fault.Kind{
		pqerror.ReadOnlySQLTransaction: fault.Unavailable, // a statement that writes
		pqerror.FeatureNotSupported:    fault.Unavailable, // the beginning of a transaction that is to write, on a standby
		pqerror.DiskFull:               fault.Unavailable,
		pqerror.UndefinedTable:         fault.Internal,
	} {
		err := fmt.Errorf("writing: %w", &pq.Error{Code: code})
		if got := fault.From(AsFault(err)).Kind; got != want {
			t.Errorf("%s is %v, want %v", code, got, want)
		}
	}
	if isReadOnly(errors.New("something else")) {
		t.Error("every error speaks of a standby")
	}
}

// A database that is just starting needs neither another URL nor another right.
//
// Rule: SERVER-22
func TestADatabaseThatIsStartingIsToBeTriedAgain(t *testing.T) {
	for code, mend := range map[pqerror.Code]string{
		pqerror.CannotConnectNow:          "Try again in a moment.",
		pqerror.InvalidTextRepresentation: "Correct the URL, or what the database lets its user do.",
	} {
		said := fault.From(connectFault("postgres://db/portico", &pq.Error{Code: code, Message: "it says so"})).Detail
		if want := "can't be reached: it says so. " + mend; !strings.HasSuffix(said, want) {
			t.Errorf("%s: %s", code, said)
		}
	}
}
