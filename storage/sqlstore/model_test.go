package sqlstore_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/portico-id/portico/storage/storagetest"
)

// stepsVariable says how many changes are compared with the model.
const stepsVariable = "PORTICO_TREE_STEPS"

func modelSteps(t *testing.T) int {
	t.Helper()
	text := os.Getenv(stepsVariable)
	if text == "" {
		return 500
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", stepsVariable, err)
	}
	return n
}

func TestTheTreeIsAsItsModelOnSQLite(t *testing.T) {
	storagetest.RunModel(t, onSQLite(), modelSteps(t))
}

func TestTheTreeIsAsItsModelOnPostgreSQL(t *testing.T) {
	storagetest.RunModel(t, onPostgres(), modelSteps(t))
}
