package engine

import (
	"strings"
	"testing"
)

// Rule: SERVER-17
func TestWhatIsWrongWithADatabaseTellsNoPassword(t *testing.T) {
	for url, shown := range map[string]string{
		"postgres://u:hunter2@127.0.0.1:1/db":                               "postgres://u:xxxxx@127.0.0.1:1/db",
		"postgres:///db?host=/nowhere&user=u&password=hunter2":              "host=%2Fnowhere&user=u",
		"postgres://u@127.0.0.1:1,127.0.0.1:2/db?password=hunter2":          "port=1%2C2",
		"postgres://u@127.0.0.1:1/db?sslmode=nonsense&password=hunter2":     "sslmode=nonsense",
		"postgres://u@127.0.0.1:1/db?options=-c%20a.b%3Dhunter2":            "postgres://u@127.0.0.1:1/db",
		"postgres://u:hunter2%zz@127.0.0.1:1/db":                            "is malformed",
		"postgres://localhost:1/hunter2@127.0.0.1:1/db":                     "postgres:…",
		"postgres://localhost:1#hunter2@127.0.0.1:1/db":                     "postgres:…",
		"postgres://localhost:1?hunter2=1@127.0.0.1:1/db":                   "postgres:…",
		"postgres://u:a@localhost:1/hunter2@127.0.0.1:1/db":                 "postgres:…",
		"postgres://u:a@localhost:1?dbname=hunter2@127.0.0.1:1/db":          "postgres:…",
		"postgres://u:a@localhost:1,localhost:2/hunter2@127.0.0.1:1/db":     "postgres:…",
		"postgres://u:hunter2@127.0.0.1:port/db":                            "is malformed",
		"postgres://u:hunter2@127.0.0.1:1/db?password=hunter2&password=%zz": "postgres://u:xxxxx@127.0.0.1:1/db",
	} {
		_, err := Open(t.Context(), Options{URL: url, Version: "0.1.0"})
		if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), shown) {
			t.Errorf("%s: %v", url, err)
		}
	}
}
