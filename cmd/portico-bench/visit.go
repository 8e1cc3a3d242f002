package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
)

// visit is a person in a project of a Portico, of which they were given one folder.
type visit struct {
	at       *server
	token    string
	project  string
	full     string // URN of a folder in the one that is theirs, with a page of items
	arrivals string // of another, for what comes
	object   string // path of the bytes of an item
	arrived  atomic.Int64
}

// document is a JSON:API document, or a part of one.
type document = map[string]any

func idOf(one document) string { id, _ := one["id"].(string); return id }

func (v *visit) in(kind string) string { return "/data/v1/projects/" + v.project + "/" + kind }

// folder is the path of the full one.
func (v *visit) folder() string { return v.in("folders") + "/" + url.PathEscape(v.full) }

func leads(kind, id string) document { return document{"data": document{"type": kind, "id": id}} }

// call makes a request of the API and reads its answer into the value.
func (v *visit) call(ctx context.Context, client *http.Client, method, path string, body document, into any) error {
	var sent []byte
	if body != nil {
		var err error
		if sent, err = json.Marshal(body); err != nil {
			return err
		}
	}
	kind := "application/vnd.api+json"
	if strings.HasPrefix(path, "/oss/") {
		kind = "application/json"
	}
	got, err := send(ctx, client, method, v.at.url+path, sent, "Authorization", "Bearer "+v.token, "Content-Type", kind)
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(got, into)
}

// send sends a request and returns what came, if it is a success.
func send(ctx context.Context, client *http.Client, method, address string, body []byte,
	header ...string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	got, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("%s %s: status %d: %s", method, address, response.StatusCode, got)
	}
	return got, err
}
