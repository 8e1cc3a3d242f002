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

	deleteBrand = `
DELETE FROM brand`
)

var insertBrand = engine.Insert("brand", brandColumns)

// FindBrand implements storage.BrandStore.
func (s *Server) FindBrand(ctx context.Context) (storage.Brand, error) {
	rows, err := engine.All[storage.Brand](ctx, s.db, selectBrand, engine.Args{})
	if err != nil || len(rows) == 0 {
		return storage.Brand{}, err
	}
	return rows[0], nil
}

// SetBrand implements storage.BrandStore.
func (s *Server) SetBrand(ctx context.Context, act storage.Act, brand storage.Brand) error {
	if brand.Logo == nil {
		brand.Logo = []byte{}
	}
	return s.db.Write(ctx, func(tx engine.Tx) error {
		if _, err := tx.Exec(ctx, deleteBrand, engine.Args{}); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, insertBrand, brand); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "brand.set", "", engine.Detail{"name": brand.Name})
	})
}
