package migrations

import (
	"context"
	"database/sql"

	"github.com/golang-migrate/migrate/v4/database"
)

// Files are Portico's own steps.
var Files = embedded

// NewDriver returns the driver that a run would use.
func NewDriver(ctx context.Context, conn *sql.Conn, engine Engine) database.Driver {
	return &driver{ctx: ctx, conn: conn, dialect: dialects[engine], known: 1}
}
