package doctor

import (
	"errors"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage/sqlstore"
)

// Why is what an error says to people.
func Why(err error) string {
	var f *fault.Error
	if errors.As(err, &f) && f.Detail != "" {
		return f.Detail
	}
	return err.Error()
}

// Settings says that the settings can't be used: nothing else can be looked at.
func Settings(err error) Finding {
	return Finding{Check: "settings", State: Ill, Says: Why(err),
		Mend: "Correct what is named. \"portico serve --help\" lists all settings."}
}

// Database says why the database could not be opened, or what it keeps of the server's
// settings can't be used.
func Database(c config.Config, err error) Finding {
	if faults := new(config.Faults); errors.As(err, &faults) {
		return Settings(faults)
	}
	f := fault.From(err)
	switch f.Reason {
	case sqlstore.ReasonSchemaOutdated:
		return Finding{Check: "database", State: Ill, Says: Why(err),
			Mend: "Run \"portico migrate up\", or start the server."}
	case sqlstore.ReasonSchemaUnsupported:
		return Finding{Check: "database", State: Ill, Says: Why(err), Mend: "Install the newer Portico again."}
	}
	mend := "Start the database, or correct PORTICO_DATABASE_URL: host, port, name, user, password."
	if c.SQLite() {
		mend = "Let the server's user read and write the file and its folder, or correct PORTICO_DATA_DIR or PORTICO_DATABASE_URL."
	}
	return Finding{Check: "database", State: Ill, Says: Why(err), Mend: mend}
}
