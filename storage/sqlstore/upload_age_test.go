package sqlstore_test

import (
	"testing"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
	"github.com/portico-id/portico/storage/storagetest"
)

// What is remembered of people and tokens would be forgotten with each part of each file.
//
// Rule: OBJ-60
func TestWhatIsUploadedHasNothingForgottenThatWasReadBefore(t *testing.T) {
	w := storagetest.NewTree(t, onPostgres())
	w.Must(w.Data.SetLimits(w.Ctx(), w.Change(), w.Project.ID, storage.Limits{Quota: 10}))
	age := w.Data.(*sqlstore.Store).Age()
	object := storage.Object{Bucket: "b", Key: "key", ProjectID: w.Project.ID, Name: "name",
		Target: storage.ObjectTarget{FolderID: w.Files.ID}}
	w.Must(w.Data.ReserveObject(w.Ctx(), w.Change(), object))
	w.Must(w.Data.BeginUpload(w.Ctx(), w.Change(), storage.Upload{ID: "one", Bucket: "b", Key: "key", Reference: "ref",
		ExpiresAt: w.Now().Add(time.Hour)}))
	w.Must(w.Data.HoldBytes(w.Ctx(), "one", 8))
	w.Must(w.Data.HoldBytes(w.Ctx(), "one", -3))
	_, err := w.Data.StoreBytes(w.Ctx(), w.Change(), "b", "key", storage.Bytes{Blob: "one", Size: 5, SHA256: []byte{1}})
	w.Must(err)
	w.Equal(age, w.Data.(*sqlstore.Store).Age())
}
