package provider

import (
	"context"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// oneClient is a database with one client.
type oneClient struct {
	storage.ClientStore
	is storage.Client
}

func (o *oneClient) FindClient(context.Context, string) (storage.Client, error) { return o.is, nil }

// Rule: SERVER-53
func TestAClientThatIsDisabledIsSoThoughTheClockWasPutRight(t *testing.T) {
	source, clock := ambient.Fixed(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), 1)
	store := &oneClient{is: storage.Client{ID: "app"}}
	cache := newClientCache(store, source, time.Second, func(string) bool { return true })
	clock.Step(time.Hour)
	if _, err := cache.find(t.Context(), "app"); err != nil {
		t.Fatal(err)
	}
	clock.Step(-time.Hour)
	store.is.Disabled = true // by another server
	clock.Advance(2 * time.Second)
	if _, err := cache.find(t.Context(), "app"); !fault.Is(err, fault.NotFound) {
		t.Errorf("it counts: %v", err)
	}
}
