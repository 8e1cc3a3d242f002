package config_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/sealing"
)

// Rule: SERVER-17
func TestAConfigurationCanBeLoggedWithoutItsSecrets(t *testing.T) {
	c := config.Config{Secret: "hunter2", DatabaseURL: "hunter2", S3: config.S3{SecretKey: "hunter2"}, DataDir: "here"}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		fmt.Fprintf(&out, verb, c)
	}
	slog.New(slog.NewJSONHandler(&out, nil)).Info("start", "config", c)
	if strings.Contains(out.String(), "hunter2") || strings.Contains(out.String(), "68756e74657232") {
		t.Errorf("a secret shows: %s", out.String())
	}
	if !strings.Contains(out.String(), "here") {
		t.Errorf("what is not secret does not show: %s", out.String())
	}
}

func TestALocalSecretIsMadeOnceWithMode0600(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	c := load(t, environ("PORTICO_DATA_DIR="+dir))
	made := make([]string, 16)
	var wait sync.WaitGroup
	for i := range made {
		wait.Go(func() {
			got, err := c.WithSecret(ambient.System())
			if err != nil {
				t.Error(err)
			}
			made[i] = got.Secret.Reveal()
		})
	}
	wait.Wait()
	for _, secret := range made {
		if secret != made[0] || len(secret) < sealing.MinSecret {
			t.Errorf("processes disagree: %q and %q", secret, made[0])
		}
	}
	info, err := os.Stat(c.SecretFile())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("drafts were left behind: %v", left)
	}
}

func TestAGivenSecretIsNotReplaced(t *testing.T) {
	c := load(t, environ("PORTICO_DATA_DIR="+t.TempDir(), "PORTICO_SECRET="+longSecret))
	got, err := c.WithSecret(ambient.System())
	if err != nil || got.Secret.Reveal() != longSecret {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(c.SecretFile()); err == nil {
		t.Error("a file was made although the secret was given")
	}
}

func TestASecretFileThatWasCutShortIsRefused(t *testing.T) {
	c := load(t, environ("PORTICO_DATA_DIR="+t.TempDir()))
	if err := os.WriteFile(c.SecretFile(), []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.WithSecret(ambient.System()); err == nil || strings.Contains(err.Error(), "short") {
		t.Errorf("got %v, want a refusal that does not show the content", err)
	}
}

func TestPostgreSQLNeedsASecret(t *testing.T) {
	c := load(t, environ("PORTICO_DATABASE_URL=postgres://db/portico"))
	if _, err := c.WithSecret(ambient.System()); err == nil || !strings.Contains(err.Error(), "PORTICO_SECRET") {
		t.Errorf("got %v, want word of PORTICO_SECRET", err)
	}
}

// Rule: SERVER-17
func TestAFaultQuotesNoPasswordOfAURL(t *testing.T) {
	for _, s := range config.Settings() {
		for _, value := range []string{"https://u:hunter2@id.example.test/x?y#z", "smtp://u:hunter2@h", "x://u:hunter2 @h"} {
			if _, err := config.Load(environ(s.Env() + "=" + value)); err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: %v", s.Env(), err)
			}
		}
	}
	got := faultsOf(t, environ("PORTICO_S3_ENDPOINT=https://key:secret@s3.example.test"))
	if !strings.Contains(strings.Join(got, "\n"), "PORTICO_S3_ENDPOINT: expected no user") {
		t.Errorf("a user in the endpoint of an object store, who would count for nothing: %q", got)
	}
	if got := faultsOf(t, environ("PORTICO_LISTEN=nowhere")); !strings.Contains(got[0], `"nowhere" was given`) {
		t.Errorf("%q", got)
	}
}
