package transfer

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// folderMark is in the URN of every folder.
const folderMark = ":fs.folder:"

// IsFolder reports whether a URN is that of a folder.
func IsFolder(urn string) bool { return strings.Contains(urn, folderMark) }

// Packed is what has become of a folder that was downloaded.
type Packed struct {
	File    string `json:"file"`
	Folder  string `json:"folder,omitempty"`
	Files   int    `json:"files"`
	Missing int    `json:"missing"`
	Size    int64  `json:"size"`
}

// made is an archive, as the server tells of it. It is kept beside the file until
// that is there, so that the same one goes on.
type made struct {
	URL     string `json:"url"`
	Name    string `json:"name"`
	Files   int    `json:"files"`
	Missing int    `json:"missing"`
	Size    int64  `json:"size"`
}

// DownloadFolder downloads what can be read in a folder, or of what was sent, as a ZIP file, which is
// there only when all of it is and its sums are right.
func (c *Client) DownloadFolder(ctx context.Context, d Download) (Packed, error) {
	if err := d.folder(); err != nil {
		return Packed{}, err
	}
	beside := d.Out
	if info, err := os.Stat(beside); err != nil || !info.IsDir() {
		beside = filepath.Dir(d.Out)
	}
	name := sha256.Sum256(fmt.Append(nil, d.Project, " ", d.Version, d.Transmittal))
	note := filepath.Join(beside, "."+hex.EncodeToString(name[:8])+".portico-archive")
	archive, err := c.archive(ctx, d, note)
	if err != nil {
		return Packed{}, err
	}
	got := Packed{Folder: d.Version, Files: archive.Files, Missing: archive.Missing, Size: archive.Size}
	if got.File, err = destination(d, safeName(archive.Name)); err != nil {
		return got, err
	}
	part := strings.TrimSuffix(note, "-archive") + ".part"
	err = c.fetch(ctx, source{URL: archive.URL, Size: archive.Size}, part,
		func(context.Context) (string, error) { return archive.URL, nil })
	if err == nil {
		err = check(part)
	}
	if refused := new(refusedError); errors.As(err, &refused) && refused.status == http.StatusGone {
		return got, errors.Join(err, os.Remove(note), os.Remove(part)) // the next run begins anew
	}
	if err == nil {
		err = d.settle(part, got.File)
	}
	if err != nil {
		return got, err
	}
	return got, os.Remove(note)
}

// archive returns the one of an earlier run, if that can still be had, or has
// another made.
func (c *Client) archive(ctx context.Context, d Download, note string) (made, error) {
	var archive made
	if text, err := readOwn(note); err == nil && json.Unmarshal(text, &archive) == nil {
		if there, err := c.there(ctx, archive); there || err != nil {
			return archive, err
		}
	}
	_ = os.Remove(strings.TrimSuffix(note, "-archive") + ".part")
	path, body := "/files/v1/projects/"+url.PathEscape(d.Project)+"/archives", any(map[string]string{"folder": d.Version})
	if d.Transmittal != 0 {
		path, body = sentPath(d.Project, d.Transmittal)+"/archive", nil
	}
	err := c.call(ctx, http.MethodPost, path, body, &archive, "Content-Type", "application/json")
	if err != nil {
		return archive, err
	}
	text, err := json.Marshal(archive)
	if err != nil {
		return archive, err
	}
	return archive, writeWhole(note, text)
}

// there reports whether an archive is still to be had from this server. One that is away does not
// say that it is not.
func (c *Client) there(ctx context.Context, archive made) (there bool, err error) {
	if !strings.HasPrefix(archive.URL, strings.TrimSuffix(c.base.String(), "/")+"/") {
		return false, nil
	}
	err = c.insist(ctx, func() (bool, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodHead, archive.URL, nil)
		if err != nil {
			return false, nil
		}
		response, err := c.http.Do(request)
		if err != nil {
			return false, &awayError{hidden(err), 0}
		}
		_ = response.Body.Close()
		if temporary(response.StatusCode) {
			return false, failureOf(response, nil)
		}
		there = response.StatusCode == http.StatusOK && response.ContentLength == archive.Size
		return false, nil
	})
	return there, err
}

// check reads a ZIP file and compares all sums.
func check(file string) error {
	archive, err := zip.OpenReader(file)
	if err != nil {
		return errors.Join(err, os.Remove(file))
	}
	defer archive.Close()
	for _, f := range archive.File {
		from, err := f.Open()
		if err == nil {
			_, err = io.Copy(io.Discard, from)
			err = errors.Join(err, from.Close())
		}
		if err != nil {
			return errors.Join(fmt.Errorf("%s did not arrive as it was stored: run the command again: %w", f.Name, err),
				os.Remove(file))
		}
	}
	return nil
}
