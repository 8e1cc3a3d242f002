package httpio

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// spoken are areas whose routes answer with their template, and whose faults with a word.
func spoken() Router {
	says := func(word string) ErrorWriter {
		return func(w http.ResponseWriter, _ *http.Request, _ error) { _, _ = io.WriteString(w, word) }
	}
	routes := func(templates ...string) (all []Route) {
		for _, template := range templates {
			all = append(all, At(template).Get(Endpoint{Handler: http.HandlerFunc(
				func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, From(r.Context()).Route) })}))
		}
		return all
	}
	return Router{WriteError: says("nothing"), Areas: []Area{
		{Routes: routes("/", "/healthz", "/files/", "/files/{id}", "/files/new", "/files/{id}/{more}/edit",
			"/{any}/own")},
		{Prefix: "/data/v1", WriteError: says("no data"),
			Routes: routes("/hubs", "/hubs/{id}", "/hubs/{id}/projects/{p}", "/a/b/c/d")},
		{Prefix: "/data/v1/deep/down", WriteError: says("no depth"), Routes: routes("/{id}")},
		{Prefix: "/scim", Routes: routes("/v2/Users")},
		{Routes: routes("/data/v1/late", "/x/y/z/w/v/u")},
		{WriteError: says("no twins"), Routes: routes("/twins/{id}", "/{any}/twin")},
	}}
}

func TestAPathIsServedByTheFirstRouteThatFitsIt(t *testing.T) {
	handler := spoken().Handler()
	for path, want := range map[string]string{
		"/": "/", "/healthz": "/healthz", "/files/": "/files/", "/files/7": "/files/{id}",
		"/files/new":                 "/files/{id}", // the first of two
		"/files/new/draft/edit":      "/files/{id}/{more}/edit",
		"/files/own":                 "/files/{id}",
		"/nobody/own":                "/{any}/own",
		"/healthz/own":               "/{any}/own",
		"/data/own":                  "/{any}/own",
		"/data/v1/hubs":              "/data/v1/hubs",
		"/data/v1/hubs/b.1":          "/data/v1/hubs/{id}",
		"/data/v1/hubs/b%2F1":        "/data/v1/hubs/{id}", // an id with a slash is one segment
		"/data/v1/hubs/1/projects/2": "/data/v1/hubs/{id}/projects/{p}",
		"/data/v1/a/b/c/d":           "/data/v1/a/b/c/d",
		"/x/y/z/w/v/u":               "/x/y/z/w/v/u",
		"/scim/v2/Users":             "/scim/v2/Users",

		"": "nothing", "/nothing": "nothing", "/files": "nothing", "/files/7/8": "nothing", "//healthz": "nothing",
		"/healthz/": "nothing", "/%68ealthz": "nothing", "/x/y/z/w/v": "nothing", "/data": "nothing",
		"/data/v1x/hubs": "nothing",
		"/data/v1/":      "no data", "/data/v1": "no data", "/data/v1/hubs/1/2": "no data", "/data/v1/a/b/c": "no data",
		"/data/v1/late":        "no data", // the area before has it
		"/data/v1/deep/down/1": "no data", "/scim/v2/Groups": "nothing",
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.Path, r.URL.RawPath = path, ""
		if p, err := r.URL.Parse(path); err == nil && path != "" && path[:min(2, len(path))] != "//" {
			r.URL = p
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r.WithContext(With(r.Context(), &Exchange{})))
		if got := w.Body.String(); got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
}

// An area without a prefix has its own paths, and not those of everybody.
//
// Rule: TOKEN-11
func TestAFailureIsToldByTheAreaInWhichThePathLies(t *testing.T) {
	for path, want := range map[string]string{
		"/data/v1/hubs": "no data", "//data/v1/hubs": "no data", "/twins/1/2": "no twins", "/twins": "no twins",
		"/": "nothing", "/files/7": "nothing", "/nothing": "nothing", "/scim/v2/Users": "nothing", "/twinsome": "nothing",
	} {
		r, w := httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder()
		r.URL.Path = path
		if spoken().Failure(w, r, nil); w.Body.String() != want {
			t.Errorf("%s: %s, want %s", path, w.Body.String(), want)
		}
	}
}

func TestWhoeverComesFirstWaitsForNobody(t *testing.T) {
	handler := spoken().Handler()
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			r := httptest.NewRequest(http.MethodGet, "/data/v1/hubs", nil)
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r.WithContext(With(r.Context(), &Exchange{})))
			if w.Body.String() != "/data/v1/hubs" {
				t.Error(w.Body.String())
			}
		})
	}
	all.Wait()
}
