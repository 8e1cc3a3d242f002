package ground

import (
	"net/http"
	"net/url"

	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

const (
	onwardRows  = 100
	onwardLabel = "page onward cursor"
)

// Onward is the part of a list that the address asks for, of those that only go on (see
// List for those that are narrowed, and go back). A cursor is of its list's address alone.
func (g *Ground) Onward(r *http.Request) (storage.PageRequest, error) {
	page := storage.PageRequest{Limit: onwardRows}
	query, err := httpio.ReadQuery(r)
	if err != nil || query.Get("after") == "" {
		return page, err
	}
	after, ok := g.Pager.OpenCursor(onwardLabel, query.Get("after"), r.URL.Path)
	if !ok {
		return page, Astray()
	}
	page.After = string(after)
	return page, nil
}

// Strays reports whether the part lies behind the end of the list, since what stood there is
// gone: the list itself, to whose beginning Afresh leads, may have much in it.
func Strays(page storage.PageRequest, rows int) bool { return rows == 0 && page.After != "" }

// Afresh sends the browser to the beginning of such a list.
func Afresh(w http.ResponseWriter, r *http.Request) error {
	return webpage.See(w, r, r.URL.EscapedPath())
}

// Ways is the way on to what comes after a part of such a list; next is empty at its end.
func (g *Ground) Ways(r *http.Request, next string) templates.Pager {
	if next == "" {
		return templates.Pager{}
	}
	return templates.Pager{NextURL: r.URL.Path + "?" +
		url.Values{"after": {g.Pager.Cursor(onwardLabel, []byte(next), r.URL.Path)}}.Encode()}
}
