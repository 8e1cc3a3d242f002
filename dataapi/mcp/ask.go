package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/httpio"
)

// asker asks the data API in the name of whoever made a request.
type asker struct {
	api  http.Handler
	base string
	of   *http.Request // with the caller in its context; what is asked ends with it
}

// answer keeps the beginning of what the API answers.
type answer struct {
	status int
	header http.Header
	body   bytes.Buffer
}

// maxAnswer is how many bytes of an answer are kept: more than a page has.
const maxAnswer = 4 << 20

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(part []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if left := maxAnswer - a.body.Len(); left < len(part) {
		return 0, errors.New("the answer is too large")
	}
	return a.body.Write(part)
}

// get asks for an address below the base.
func (a asker) get(ctx context.Context, address string, header http.Header) (*answer, error) {
	exchange := *httpio.From(a.of.Context())
	ctx, end := context.WithCancel(httpio.With(ctx, &exchange))
	defer end()
	defer context.AfterFunc(a.of.Context(), end)()
	caller, _ := bearer.From(a.of.Context())
	r, err := http.NewRequestWithContext(bearer.With(ctx, caller), http.MethodGet, a.base+address, http.NoBody)
	if err != nil {
		return nil, err
	}
	if user := a.of.Header.Values(access.UserHeader); user != nil {
		r.Header[access.UserHeader] = user // an app sees what they may, and no more
	}
	maps.Copy(r.Header, header)
	got := &answer{header: http.Header{}}
	a.api.ServeHTTP(got, r)
	if got.status >= http.StatusBadRequest {
		return nil, got.failure()
	}
	return got, nil
}

// failure is what the API says is wrong, for the assistant to read.
func (a *answer) failure() error {
	var said struct {
		Detail string `json:"detail"`
		Reason string `json:"reason"`
		Errors []struct{ Detail string }
	}
	_ = json.Unmarshal(a.body.Bytes(), &said)
	switch {
	case len(said.Errors) > 0 && said.Errors[0].Detail != "":
		return errors.New(said.Errors[0].Detail)
	case said.Detail != "":
		return errors.New(said.Detail)
	case said.Reason != "":
		return errors.New(said.Reason)
	}
	return errors.New(http.StatusText(a.status))
}

// document is a JSON:API document as far as tools need it.
type document struct {
	Data  json.RawMessage
	Links struct{ Next struct{ Href string } }
	Meta  struct{ Cursor string }
}

// resource is one thing in it.
type resource struct {
	Type          string
	ID            string
	Attributes    map[string]any
	Relationships map[string]struct {
		Data json.RawMessage
		Meta struct{ Link struct{ Href string } }
	}
}

func (a asker) document(ctx context.Context, address string) (d document, err error) {
	got, err := a.get(ctx, address, http.Header{"Accept": {"application/vnd.api+json"}})
	if err != nil {
		return d, err
	}
	return d, json.Unmarshal(got.body.Bytes(), &d)
}

// one asks for one thing.
func (a asker) one(ctx context.Context, address string) (r resource, err error) {
	d, err := a.document(ctx, address)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(d.Data, &r)
}

// list asks for a page of things; next is where the next one is.
func (a asker) list(ctx context.Context, address string) (all []resource, next string, err error) {
	d, err := a.document(ctx, address)
	if err != nil {
		return nil, "", err
	}
	return all, strings.TrimPrefix(d.Links.Next.Href, a.base), json.Unmarshal(d.Data, &all)
}

// path puts ids into an address.
func path(parts ...string) string {
	var address strings.Builder
	for i, part := range parts {
		if i%2 == 1 {
			part = url.PathEscape(part)
		}
		address.WriteString(part)
	}
	return address.String()
}

// query is a parameter behind an address; nothing where it has no value.
func query(name, value string) string {
	if value == "" {
		return ""
	}
	return "?" + url.Values{name: {value}}.Encode()
}
