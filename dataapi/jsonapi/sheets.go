package jsonapi

import (
	"net/http"
	"sync"
)

// Sheets are what long lists were written on, for those that follow: a list takes a megabyte,
// which would have to be cleared before and collected after.
type Sheets struct{ used sync.Pool }

// WriteDocument is the function of that name. A sheet is not used again unless all of it was
// sent: of a stream that its client gave up a part may be on its way still.
func (s *Sheets) WriteDocument(w http.ResponseWriter, r *http.Request, q Query, d Document) error {
	sheet, _ := s.used.Get().(*[]byte)
	if sheet == nil {
		sheet = new([]byte)
	}
	body, err := d.encode(q, *sheet)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	if write(w, r, http.StatusOK, body) == nil {
		*sheet = body
		s.used.Put(sheet)
	}
	return nil
}
