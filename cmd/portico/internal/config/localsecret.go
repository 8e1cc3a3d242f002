package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/sealing"
)

// WithSecret returns the configuration with a secret: the one that was given;
// else, on SQLite, the one in the data directory, made there when there is
// none (mode 0600; of several processes at once one makes it and all agree).
// On PostgreSQL the secret must be given.
func (c Config) WithSecret(source *ambient.Source) (Config, error) {
	if c.Secret != "" {
		return c, nil
	}
	if !c.SQLite() {
		return c, &Faults{List: []string{envPrefix +
			"SECRET: expected, because several servers may share a PostgreSQL database and all need the same"}}
	}
	secret, err := localSecret(c.SecretFile(), source)
	if err != nil {
		return c, fmt.Errorf("the secret in %s: %w", c.SecretFile(), err)
	}
	c.Secret = secret
	return c, nil
}

// LacksSecret reports whether no secret was given, nor one made in the data directory.
func (c Config) LacksSecret() bool {
	if c.Secret != "" || !c.SQLite() {
		return false
	}
	_, err := os.Stat(c.SecretFile())
	return errors.Is(err, fs.ErrNotExist)
}

func localSecret(path string, source *ambient.Source) (sealing.Secret, error) {
	secret, err := readSecret(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	draft := path + "." + source.UID()
	defer func() { _ = os.Remove(draft) }()
	if err := writeSynced(draft, source.Token()+"\n"); err != nil {
		return "", err
	}
	// A link appears whole or not at all, and never replaces what is there.
	if err := os.Link(draft, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return readSecret(path)
}

func readSecret(path string) (sealing.Secret, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var c Config
	if err := applySecret(&c, trimNewline(content)); err != nil {
		return "", err
	}
	return c.Secret, nil
}

func writeSynced(path, content string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(content)
	return errors.Join(err, file.Sync(), file.Close())
}
