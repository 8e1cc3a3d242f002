package doctor

import (
	"errors"
	"io/fs"

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
	if c.SQLite() && errors.Is(err, fs.ErrNotExist) { // an empty database in its place would hide the server's
		return Finding{Check: "database", State: Ill, Says: Why(err),
			Mend: "Name the server's own by PORTICO_DATA_DIR or PORTICO_DATABASE_URL, or run this in its folder."}
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
		mend = "Let the server's user read and write the file and its folder, with room on the disk, or correct " +
			"PORTICO_DATA_DIR or PORTICO_DATABASE_URL."
	}
	return Finding{Check: "database", State: Ill, Says: Why(err), Mend: mend}
}
