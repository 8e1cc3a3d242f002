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
	return setting(t, stepsVariable, 500)
}

// setting returns the number that a variable of the environment sets, or else
// the usual one.
func setting(t testing.TB, variable string, usual int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

func TestTheTreeIsAsItsModelOnSQLite(t *testing.T) {
	storagetest.RunModel(t, onSQLite(), modelSteps(t))
}

func TestTheTreeIsAsItsModelOnPostgreSQL(t *testing.T) {
	storagetest.RunModel(t, onPostgres(), modelSteps(t))
}
