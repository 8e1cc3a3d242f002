package sqlstore_test

import (
	"testing"

	"github.com/portico-id/portico/storage/storagetest"
)

func TestDataContractOnSQLite(t *testing.T) { storagetest.RunData(t, onSQLite()) }

func TestDataContractOnPostgreSQL(t *testing.T) { storagetest.RunData(t, onPostgres()) }
