package httpio

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Area is a part of what a server answers: its paths, below one prefix.
type Area struct {
	Prefix     string
	Routes     []Route
	WriteError ErrorWriter // for paths below the prefix and methods that it doesn't have; nil: the whole server's
}

// Route is one path with everything that is decided by path. Rates are not:
// they go by who calls, so the handlers count themselves.
type Route struct {
	Template string              // behind the area's prefix, as gorilla/mux reads it; variables stay percent-encoded
	Methods  map[string]Endpoint // what it answers; HEAD comes with GET, OPTIONS always
	Sites    Sites               // whose pages may read it
}

// Endpoint is what one method of a path does. Whoever guards it makes it, so
// that what is said of the token and what is asked of it can't differ.
type Endpoint struct {
	Handler http.Handler
	Scope   string // what the bearer token needs; empty: no token, or the handler decides
}

// Open is an endpoint that needs no token, or judges by itself.
func Open(writeError ErrorWriter, fn Handler) Endpoint {
	return Endpoint{Handler: Handle(writeError, fn)}
}

// Sites says which other sites' pages may read an answer.
type Sites int

// Who may read (decision C7). None of them lets cookies along.
const (
	NoSite          Sites = iota // pages and authorize
	RegisteredSites              // origins that a client has registered
	AnySite                      // discovery and keys, which hold nothing secret
)

// At begins the route of a template.
func At(template string) Route {
	return Route{Template: template, Methods: map[string]Endpoint{}}
}

// Shared begins a route that pages of registered sites may read.
func Shared(template string) Route { return At(template).For(RegisteredSites) }

// For lets pages of the sites read what the route answers.
func (r Route) For(sites Sites) Route {
	r.Sites = sites
	return r
}

func (r Route) on(method string, e Endpoint) Route {
	r.Methods[method] = e
	return r
}

// Get adds what the route answers to GET.
func (r Route) Get(e Endpoint) Route { return r.on(http.MethodGet, e) }

// Post adds what the route answers to POST.
func (r Route) Post(e Endpoint) Route { return r.on(http.MethodPost, e) }

// Put adds what the route answers to PUT.
func (r Route) Put(e Endpoint) Route { return r.on(http.MethodPut, e) }

// Patch adds what the route answers to PATCH.
func (r Route) Patch(e Endpoint) Route { return r.on(http.MethodPatch, e) }

// Delete adds what the route answers to DELETE.
func (r Route) Delete(e Endpoint) Route { return r.on(http.MethodDelete, e) }

// Allowed returns the methods that the route answers, sorted.
func (r Route) Allowed() []string {
	names := append(slices.Collect(maps.Keys(r.Methods)), http.MethodOptions)
	if _, ok := r.Methods[http.MethodGet]; ok {
		names = append(names, http.MethodHead)
	}
	slices.Sort(names)
	return names
}

// On adds what GET answers at the address of a form that is on the page of
// another route: the way there. The page's path begins the form's.
func (r Route) On(page string) Route {
	segments := strings.Count(page, "/") + 1
	return r.Get(Endpoint{Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		to := strings.Join(strings.Split(q.URL.EscapedPath(), "/")[:segments], "/")
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, q, WithQuery(to, q.URL.RawQuery), http.StatusSeeOther)
	})})
}
