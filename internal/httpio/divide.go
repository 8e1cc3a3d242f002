package httpio

import (
	"net/http"
	"strings"
	"sync"
)

// divided serves paths by what they begin with. gorilla/mux tries one route after
// the other, each by a regular expression that is compiled when the route is
// added: here a request is only held against routes that begin as its path does,
// and a server that starts compiles nothing.
type divided map[string]func() http.Handler // by beginning; "" is there

// deepest is how many segments a beginning has at most.
const deepest = 3

// divide divides what has the beginnings. serve makes what serves all that may
// match a path whose longest known beginning is the given one; it is called once
// for each, when the first such path comes.
func divide(beginnings []string, serve func(longest string) http.Handler) divided {
	d := divided{"": sync.OnceValue(func() http.Handler { return serve("") })}
	for _, whole := range beginnings {
		for part := range partsOf(whole) {
			if d[part] == nil {
				d[part] = sync.OnceValue(func() http.Handler { return serve(part) })
			}
		}
	}
	return d
}

// ServeHTTP implements http.Handler.
func (d divided) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	longest := ""
	for part := range partsOf(r.URL.EscapedPath()) {
		if d[part] == nil {
			break
		}
		longest = part
	}
	d[longest]().ServeHTTP(w, r)
}

// beginningOf returns the segments of a template before the first that has a
// variable, as many as count.
func beginningOf(template string) (beginning string) {
	for part := range partsOf(template) {
		if strings.Contains(part, "{") {
			break
		}
		beginning = part
	}
	return beginning
}

// partsOf yields the path's first segment, its first two and so on, as many as count.
func partsOf(path string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		end := 0
		for range deepest {
			if end >= len(path) || path[end] != '/' {
				return
			}
			if next := strings.IndexByte(path[end+1:], '/'); next >= 0 {
				end += 1 + next
			} else {
				end = len(path)
			}
			if !yield(path[:end]) {
				return
			}
		}
	}
}

// within reports whether the path is the beginning, or goes on from it with a segment.
func within(beginning, path string) bool { return strings.HasPrefix(path+"/", beginning+"/") }
