package engine

import (
	"net/url"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
)

// Reasons of the faults of Open: what is wrong with the database or its URL.
const (
	ReasonDatabaseURL         = "database_url"         // Invalid: the URL is none of ours
	ReasonDatabaseUnreachable = "database_unreachable" // Unavailable: nobody answers
	ReasonDatabaseRefused     = "database_refused"     // Invalid: it answers, but not to us
	ReasonDatabaseReadOnly    = "database_read_only"   // Invalid, and Unavailable once it is open: it can't be written to
	ReasonDatabaseFull        = "database_full"        // Unavailable: there is no room on its disk
	ReasonSchemaUnsupported   = "schema_unsupported"   // Invalid: the schema and this binary don't fit
	ReasonSchemaOutdated      = "schema_outdated"      // Invalid: migrations are missing
)

// setting names the setting that a person changes.
const setting = "PORTICO_DATABASE_URL"

func badURL(detail string) *fault.Error {
	return fault.New(fault.Invalid, ReasonDatabaseURL, detail).At(setting)
}

// redacted returns the URL without its password. That may be a parameter, too: only those
// that tell where the database is are shown.
func redacted(raw string) string {
	u, err := url.Parse(manyHosts(raw))
	if err != nil || misread(u) {
		return "postgres:…"
	}
	query := u.Query()
	for name := range query {
		if !slices.Contains([]string{"host", "hostaddr", "port", "dbname", "user", "sslmode"}, name) {
			query.Del(name)
		}
	}
	u.RawQuery = query.Encode()
	return u.Redacted()
}

// misread reports whether there is an @ behind the host: with a / ? or # in it that is not
// percent-encoded the rest of a password stands there, and before that maybe an @ of its own.
func misread(u *url.URL) bool {
	return strings.Contains(u.Opaque+u.EscapedPath()+u.RawQuery+u.EscapedFragment(), "@")
}
