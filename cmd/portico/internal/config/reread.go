package config

import (
	"os"

	"github.com/portico-id/portico/internal/sealing"
)

// DatabaseURLNow is DatabaseURL as its file has it now, where it came from one:
// the password may have changed while the server runs.
func (c Config) DatabaseURLNow() (string, error) {
	return c.now("DATABASE_URL", c.DatabaseURL)
}

// DatabaseNotifyNow is DatabaseNotify as its file has it now.
func (c Config) DatabaseNotifyNow() (string, error) {
	return c.now("DATABASE_NOTIFY_URL", c.DatabaseNotify)
}

func (c Config) now(name string, first sealing.Secret) (string, error) {
	path, found := c.Files[name]
	if !found {
		return first.Reveal(), nil
	}
	content, err := os.ReadFile(path) // #nosec G304 -- the operator names it
	if err != nil {
		return "", err
	}
	return trimNewline(content), nil
}
