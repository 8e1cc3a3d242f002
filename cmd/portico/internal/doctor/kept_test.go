package doctor

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage/blobstore"
)

// oneWay takes bytes and gives none back, as a key does that may only write.
type oneWay struct{ blobstore.Store }

func (oneWay) Open(context.Context, string, int64, int64) (io.ReadCloser, error) {
	return nil, errors.New("may not be read")
}

// Rule: DOCTOR-2
func TestTheDoctorTakesAwayWhatItCannotReadBack(t *testing.T) {
	source := ambient.System()
	files, err := blobstore.OpenFiles(t.TempDir(), source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	found := blobs(t.Context(), Patient{Ambient: source, Bytes: t.TempDir(),
		Blobs: func() (blobstore.Store, error) { return oneWay{files}, nil }})
	if len(found) != 1 || found[0].State != Ill || !strings.Contains(found[0].Says, "may not be read") {
		t.Errorf("%+v", found)
	}
	if left, err := files.List(t.Context(), "", 10); err != nil || len(left) > 0 {
		t.Errorf("%+v are left, %v", left, err)
	}
}
