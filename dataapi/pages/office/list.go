package office

import (
	"cmp"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/templates"
)

// shownRows are as many rows as a page shows.
const shownRows = 100

// list shows a list, or the part of it that the address names: see part.
func (d *Desk) list(w http.ResponseWriter, r *http.Request, list templates.ListingPage) error {
	return d.listed(w, r, http.StatusOK, list)
}

// again shows a list whose form could not be carried out.
func (d *Desk) again(w http.ResponseWriter, r *http.Request, list templates.ListingPage, err error) error {
	if !d.Mark(r.Context(), &list.Form, err) {
		return err
	}
	return d.listed(w, r, webpage.Marked(w.Header(), err), list)
}

func (d *Desk) listed(w http.ResponseWriter, r *http.Request, status int, list templates.ListingPage) error {
	list.Desk = d.Desk(r)
	list = part(list, r.URL)
	return d.Send(w, status, func(out io.Writer) error { return d.Pages.Listing(out, list) })
}

// part is the page of a list that the address names: of the rows whose names have what
// q says, in the spelling of searches, those of page p, counted from 0. A short list
// that nobody searches stays as it is. A page behind the last one is the last.
func part(list templates.ListingPage, at *url.URL) templates.ListingPage {
	asked := at.Query()
	asked.Del("done") // was done once, and not on each page
	list.Query = looksFor(asked)
	list.Finds = list.Finds || list.Query != "" || len(list.Rows) > shownRows
	if wanted := textkey.Search(list.Query); wanted != "" {
		list.Rows = slices.DeleteFunc(slices.Clone(list.Rows), func(row templates.Listed) bool {
			return !strings.Contains(textkey.Search(row.Name), wanted)
		})
	}
	last := max(0, (len(list.Rows)-1)/shownRows)
	number, err := strconv.Atoi(asked.Get("p"))
	if number = min(max(number, 0), last); err != nil {
		number = 0
	}
	to := func(number int) string {
		asked.Set("p", strconv.Itoa(number))
		return at.EscapedPath() + "?" + asked.Encode()
	}
	if number > 0 {
		list.PreviousURL = to(number - 1)
	}
	if number < last {
		list.NextURL = to(number + 1)
	}
	list.Rows = list.Rows[min(number*shownRows, len(list.Rows)):min((number+1)*shownRows, len(list.Rows))]
	return list
}

// looksFor is the part of a name that an address looks for.
func looksFor(asked url.Values) string { return strings.TrimSpace(asked.Get("q")) }

// byName puts rows of people and groups into the order of their names. Ids stay beside
// those names alone that several have.
func byName(rows []templates.Listed) {
	slices.SortStableFunc(rows, func(a, b templates.Listed) int {
		return cmp.Compare(textkey.Search(a.Name), textkey.Search(b.Name))
	})
	called := map[string]int{}
	for _, row := range rows {
		called[row.Name]++
	}
	for i := range rows {
		if called[rows[i].Name] == 1 {
			rows[i].ID = ""
		}
	}
}
