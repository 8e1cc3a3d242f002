package ground

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

const (
	rows        = 100
	cursorLabel = "files page cursor"
	maxNumber   = 1_000_000
	maxKept     = 255 // characters of what narrows a list
)

// List is a page of a list: where it begins is sealed, for that may be at
// something that the person can't see.
type List struct {
	ground *Ground
	path   string
	kept   url.Values // what narrows the list, or orders it
	number int        // 0-based
	after  string
}

// List reads which page of a list is wanted, and the named parameters, which every page
// of it keeps.
func (g *Ground) List(r *http.Request, keeps ...string) (List, error) {
	l := List{ground: g, path: r.URL.Path, kept: url.Values{}}
	query, err := httpio.ReadQuery(r)
	if err != nil {
		return l, err
	}
	for _, name := range keeps {
		if text := query.Get(name); utf8.RuneCountInString(text) > maxKept {
			return l, fault.New(fault.Invalid, "query_too_long", "What is looked for has at most 255 characters.")
		} else if text != "" {
			l.kept.Set(name, text)
		}
	}
	if text := query.Get("page"); text != "" {
		if l.number, err = strconv.Atoi(text); err != nil || l.number < 0 || l.number > maxNumber {
			return l, Astray()
		}
	}
	if text := query.Get("after"); text != "" {
		after, ok := g.Pager.OpenCursor(cursorLabel, text, l.With("", ""))
		if !ok {
			return l, Astray()
		}
		l.after = string(after)
	}
	return l, nil
}

// Astray is said of an address that leads to no page.
func Astray() error {
	return fault.New(fault.Invalid, "malformed_cursor", "This address leads to no page of the list.")
}

// Kept is what the list is narrowed by under the name.
func (l List) Kept(name string) string { return l.kept.Get(name) }

// Narrowed reports whether any of the names narrows the list.
func (l List) Narrowed(names ...string) bool {
	return slices.ContainsFunc(names, l.kept.Has)
}

// With is the address of the first page with something else under a name; an empty value
// takes it out.
func (l List) With(name, value string) string {
	query := url.Values{}
	for kept := range l.kept {
		query.Set(kept, l.kept.Get(kept))
	}
	query.Set(name, value)
	return address(l.path, query)
}

// Page is what the store is asked for.
func (l List) Page() storage.DataPage {
	return storage.DataPage{After: l.after, Number: l.number, Limit: rows}
}

// Strays reports whether the page lies behind the end of the list: there was something
// once, perhaps. To say that the whole list is empty would be wrong; see Begin.
func (l List) Strays(rows int) bool { return rows == 0 && (l.number > 0 || l.after != "") }

// Begin sends the browser to the beginning of the list.
func (l List) Begin(w http.ResponseWriter, r *http.Request) error {
	return webpage.See(w, r, l.With("", ""))
}

// Ways returns the ways to the pages before and after; next is the store's
// cursor, empty on the last page.
func (l List) Ways(next string) templates.Pager {
	var p templates.Pager
	if l.number > 0 {
		p.PreviousURL = l.at(l.number-1, "")
	}
	if next != "" {
		p.NextURL = l.at(l.number+1, l.ground.Pager.Cursor(cursorLabel, []byte(next), l.With("", "")))
	}
	return p
}

func (l List) at(number int, cursor string) string {
	query := url.Values{"after": {cursor}}
	for kept := range l.kept {
		query.Set(kept, l.kept.Get(kept))
	}
	if number > 0 {
		query.Set("page", strconv.Itoa(number))
	}
	return address(l.path, query)
}

// address is a path with what of a query has a value.
func address(path string, query url.Values) string {
	for name := range query {
		if query.Get(name) == "" {
			query.Del(name)
		}
	}
	return httpio.WithQuery(path, query.Encode())
}
