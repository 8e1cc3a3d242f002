package moving

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/portico-id/portico/internal/fault"
)

// The products that Convert reads.
const (
	FromKeycloak = "keycloak" // realm exports
	FromAuthelia = "authelia" // users_database.yml, configuration.yml, exported identifiers
	FromDex      = "dex"      // config.yaml
)

// Sources returns the products that Convert reads.
func Sources() []string { return []string{FromAuthelia, FromDex, FromKeycloak} }

// Convert writes what files of a product say as a document for Import. What does not fit a
// field of a person, as fits says, is left out.
func Convert(from string, files []io.Reader, out io.Writer, fits func(field, value string) bool) error {
	document := &writer{json: json.NewEncoder(out), fits: fits}
	document.json.SetEscapeHTML(false)
	switch from {
	case FromKeycloak:
		return keycloak(files, document)
	case FromAuthelia:
		return authelia(files, document)
	case FromDex:
		return dex(files, document)
	}
	return fault.Newf(fault.Invalid, ReasonSource, "Files are read of: %s.", strings.Join(Sources(), ", "))
}
