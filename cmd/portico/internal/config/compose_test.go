package config_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestTheComposeFileSetsWhatThereIs holds the example of several servers to the
// settings of this tree.
func TestTheComposeFileSetsWhatThereIs(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docker", "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var compose struct {
		Services map[string]struct{ Environment map[string]string }
	}
	filled := regexp.MustCompile(`\$\{(\w+)[^}]*\}`).ReplaceAllStringFunc(string(text), func(use string) string {
		parts := regexp.MustCompile(`:-([^}]*)\}`).FindStringSubmatch(use)
		if parts != nil {
			return parts[1]
		}
		return "0123456789abcdef0123456789abcdef"
	})
	if err := yaml.Unmarshal([]byte(filled), &compose); err != nil {
		t.Fatal(err)
	}
	for _, server := range []string{"one", "two", "three"} {
		var settings []string
		for name, value := range compose.Services[server].Environment {
			settings = append(settings, name+"="+value)
		}
		if c := load(t, environ(settings...)); len(settings) == 0 || c.SQLite() || !c.S3.Used() || c.RedisURL == "" {
			t.Errorf("server %s: %v", server, settings)
		}
	}
}

// Who follows the file, or what is said of it, has an administrator: of the link of the first start
// nobody sees anything, for it is in a volume, and the first page speaks of it only while there is nobody.
//
// Rule: ADMIN-24
func TestWhoStartsTheComposeFileMakesAnAdministrator(t *testing.T) {
	for _, file := range []string{"docker/compose.yaml", "README.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", file))
		if err != nil {
			t.Fatal(err)
		}
		made := regexp.MustCompile(`(?m)^.*docker compose run .* user create (.*)$`).FindStringSubmatch(string(text))
		if made == nil || !regexp.MustCompile(`--admin\b`).MatchString(made[1]) {
			t.Errorf("%s: whoever it makes is no administrator: %q", file, made)
		}
	}
}

// Caddy writes X-Forwarded-For, and passes on what else a stranger says of who and which
// request they are: it would count, since it comes from the proxy.
//
// Rule: SERVER-3
func TestTheProxyOfTheComposeFileTakesOffWhatStrangersSay(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docker", "Caddyfile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, header := range []string{"Forwarded", "X-Request-Id", "Traceparent"} {
		if !regexp.MustCompile(`(?m)^\t\theader_up -` + header + `$`).Match(text) {
			t.Errorf("%s of a stranger is passed on as the proxy's", header)
		}
	}
}
