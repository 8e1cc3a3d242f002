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

// Convert writes what files of a product say as a document for Import.
func Convert(from string, files []io.Reader, out io.Writer) error {
	document := &writer{json: json.NewEncoder(out)}
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
