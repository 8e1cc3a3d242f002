package dataapi_test

import (
	"context"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// refusing is a store whose every change fails.
type refusing struct{ err error }

func (f refusing) CreateFolder(context.Context, storage.Change, string, storage.Folder) (storage.Folder, error) {
	return storage.Folder{}, f.err
}

func (f refusing) UpdateFolder(context.Context, storage.Change, string, string,
	storage.FolderPatch) (storage.Folder, error) {
	return storage.Folder{}, f.err
}

func (f refusing) CreateItem(context.Context, storage.Change, string, storage.Item,
	storage.NewVersion) (storage.ItemWithTip, error) {
	return storage.ItemWithTip{}, f.err
}

func (f refusing) UpdateItem(context.Context, storage.Change, string, string,
	storage.ItemPatch) (storage.ItemWithTip, error) {
	return storage.ItemWithTip{}, f.err
}

func (f refusing) AddVersion(context.Context, storage.Change, string, string,
	storage.NewVersion) (storage.ItemWithTip, error) {
	return storage.ItemWithTip{}, f.err
}

func (f refusing) RenameVersion(context.Context, storage.Change, string, storage.VersionRef,
	string) (storage.Version, error) {
	return storage.Version{}, f.err
}

func (f refusing) ReserveItem(context.Context, storage.Change, string, string) (storage.ItemWithTip, error) {
	return storage.ItemWithTip{}, f.err
}

func (f refusing) ReleaseItem(context.Context, storage.Change, string, string) (storage.ItemWithTip, error) {
	return storage.ItemWithTip{}, f.err
}

func (f refusing) BreakReservation(context.Context, storage.Change, string, string) (storage.ItemWithTip, error) {
	return storage.ItemWithTip{}, f.err
}

func (f refusing) FindDone(context.Context, string, time.Time) (storage.Done, error) {
	return storage.Done{}, f.err
}

// stuck is a store that reads, and whose every change fails.
type stuck struct {
	readable
	refusing
}

// readable keeps the changes of the real store one level further down.
type readable struct{ *sqlstore.Store }
