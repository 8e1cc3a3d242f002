package server

import (
	"context"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

type serverSetting struct{ Name, Value string }

const (
	selectServerSettings = `
SELECT name, value FROM server_settings`

	deleteServerSettings = `
DELETE FROM server_settings`

	insertServerSetting = `
INSERT INTO server_settings (name, value) VALUES (:name, :value)
ON CONFLICT (name) DO UPDATE SET value = excluded.value`
)

// KeepServerSettings implements storage.ServerSettingStore. Of servers that
// start at once the last one's values stay.
func (s *Server) KeepServerSettings(ctx context.Context, settings storage.ServerSettings) error {
	return s.db.Write(ctx, func(tx engine.Tx) error {
		if _, err := tx.Exec(ctx, deleteServerSettings, engine.Args{}); err != nil {
			return err
		}
		for name, value := range settings {
			if _, err := tx.Exec(ctx, insertServerSetting, serverSetting{name, value}); err != nil {
				return err
			}
		}
		return nil
	})
}

// FindServerSettings implements storage.ServerSettingStore.
func (s *Server) FindServerSettings(ctx context.Context) (storage.ServerSettings, error) {
	rows, err := engine.All[serverSetting](ctx, s.db, selectServerSettings, engine.Args{})
	if err != nil {
		return nil, err
	}
	settings := storage.ServerSettings{}
	for _, row := range rows {
		settings[row.Name] = row.Value
	}
	return settings, nil
}
