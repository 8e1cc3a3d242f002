package usage

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// Records are what was used, for those who look.
type Records struct {
	Store   storage.UsageStore
	Ambient *ambient.Source
}

// Find returns what was used by a client, or of the whole server (""), until now.
func (r Records) Find(ctx context.Context, clientID string, p Period) (Series, error) {
	return find(ctx, r.Store, clientID, p, r.Ambient.Now())
}

// Part is what a page at the path shows, of the period that its request names.
func (r Records) Part(request *http.Request, clientID, path string) (templates.Usage, error) {
	s, err := r.Asked(request, clientID)
	if err != nil {
		return templates.Usage{}, err
	}
	return view(s, path), nil
}

// Asked returns the period that a request of the API names.
func (r Records) Asked(request *http.Request, clientID string) (Series, error) {
	query, err := httpio.ReadQuery(request)
	if err != nil {
		return Series{}, err
	}
	p, err := ReadPeriod(query.Get("period"))
	if err != nil {
		return Series{}, err
	}
	return r.Find(request.Context(), clientID, p)
}
