package transfer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Download is what to download and where to.
type Download struct {
	Project     string // id
	Version     string // URN of the version, or of an item, whose newest is meant
	Transmittal int    // its number; instead of a version

	Out   string // file or directory; empty: the working directory
	Force bool   // replace a file that is there
}

// Downloaded is what has become of it.
type Downloaded struct {
	File    string `json:"file"`
	Version string `json:"version"`
	Number  int    `json:"number"`
	Size    int64  `json:"size"`
	SHA256  string `json:"sha256"`
}

// source is where the bytes are to be had.
type source struct {
	URL    string
	Size   int64
	SHA256 string
}

// find returns what is to be downloaded, the path of its object, and a name for
// the file.
func (c *Client) find(ctx context.Context, d Download) (Downloaded, string, string, error) {
	path := "/data/v1/projects/" + url.PathEscape(d.Project) + "/versions/" + url.PathEscape(d.Version)
	if !strings.Contains(d.Version, "?version=") {
		path = "/data/v1/projects/" + url.PathEscape(d.Project) + "/items/" + url.PathEscape(d.Version) + "/tip"
	}
	var found struct{ Data resource }
	if err := c.call(ctx, http.MethodGet, path, nil, &found); err != nil {
		return Downloaded{}, "", "", err
	}
	object := found.Data.Relationships.Storage.Data.ID
	if !strings.Contains(object, objectMark) {
		return Downloaded{}, "", "", refusal("the version has no bytes")
	}
	return Downloaded{Version: found.Data.ID, Number: found.Data.Attributes.VersionNumber}, objectPath(object),
		safeName(found.Data.Attributes.Name), nil
}

// safeName is what a file may be called wherever the command runs.
func safeName(name string) string {
	name = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || strings.ContainsRune(`/\:*?"<>|`, c) {
			return '_'
		}
		return c
	}, name)
	if strings.Trim(name, ". ") == "" {
		return "download"
	}
	return shortened(name)
}

// Download downloads the bytes of the version into a file, which is there only
// when all of them are. Until then they are in a file beside it, whose name begins
// with a dot and has their hash.
func (c *Client) Download(ctx context.Context, d Download) (Downloaded, error) {
	got, object, name, err := c.find(ctx, d)
	if err != nil {
		return got, err
	}
	if got.File, err = destination(d, name); err != nil {
		return got, err
	}
	var from source
	if err := c.call(ctx, http.MethodGet, object+"/signeds3download?minutesExpiration=60", nil, &from); err != nil {
		return got, err
	}
	if sum, err := hex.DecodeString(from.SHA256); err != nil || len(sum) != sha256.Size { // it is in a file's name
		return got, refusal("the server does not say what the bytes must be")
	}
	got.Size, got.SHA256 = from.Size, from.SHA256
	part := beside(got.File, "."+from.SHA256[:16]+".part")
	again := func(ctx context.Context) (string, error) {
		var another source
		err := c.call(ctx, http.MethodGet, object+"/signeds3download?minutesExpiration=60", nil, &another)
		return another.URL, err
	}
	if err := c.fetch(ctx, from, part, again); err != nil {
		return got, err
	}
	return got, d.settle(part, got.File)
}

// settle gives what was downloaded its name. A file that has come there meanwhile stays, unless
// it is to be replaced: a link, other than a rename, never takes the place of a file.
func (d Download) settle(part, file string) error {
	if d.Force {
		return os.Rename(part, file)
	}
	switch err := os.Link(part, file); {
	case err == nil:
		return os.Remove(part)
	case errors.Is(err, fs.ErrExist):
		return isThere(file)
	}
	if _, err := os.Lstat(file); err == nil { // on a disk where files have one name
		return isThere(file)
	}
	return os.Rename(part, file)
}

func isThere(file string) error {
	return fmt.Errorf("%s is there already: name another file with --out, or replace it with --force", file)
}

// folder makes the folder that is named so, by its slash, where there is none yet.
func (d Download) folder() error {
	if d.Out == "" || !os.IsPathSeparator(d.Out[len(d.Out)-1]) {
		return nil
	}
	return os.MkdirAll(d.Out, 0o750)
}

func destination(d Download, name string) (string, error) {
	out := cmp.Or(d.Out, ".")
	if err := d.folder(); err != nil {
		return "", err
	}
	if info, err := os.Stat(out); err == nil && info.IsDir() {
		out = filepath.Join(out, name)
	}
	_, err := os.Stat(out)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && d.Force:
		return out, nil
	case err == nil:
		return "", isThere(out)
	}
	return "", err
}

// fetch brings all bytes into the part file and compares their hash, if the source
// has one. again asks for another address.
func (c *Client) fetch(ctx context.Context, from source, part string,
	again func(context.Context) (string, error)) error {
	file, err := openOwn(part)
	if err != nil {
		return err
	}
	defer file.Close()
	f := &fetching{Client: c, file: file, hash: sha256.New(), from: from, again: again}
	if err := f.takeUp(ctx); err != nil {
		return err
	}
	err = c.insist(ctx, func() (bool, error) {
		before := f.at
		err := f.read(ctx)
		return f.at > before, err
	})
	if err != nil {
		return err
	}
	if from.SHA256 != "" && hex.EncodeToString(f.hash.Sum(nil)) != from.SHA256 {
		return errors.Join(errors.New("the bytes that came are not those that were stored: run the command again"),
			os.Remove(part))
	}
	return errors.Join(file.Sync(), file.Close())
}

// fetching is the state of one download.
type fetching struct {
	*Client
	file  *os.File
	hash  hash.Hash
	again func(context.Context) (string, error)
	from  source
	at    int64
}

// takeUp reads what an earlier run has brought.
func (f *fetching) takeUp(ctx context.Context) error {
	n, err := io.CopyBuffer(f.hash, stoppable{ctx, io.LimitReader(f.file, f.from.Size)}, make([]byte, 256<<10))
	if err != nil {
		return err
	}
	f.at = n
	f.progress(f.at, f.from.Size)
	return f.file.Truncate(n)
}

// read reads from where the last try ended on. The address may have ended: each
// further try asks for another.
func (f *fetching) read(ctx context.Context) error {
	if f.at == f.from.Size {
		return nil
	}
	address := f.from.URL
	if f.from.URL = ""; address == "" {
		var err error
		if address, err = f.again(ctx); err != nil {
			return err
		}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Range", "bytes="+strconv.FormatInt(f.at, 10)+"-")
	response, err := f.http.Do(request)
	if err != nil {
		return &awayError{hidden(err), 0}
	}
	defer response.Body.Close()
	if begins := fmt.Sprintf("bytes %d-", f.at); response.StatusCode != http.StatusPartialContent ||
		!strings.HasPrefix(response.Header.Get("Content-Range"), begins) {
		answer, _ := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
		if response.StatusCode == http.StatusForbidden {
			return &awayError{failureOf(response, answer), 0}
		}
		return failureOf(response, answer)
	}
	return f.copy(response.Body)
}

// copy tells a broken connection, which is tried again, from a full disk.
func (f *fetching) copy(body io.Reader) error {
	buffer := make([]byte, 256<<10)
	for {
		n, err := body.Read(buffer)
		if n > 0 {
			if _, err := f.file.Write(buffer[:n]); err != nil {
				return err
			}
			f.hash.Write(buffer[:n])
			f.at += int64(n)
			f.progress(f.at, f.from.Size)
		}
		switch {
		case errors.Is(err, io.EOF) && f.at == f.from.Size:
			return nil
		case err != nil:
			return &awayError{err, 0}
		}
	}
}
