package webpage

import (
	"maps"
	"net/http"
	"net/url"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/templates"
)

// Rows is how many rows a page of a list has.
const Rows = 50

// List is what is asked of a list: its query, and a cursor to a page of it.
type List struct {
	url.Values
	After, Before string
	path          string
}

// ListOf reads what a request asks of the list at its path.
func ListOf(r *http.Request) (List, error) {
	query, err := httpio.ReadQuery(r)
	list := List{Values: url.Values{}, After: query.Get("after"), Before: query.Get("before"), path: r.URL.Path}
	for name, values := range query {
		if name != "after" && name != "before" && name != "done" {
			list.Values[name] = values
		}
	}
	return list, err
}

// Strays reports whether the cursor led nowhere: it is none, or what was there has
// gone. The list is shown from its beginning then.
func (l List) Strays(rows int, err error) bool {
	return l.After+l.Before != "" && (fault.Is(err, fault.Invalid) || err == nil && rows == 0)
}

// Begin sends the browser to the beginning of the list.
func (l List) Begin(w http.ResponseWriter, r *http.Request) error { return See(w, r, l.at("", "")) }

// Pager returns the ways to the pages before and after.
func (l List) Pager(previous, next string) templates.Pager {
	var pager templates.Pager
	if previous != "" {
		pager.PreviousURL = l.at("before", previous)
	}
	if next != "" {
		pager.NextURL = l.at("after", next)
	}
	return pager
}

func (l List) at(where, cursor string) string {
	query := url.Values{}
	maps.Copy(query, l.Values)
	if where != "" {
		query.Set(where, cursor)
	}
	return httpio.WithQuery(l.path, query.Encode())
}

// Search is the form that looks for something in the list, and narrows it to what
// is of the sorts that are ticked.
func (l List) Search(sorts ...templates.Option) templates.Search {
	search := templates.Search{Query: l.Get("q")}
	for _, sort := range sorts {
		sort.Chosen = l.Has(sort.Value)
		search.Sorts = append(search.Sorts, sort)
	}
	return search
}

// Only returns true where the list is narrowed to a sort, and nil, for no matter, where
// it isn't.
func (l List) Only(sort string) *bool {
	if !l.Has(sort) {
		return nil
	}
	return new(true)
}
