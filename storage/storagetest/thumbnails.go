package storagetest

import "github.com/portico-id/portico/internal/fault"

func thumbnailChecks() []treeCheck {
	return []treeCheck{{"a small picture is kept with its object, in place of the one before", thumbnails}}
}

func thumbnails(w *Tree) {
	w.Object("k1")
	find := func() ([]byte, error) { return w.Data.FindThumbnail(w.Ctx(), "bucket", "k1") }
	_, err := find()
	w.Refused(err, fault.NotFound, "")
	for _, picture := range []string{"small", "smaller", ""} {
		w.Must(w.Data.KeepThumbnail(w.Ctx(), "bucket", "k1", []byte(picture)))
		got, err := find()
		w.Must(err)
		w.Equal(picture, string(got))
	}
	w.Must(w.Data.KeepThumbnail(w.Ctx(), "bucket", "k1", nil))
	w.Must(w.Data.KeepThumbnail(w.Ctx(), "bucket", "absent", []byte("small")))
	_, err = w.Data.FindThumbnail(w.Ctx(), "bucket", "absent")
	w.Refused(err, fault.NotFound, "")
}
