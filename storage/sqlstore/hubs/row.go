package hubs

import (
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// ExtensionRow is what things have that are extensible.
type ExtensionRow struct {
	Type    string `db:"extension_type"`
	Version string `db:"extension_version"`
	Data    string `db:"extension_data"`
}

// NewExtensionRow is the row of an extension.
func NewExtensionRow(e storage.Extension) ExtensionRow { return ExtensionRow(e) }

// Record is the row as the contract has it.
func (r ExtensionRow) Record() storage.Extension { return storage.Extension(r) }

// StampRow is who made and changed a thing, and when.
type StampRow struct {
	CreatedAt  engine.Instant `db:"created_at"`
	CreatedBy  string         `db:"created_by"`
	ModifiedAt engine.Instant `db:"modified_at"`
	ModifiedBy string         `db:"modified_by"`
}

// NewStamp is the stamp of what a change creates.
func NewStamp(change storage.Change) StampRow {
	return StampRow{
		CreatedAt: engine.At(change.At), CreatedBy: change.Caller.UserID,
		ModifiedAt: engine.At(change.At), ModifiedBy: change.Caller.UserID,
	}
}

// Record is the row as the contract has it.
func (r StampRow) Record() storage.Stamp {
	return storage.Stamp{
		CreatedAt: r.CreatedAt.Time, CreatedBy: r.CreatedBy,
		ModifiedAt: r.ModifiedAt.Time, ModifiedBy: r.ModifiedBy,
	}
}
