package server

import (
	"context"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const brandColumns = `name, support_url, terms_url, privacy_url, imprint_url, color, color_dark, logo_hash, logo`

const (
	selectBrand = `
SELECT ` + brandColumns + `
FROM brand`

	lockBrand = selectBrand + `
FOR NO KEY UPDATE`
)

var (
	// Of two who say something first, one waits for the other's row.
	insertBrand = engine.Insert("brand", "id, "+brandColumns) + `
ON CONFLICT DO NOTHING`

	updateBrand = `
UPDATE brand SET ` + engine.Assign(brandColumns)
)

// brandRow is the one row that there is.
type brandRow struct {
	ID int
	storage.Brand
}

// FindBrand implements storage.BrandStore.
func (s *Server) FindBrand(ctx context.Context) (storage.Brand, error) {
	rows, err := engine.All[storage.Brand](ctx, s.db, selectBrand, engine.Args{})
	if err != nil || len(rows) == 0 {
		return storage.Brand{}, err
	}
	return rows[0], nil
}

// SetBrand implements storage.BrandStore.
func (s *Server) SetBrand(ctx context.Context, act storage.Act,
	change func(*storage.Brand) error) (brand storage.Brand, err error) {
	err = s.db.Write(ctx, func(tx engine.Tx) error {
		if _, err := tx.Exec(ctx, insertBrand, brandRow{1, storage.Brand{Logo: []byte{}}}); err != nil {
			return err
		}
		brand = storage.Brand{}
		if err := tx.Get(ctx, &brand, lockBrand, engine.Args{}); err != nil {
			return err
		}
		if err := change(&brand); err != nil {
			return err
		}
		if brand.Logo == nil {
			brand.Logo = []byte{}
		}
		if _, err := tx.Exec(ctx, updateBrand, brand); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "brand.set", "", engine.Detail{"name": brand.Name})
	})
	return brand, err
}
