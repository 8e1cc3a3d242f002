package catalogue_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/provider/catalogue"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

const client = "abcdefghijklmnopqrstuvwxyz234567"

func newCatalogue(t *testing.T) (*catalogue.Catalogue, storage.Act) {
	t.Helper()
	source, _ := ambient.Fixed(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), 1)
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	act := storage.Act{At: source.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}
	err = store.CreateClient(t.Context(), act, storage.Client{ID: client, Name: "Client", Type: storage.ClientService,
		CreatedAt: act.At, UpdatedAt: act.At})
	if err != nil {
		t.Fatal(err)
	}
	return catalogue.New(store, source), act
}

func good() catalogue.Change {
	return catalogue.Change{Resource: new("https://a.example.test/"), Scope: new("read write")}
}

// Rules: RES-13, RES-14
func TestWhatAResourceMayBe(t *testing.T) {
	c, act := newCatalogue(t)
	for field, change := range map[string]func(*catalogue.Change){
		"resource":                func(c *catalogue.Change) { c.Resource = new("a") },
		"resource, none":          func(c *catalogue.Change) { c.Resource = nil },
		"name":                    func(c *catalogue.Change) { c.Name = new(strings.Repeat("n", 101)) },
		"name, of lines":          func(c *catalogue.Change) { c.Name = new("a\nb") },
		"scope":                   func(c *catalogue.Change) { c.Scope = new("") },
		"scope, openid":           func(c *catalogue.Change) { c.Scope = new("read openid") },
		"scope, no token":         func(c *catalogue.Change) { c.Scope = new("re\"ad") },
		"default_scope, no token": func(c *catalogue.Change) { c.DefaultScope = new("re\"ad") },
		"default_scope":           func(c *catalogue.Change) { c.DefaultScope = new("other") },
		"clients":                 func(c *catalogue.Change) { c.Clients = &[]string{"nobody"} },
		"clients, many":           func(c *catalogue.Change) { c.Clients = new(slices.Repeat([]string{client}, 201)) },
		"client_id":               func(c *catalogue.Change) { c.ClientID = new("nobody") },
		"signing_alg":             func(c *catalogue.Change) { c.Algorithm = new("HS256") },
		"lifetime":                func(c *catalogue.Change) { c.Lifetime = new(86401) },
		"lifetime, none":          func(c *catalogue.Change) { c.Lifetime = new(-1) },
		"lifetime, beyond time":   func(c *catalogue.Change) { c.Lifetime = new(1<<55 + 600) }, // in nanoseconds: 600 s
		"max_age, beyond time":    func(c *catalogue.Change) { c.MaxAge = new(1<<55 + 60) },
		"acr":                     func(c *catalogue.Change) { c.ACR = new("gold") },
		"max_age":                 func(c *catalogue.Change) { c.MaxAge = new(-1) },
	} {
		bad := good()
		change(&bad)
		_, err := c.Create(t.Context(), act, bad)
		field, _, _ = strings.Cut(field, ",")
		if all := fault.All(err); len(all) != 1 || all[0].Kind != fault.Invalid || all[0].Source != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	whole := good()
	whole.DefaultScope, whole.Clients, whole.ClientID = new("read"), &[]string{client}, new(client)
	whole.Algorithm, whole.Lifetime, whole.ACR, whole.MaxAge = new("ES256"), new(86400),
		new(storage.ACRTwoFactors), new(60)
	made, err := c.Create(t.Context(), act, whole)
	if err != nil {
		t.Fatal(err)
	}
	want := catalogue.JSON{ID: made.ID, Resource: "https://a.example.test/", Name: "https://a.example.test/",
		Scope: "read write", DefaultScope: "read", Clients: []string{client}, ClientID: client, Algorithm: "ES256",
		Lifetime: 86400, ACR: storage.ACRTwoFactors, MaxAge: 60, CreatedAt: act.At, UpdatedAt: act.At}
	if diff := cmp.Diff(want, catalogue.NewJSON(made)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Rule: RES-13
func TestAResourceIsFoundAndChangedByItsAddress(t *testing.T) {
	c, act := newCatalogue(t)
	made, err := c.Create(t.Context(), act, good())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Create(t.Context(), act, good()); !fault.HasReason(err, storage.ReasonResourceTaken) {
		t.Errorf("again: %v", err)
	}
	found, err := c.Find(t.Context(), "HTTPS://a.example.test")
	if err != nil || found.ID != made.ID {
		t.Errorf("%+v, %v", found, err)
	}
	changed, err := c.Update(t.Context(), act, found.Identifier,
		catalogue.Change{Scope: new("write"), Disabled: new(true)})
	if err != nil || !changed.Disabled || !slices.Equal(changed.Scopes, []string{"write"}) {
		t.Errorf("%+v, %v", changed, err)
	}
	if err := c.Delete(t.Context(), act, found.Identifier); err != nil {
		t.Error(err)
	}
	if _, err := c.Find(t.Context(), found.Identifier); !fault.HasReason(err, catalogue.ReasonNoResource) {
		t.Errorf("deleted: %v", err)
	}
}
