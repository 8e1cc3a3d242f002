package administration

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/portico-id/portico/dataapi/webhooks"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
)

// leadingInside has a webhook whose name leads into the server's network.
type leadingInside struct{ storage.WebhookStore }

const insideURL = "https://db.internal.test/hook"

func (leadingInside) CreateWebhook(context.Context, storage.Change, storage.Webhook) error {
	return nil
}

func (leadingInside) FindWebhook(context.Context, string, string) (storage.Webhook, error) {
	return storage.Webhook{}, nil
}

func (leadingInside) ListDeliveries(context.Context, string, storage.PageRequest) ([]storage.WebhookDelivery, string,
	error) {
	d := storage.WebhookDelivery{URL: insideURL}
	d.Failure = "The URL leads to 10.0.0.7, which this server does not call."
	return []storage.WebhookDelivery{d}, "", nil
}

// Who administers a project could ask for the address of every name in the server's network.
//
// Rule: OUTBOUND-7
func TestAWebhookTellsWhatNamesMeanToAdministratorsOfTheServerAlone(t *testing.T) {
	ring, err := sealing.New([]byte(strings.Repeat("k", 32)), nil, ambient.System())
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	client := outbound.New(outbound.Options{Resolve: func(context.Context, string) ([]netip.Addr, error) {
		asked++
		return []netip.Addr{netip.MustParseAddr("10.0.0.7")}, nil
	}})
	api := &API{rules: New(Options{}), hooks: webhooks.New(webhooks.Options{Store: leadingInside{},
		Ambient: ambient.System(), Ring: ring, Outbound: client})}
	for _, server := range []bool{false, true} {
		e := errand{who: Caller{UserID: "U", Server: server}}
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"url":"`+insideURL+`"}`))
		r.Header.Set("Content-Type", "application/json")
		err := api.createWebhook(httptest.NewRecorder(), r, e)
		if server != (asked > 0) || server != (err != nil && strings.Contains(fault.From(err).Detail, "10.0.0.7")) {
			t.Errorf("administers the server %v: %d names were looked up, %v", server, asked, err)
		}
		log := httptest.NewRecorder()
		err = api.listDeliveries(log, httptest.NewRequest(http.MethodGet, "/", http.NoBody), e, "hook")
		if err != nil || server != strings.Contains(log.Body.String(), "10.0.0.7") ||
			!strings.Contains(log.Body.String(), "does not call") {
			t.Errorf("administers the server %v: %s, %v", server, log.Body, err)
		}
	}
}
