package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

const (
	// fileSize is how large a small file is, in bytes.
	fileSize = 20_000

	// writers is how many bring small files at once, whatever the pace of the rest.
	writers = 8
)

func fileName(n int64) string { return fmt.Sprintf("File %06d.txt", n) }

// content is that of the file with the name, and of no other.
func content(name string) []byte { return []byte(strings.Repeat(name+"\n", fileSize)[:fileSize]) }

// bring uploads a small file by the five calls: a place, an address, the bytes, the
// completion, the item.
func (v *visit) bring(ctx context.Context, client *http.Client) error {
	_, err := v.bringInto(ctx, client, v.arrivals)
	return err
}

// bringInto returns the path of the file's object.
func (v *visit) bringInto(ctx context.Context, client *http.Client, folder string) (string, error) {
	name := fileName(v.arrived.Add(1))
	var place struct{ Data struct{ ID string } }
	err := v.call(ctx, client, http.MethodPost, v.in("storage"), document{"data": document{
		"type": "objects", "attributes": document{"name": name},
		"relationships": document{"target": leads("folders", folder)},
	}}, &place)
	if err != nil {
		return "", err
	}
	path := objectPath(place.Data.ID)
	if err := v.fill(ctx, client, path, content(name)); err != nil {
		return "", err
	}
	return path, v.call(ctx, client, http.MethodPost, v.in("items"), document{
		"data": document{"type": "items", "attributes": document{"displayName": name},
			"relationships": document{"tip": leads("versions", "1"), "parent": leads("folders", folder)}},
		"included": []any{document{"type": "versions", "id": "1", "attributes": document{"name": name},
			"relationships": document{"storage": leads("objects", place.Data.ID)}}},
	}, nil)
}

// fill gives an object its bytes.
func (v *visit) fill(ctx context.Context, client *http.Client, path string, bytes []byte) error {
	var to struct {
		UploadKey string
		URLs      []string
	}
	if err := v.call(ctx, client, http.MethodGet, path+"/signeds3upload", nil, &to); err != nil {
		return err
	}
	if len(to.URLs) != 1 {
		return errors.New("there is no address for the bytes")
	}
	if _, err := send(ctx, client, http.MethodPut, to.URLs[0], bytes); err != nil {
		return err
	}
	return v.call(ctx, client, http.MethodPost, path+"/signeds3upload",
		document{"uploadKey": to.UploadKey, "size": len(bytes)}, nil)
}

func objectPath(urn string) string {
	_, rest, _ := strings.Cut(urn, "os.object:")
	bucket, key, _ := strings.Cut(rest, "/")
	return "/oss/v2/buckets/" + url.PathEscape(bucket) + "/objects/" + url.PathEscape(key)
}

// take downloads a small file: an address, and what is there.
func (v *visit) take(ctx context.Context, client *http.Client) error {
	var from struct{ URL string }
	if err := v.call(ctx, client, http.MethodGet, v.object+"/signeds3download", nil, &from); err != nil {
		return err
	}
	got, err := send(ctx, client, http.MethodGet, from.URL, nil)
	if err == nil && len(got) != fileSize {
		err = fmt.Errorf("%d bytes came", len(got))
	}
	return err
}
