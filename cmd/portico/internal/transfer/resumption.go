package transfer

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"
)

// resumption is what is noted of an upload in a file beside the one that is
// uploaded, so that another run can go on with it.
type resumption struct {
	Server    string    `json:"server"`
	Project   string    `json:"project"`
	Folder    string    `json:"folder"`
	Name      string    `json:"name"`
	Size      int64     `json:"size"`
	Modified  time.Time `json:"modified"`
	PartSize  int64     `json:"part_size"`
	Key       string    `json:"key"` // that requests of this upload are known by when they come twice
	Object    string    `json:"object,omitempty"`
	UploadKey string    `json:"upload_key,omitempty"`

	path string
}

// resume returns what is noted of the upload, or the beginning of another.
func (c *Client) resume(u Upload, info fs.FileInfo) *resumption {
	path := beside(u.File, ".portico-upload")
	fresh := &resumption{
		Server: c.base.String(), Project: u.Project, Folder: u.Folder, Name: u.Name,
		Size: info.Size(), Modified: info.ModTime().UTC(), PartSize: partSize(u.PartSize, info.Size()),
		Key: c.ambient.UID(), path: path,
	}
	text, err := readOwn(path)
	noted := resumption{path: path}
	if err != nil || json.Unmarshal(text, &noted) != nil || !noted.fits(fresh) {
		return fresh
	}
	return &noted
}

// fits reports whether both are of the same upload.
func (r *resumption) fits(other *resumption) bool {
	a, b := *r, *other
	a.Key, a.Object, a.UploadKey = b.Key, b.Object, b.UploadKey
	return a == b && r.Key != ""
}

// keep notes it. An upload goes on without when that is not possible.
func (r *resumption) keep() error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return writeWhole(r.path, text)
}

func (r *resumption) forget() error {
	if err := os.Remove(r.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
