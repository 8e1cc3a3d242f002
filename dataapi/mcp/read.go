package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
)

// atOnce is how many bytes of a file are read at once.
const atOnce = 64 << 10

// text is a part of a file.
type text struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
	Text string `json:"text"`
	Next int64  `json:"next_offset,omitempty"` // 0: there is no more
}

func (a asker) readText(ctx context.Context, in ofVersion) (text, error) {
	version, err := a.one(ctx, path("/data/v1/projects/", in.Project, "/versions/", in.Version))
	if err != nil {
		return text{}, err
	}
	where, found := strings.CutPrefix(version.Relationships["storage"].Meta.Link.Href, a.base)
	if !found || where == "" {
		return text{}, errors.New("this version has no file")
	}
	name, _ := version.Attributes["name"].(string)
	size, _ := version.Attributes["storageSize"].(float64)
	part := text{Name: name, Size: int64(size)}
	if in.Offset < 0 || in.Offset >= part.Size {
		return part, nil
	}
	last := min(in.Offset+atOnce, part.Size) - 1
	got, err := a.get(ctx, where, http.Header{"Range": {fmt.Sprintf("bytes=%d-%d", in.Offset, last)}})
	if err != nil {
		return text{}, err
	}
	if got.status != http.StatusPartialContent && got.status != http.StatusOK {
		return text{}, errors.New("the file can't be read: " + strconv.Itoa(got.status))
	}
	whole := wholeRunes(got.body.Bytes(), last+1 == part.Size)
	if bytes.ContainsRune(whole, 0) || !utf8.Valid(whole) {
		return text{}, errors.New("this is no text file in UTF-8")
	}
	part.Text = string(whole)
	if end := in.Offset + int64(len(whole)); end < part.Size {
		part.Next = end
	}
	return part, nil
}

// wholeRunes leaves out the beginning of a letter at the end, unless it is the end.
func wholeRunes(part []byte, end bool) []byte {
	for cut := 1; !end && cut < utf8.UTFMax && cut < len(part); cut++ {
		if begins := part[len(part)-cut:]; utf8.RuneStart(begins[0]) && !utf8.FullRune(begins) {
			return part[:len(part)-cut]
		}
	}
	return part
}

// Bounds of what is told of changes.
const (
	mostChanges = 50
	mostPages   = 20
)

// changed is what has happened, and where to go on from.
type changed struct {
	Changes []thing `json:"changes"`
	Cursor  string  `json:"cursor"`
	More    bool    `json:"more,omitempty" jsonschema:"later ones have not been read: ask again with the cursor"`
	LeftOut int     `json:"left_out,omitempty" jsonschema:"how many before these were read and are not told"`
}

// changes reads on to the last ones, and tells those. Where there are very many it ends
// before, and says so: what was told would be taken for the last.
func (a asker) changes(ctx context.Context, in ofChanges) (changed, error) {
	where := path("/data/v1/projects/", in.Project, "/changes")
	told := changed{Changes: []thing{}, Cursor: in.Cursor}
	for range mostPages {
		d, err := a.document(ctx, where+query("cursor", told.Cursor))
		if err != nil {
			return told, err
		}
		var page []resource
		if err := json.Unmarshal(d.Data, &page); err != nil {
			return told, err
		}
		for _, r := range page {
			told.Changes = append(told.Changes, newThing(r))
		}
		left := max(0, len(told.Changes)-mostChanges)
		told.Changes, told.LeftOut = told.Changes[left:], told.LeftOut+left
		told.Cursor, told.More = d.Meta.Cursor, d.Links.Next.Href != ""
		if !told.More {
			break
		}
	}
	return told, nil
}
