package app

import (
	"errors"
	"log/slog"

	"github.com/portico-id/portico/internal/gate/signing/libcrypto"
)

// systemCrypto is the OpenSSL of the system, in a program that was built to sign with it;
// nil: Go's own crypto signs.
func systemCrypto(log *slog.Logger) *libcrypto.Library {
	library, err := libcrypto.Open()
	switch {
	case errors.Is(err, libcrypto.ErrNotBuilt):
		return nil
	case err != nil:
		log.Warn("the system's OpenSSL can't be loaded: Go's own crypto signs, which takes three times as long", "error", err)
		return nil
	}
	log.Info("the system's OpenSSL signs", "version", library.Version())
	return library
}
