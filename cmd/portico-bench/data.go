package main

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

const (
	// copyingRow is no request.
	copyingRow = yardstickMark + "cp with a sync of each file)"

	// seldom is of how many requests one is made where it is far more work than a token.
	seldom = 10
)

// dataLoads returns what a Portico is asked about folders and files, by a person who
// was given the folder above. Their project is set up when the first is asked.
func dataLoads(ctx context.Context, s *server) []load {
	there := sync.OnceValues(func() (*visit, error) { return newVisit(ctx, s) })
	ready := func(int) error { _, err := there(); return err }
	get := func(path func(*visit) string) func(context.Context) (*http.Request, error) {
		return func(ctx context.Context) (*http.Request, error) {
			v, err := there()
			if err != nil {
				return nil, err
			}
			return s.get(path(v), v.token)(ctx)
		}
	}
	flow := func(act func(*visit, context.Context, *http.Client) error) func(context.Context, *http.Client) error {
		return func(ctx context.Context, client *http.Client) error {
			v, err := there()
			if err != nil {
				return err
			}
			return act(v, ctx, client)
		}
	}
	found := "/search?" + url.Values{"filter[displayName]-contains": {"e 0000"}, "page[limit]": {"10"}}.Encode()
	return []load{
		{of: s, name: "one folder", prepare: ready, request: get((*visit).folder)},
		{of: s, name: "contents of 200 items", prepare: ready, every: seldom,
			request: get(func(v *visit) string { return v.folder() + "/contents" })},
		{of: s, name: "search", prepare: ready, every: seldom,
			request: get(func(v *visit) string { return v.folder() + found })},
		{of: s, name: "download", prepare: ready, every: seldom, flow: flow((*visit).take)},
		{of: s, name: "upload", prepare: ready, every: seldom, clients: writers,
			flow: flow((*visit).bring)},
		copying(s),
	}
}

// copying is no request: it is how fast small files come to lie beside those of the server
// as cp writes them, one after the other and each with a sync.
func copying(s *server) load {
	var copied atomic.Int64
	return load{of: s, name: copyingRow, every: seldom, clients: 1,
		flow: func(context.Context, *http.Client) error {
			name := fileName(copied.Add(1))
			file, err := os.Create(filepath.Join(s.dir, name))
			if err != nil {
				return err
			}
			defer file.Close()
			if _, err := file.Write(content(name)); err != nil {
				return err
			}
			return file.Sync()
		}}
}
