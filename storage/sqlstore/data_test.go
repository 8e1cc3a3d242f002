package sqlstore_test

import (
	"testing"

	"github.com/portico-id/portico/storage/storagetest"
)

// Rules: DATA-100, FEED-7, FEED-12, OBJ-13, OBJ-40, OBJ-60, SENT-2, SENT-6, SENT-11, SERVER-53, HOME-8
func TestDataContractOnSQLite(t *testing.T) { storagetest.RunData(t, onSQLite()) }

// Rules: DATA-100, FEED-7, FEED-12, OBJ-8, OBJ-60, SENT-2, SENT-6, SENT-11, SERVER-53, HOME-8
func TestDataContractOnPostgreSQL(t *testing.T) { storagetest.RunData(t, onPostgres()) }

// Rule: TWIN-3
func TestTwinContractOnSQLite(t *testing.T) { storagetest.RunTwins(t, onSQLite()) }

// Rule: TWIN-3
func TestTwinContractOnPostgreSQL(t *testing.T) { storagetest.RunTwins(t, onPostgres()) }
