package transfer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// Upload is what to upload and where to.
type Upload struct {
	File    string
	Project string // id
	Folder  string // URN of the folder that the file is to lie in
	Name    string // of the file there; empty: its own

	PartSize int64 // bytes, at least MinPart; 0: by the size of the file
}

// Uploaded is what has become of it.
type Uploaded struct {
	Item    string `json:"item"`
	Version string `json:"version"`
	Number  int    `json:"number"`
	Name    string `json:"name"`
	Object  string `json:"object"`
	Size    int64  `json:"size"`
	SHA256  string `json:"sha256"`
}

// Upload uploads the file and makes an item of it or, where the folder has one
// with the name, its next version.
func (c *Client) Upload(ctx context.Context, u Upload) (Uploaded, error) {
	file, err := os.Open(u.File)
	if err != nil {
		return Uploaded{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return Uploaded{}, err
	}
	if !info.Mode().IsRegular() {
		return Uploaded{}, fmt.Errorf("%s is no file", u.File)
	}
	u.Name = cmp.Or(u.Name, filepath.Base(u.File))
	r := c.resume(u, info)
	stored, err := c.store(ctx, file, r)
	if hasCode(err, "object_not_found", "upload_not_found", "upload_ended") {
		// What was begun long ago has been cleared away: from the beginning.
		c.note("The server knows nothing of this upload any more. It begins anew.")
		r.Key, r.Object, r.UploadKey = c.ambient.UID(), "", ""
		stored, err = c.store(ctx, file, r)
	}
	if err != nil {
		return Uploaded{}, err
	}
	made, err := c.place(ctx, r)
	if err != nil {
		return Uploaded{}, err
	}
	made.Object, made.Size, made.SHA256 = r.Object, stored.Size, stored.SHA256
	return made, r.forget()
}

// completed is the answer to a completion: the object, or what is wrong.
type completed struct {
	Size   int64
	SHA256 string
	Status string
	Reason string
}

// store brings the bytes of the file to the server, as far as they are not
// there.
func (c *Client) store(ctx context.Context, file *os.File, r *resumption) (stored struct {
	Size   int64
	SHA256 string
}, err error) {
	if err := c.reserve(ctx, r); err != nil {
		return stored, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	sum := sumInBackground(ctx, file, r.Size)
	// Whoever was interrupted while the server made the parts one finds the upload ended: the
	// completion tells whether it has them.
	if err := c.sendParts(ctx, file, r); err != nil && !hasCode(err, "object_stored", "upload_ended") {
		return stored, err
	}
	whole := <-sum
	if whole.err != nil {
		return stored, whole.err
	}
	var answer completed
	err = c.call(ctx, http.MethodPost, objectPath(r.Object)+"/signeds3upload", map[string]any{
		"uploadKey": r.UploadKey, "size": r.Size, "sha256": whole.hex,
	}, &answer)
	if hasCode(err, "checksum_mismatch") {
		_ = r.forget()
		return stored, fmt.Errorf("the bytes did not arrive as they are: %w Run the command again", err)
	}
	if err == nil && answer.Status == "error" {
		err = fmt.Errorf("the server can't complete the upload (%s): run the command again", answer.Reason)
	}
	stored.Size, stored.SHA256 = answer.Size, answer.SHA256
	return stored, err
}

// reserve makes the object, unless that was done.
func (c *Client) reserve(ctx context.Context, r *resumption) error {
	if r.Object != "" {
		return nil
	}
	var made struct{ Data struct{ ID string } }
	err := c.call(ctx, http.MethodPost, "/data/v1/projects/"+url.PathEscape(r.Project)+"/storage",
		document{"data": document{
			"type": "objects", "attributes": document{"name": r.Name},
			"relationships": document{"target": leads("folders", r.Folder)},
		}}, &made, "Idempotency-Key", r.Key+"-o")
	if err != nil {
		return err
	}
	if !strings.Contains(made.Data.ID, objectMark) {
		return refusal("the server's answer can't be read: %q is no object", made.Data.ID)
	}
	r.Object = made.Data.ID
	return c.keep(r)
}

// keep notes how far the upload has come. It goes on without.
func (c *Client) keep(r *resumption) error {
	if err := r.keep(); err != nil {
		c.note("This upload can't go on after an interruption: " + err.Error())
	}
	return nil
}

type document = map[string]any

func leads(kind, id string) document { return document{"data": document{"type": kind, "id": id}} }

// objectMark stands before bucket and key in the URN of an object.
const objectMark = "os.object:"

func objectPath(urn string) string {
	_, rest, _ := strings.Cut(urn, objectMark)
	bucket, key, _ := strings.Cut(rest, "/")
	return "/oss/v2/buckets/" + url.PathEscape(bucket) + "/objects/" + url.PathEscape(key)
}

// sum is a SHA-256 in hex digits.
type sum struct {
	hex string
	err error
}

// sumInBackground reads the file beside whoever sends it.
func sumInBackground(ctx context.Context, file *os.File, size int64) <-chan sum {
	done := make(chan sum, 1)
	go func() {
		hash := sha256.New()
		n, err := io.CopyBuffer(hash, stoppable{ctx, io.NewSectionReader(file, 0, size)}, make([]byte, 256<<10))
		if err == nil && n != size {
			err = changed(file.Name())
		}
		done <- sum{hex.EncodeToString(hash.Sum(nil)), err}
	}()
	return done
}

func changed(name string) error {
	return refusal("%s was changed while it was uploaded: run the command again", name)
}

// stoppable ends with the context.
type stoppable struct {
	ctx  context.Context
	from io.Reader
}

func (s stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.from.Read(p)
}
