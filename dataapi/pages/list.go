package pages

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

const (
	rows        = 100
	cursorLabel = "files page cursor"
	maxNumber   = 1_000_000
)

// list is a page of a list: where it begins is sealed, for that may be at
// something that the person can't see.
type list struct {
	desk   *Desk
	path   string
	number int // 0-based
	after  string
}

func (d *Desk) list(r *http.Request) (list, error) {
	l := list{desk: d, path: r.URL.Path}
	query, err := httpio.ReadQuery(r)
	if err != nil {
		return l, err
	}
	astray := fault.New(fault.Invalid, "malformed_cursor", "This address leads to no page of the list.")
	if text := query.Get("page"); text != "" {
		if l.number, err = strconv.Atoi(text); err != nil || l.number < 0 || l.number > maxNumber {
			return l, astray
		}
	}
	if text := query.Get("after"); text != "" {
		after, ok := d.pager.OpenCursor(cursorLabel, text, l.path)
		if !ok {
			return l, astray
		}
		l.after = string(after)
	}
	return l, nil
}

func (l list) page() storage.DataPage {
	return storage.DataPage{After: l.after, Number: l.number, Limit: rows}
}

// pager returns the ways to the pages before and after; next is the store's
// cursor, empty on the last page.
func (l list) pager(next string) templates.Pager {
	var p templates.Pager
	if l.number > 0 {
		p.PreviousURL = l.at(l.number-1, "")
	}
	if next != "" {
		p.NextURL = l.at(l.number+1, l.desk.pager.Cursor(cursorLabel, []byte(next), l.path))
	}
	return p
}

func (l list) at(number int, cursor string) string {
	query := url.Values{}
	if number > 0 {
		query.Set("page", strconv.Itoa(number))
	}
	if cursor != "" {
		query.Set("after", cursor)
	}
	if len(query) == 0 {
		return l.path
	}
	return l.path + "?" + query.Encode()
}
