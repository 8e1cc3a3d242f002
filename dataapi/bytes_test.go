package dataapi_test

import (
	"context"

	"github.com/portico-id/portico/storage"
)

func (f failing) FindObject(context.Context, string, string) (storage.Object, error) {
	return storage.Object{}, f.err
}

func (f failing) ListObjectItems(context.Context, string, storage.Object) ([]string, error) {
	return nil, f.err
}

func (f refusing) ReserveObject(context.Context, storage.Change, storage.Object) error { return f.err }
