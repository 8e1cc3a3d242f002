package apps_test

import (
	"bytes"
	"crypto/sha256"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// house is Apps over a SQLite file of its own.
type house struct {
	apps    *apps.Apps
	store   *sqlstore.Store
	ambient *ambient.Source
}

func newHouse(t *testing.T) *house {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	source, _ := ambient.Fixed(time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC), 1)
	return &house{apps.New(apps.Options{Store: store, Ambient: source}), store, source}
}

func (h *house) act() storage.Act {
	return storage.Act{At: h.ambient.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}
}

func (h *house) byDeveloper() storage.Act {
	return storage.Act{At: h.ambient.Now(), Actor: storage.Actor{Kind: storage.ActorUser, ID: "DEVELOPER"}}
}

func (h *house) create(t *testing.T, registration apps.Registration) apps.Created {
	t.Helper()
	created, err := h.apps.Create(t.Context(), h.act(), registration)
	if err != nil {
		t.Fatal(err)
	}
	return created
}

func (h *house) find(t *testing.T, id string) storage.Client {
	t.Helper()
	client, err := h.apps.Find(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func webApp() apps.Registration {
	return apps.Registration{Name: "Web app", Type: storage.ClientWeb,
		RedirectURIs: []string{"https://app.example.test/cb"}}
}

func service() apps.Registration {
	return apps.Registration{Name: "Service", Type: storage.ClientService}
}

// Rule: CLIENT-3
func TestAConfidentialClientGetsASecretOnceAndAPublicOneNone(t *testing.T) {
	h := newHouse(t)
	for clientType, confidential := range map[storage.ClientType]bool{storage.ClientWeb: true,
		storage.ClientService: true, storage.ClientNative: false, storage.ClientSPA: false} {
		registration := apps.Registration{Name: "App", Type: clientType,
			RedirectURIs: []string{"https://app.example.test/cb"}}
		if clientType == storage.ClientService {
			registration.RedirectURIs = nil
		}
		created := h.create(t, registration)
		if len(created.Client.ID) != 32 || (len(created.Secret) == 43) != confidential ||
			(created.Secret == "") == confidential {
			t.Errorf("%s: id %q, secret of %d characters", clientType, created.Client.ID, len(created.Secret))
		}
		kept := h.find(t, created.Client.ID)
		if diff := cmp.Diff(created.Client, kept); diff != "" {
			t.Errorf("%s -created +kept:\n%s", clientType, diff)
		}
		hash := sha256.Sum256([]byte(created.Secret))
		if confidential && (len(kept.Secrets) != 1 || !bytes.Equal(kept.Secrets[0].Hash, hash[:])) {
			t.Errorf("%s: the store has %v", clientType, kept.Secrets)
		}
	}
}

func TestWhatIsNotSaidIsSensible(t *testing.T) {
	h := newHouse(t)
	got := h.create(t, webApp()).Client
	if got.Profile != storage.ProfilePlatform {
		t.Errorf("profile %q", got.Profile)
	}
	if diff := cmp.Diff(apps.DefaultScopes(storage.ClientWeb), got.Scopes); diff != "" {
		t.Errorf("scopes -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"data:read"}, h.create(t, service()).Client.Scopes); diff != "" {
		t.Errorf("scopes -want +got:\n%s", diff)
	}
	none := webApp()
	none.Scopes = []string{}
	if got := h.create(t, none).Client.Scopes; len(got) != 0 {
		t.Errorf("a client that wants no scopes has %v", got)
	}
}

func TestRepetitionsAreDropped(t *testing.T) {
	h := newHouse(t)
	registration := webApp()
	registration.RedirectURIs = append(registration.RedirectURIs, registration.RedirectURIs...)
	registration.Scopes = []string{"data:read", "openid", "data:read"}
	got := h.create(t, registration).Client
	if len(got.RedirectURIs) != 1 || cmp.Diff([]string{"data:read", "openid"}, got.Scopes) != "" {
		t.Errorf("%v %v", got.RedirectURIs, got.Scopes)
	}
}

func TestAChangeTouchesOnlyWhatItNames(t *testing.T) {
	h := newHouse(t)
	before := h.create(t, webApp()).Client
	act := h.act()
	act.At = act.At.Add(time.Second)
	name, uris, yes := "Renamed", []string{"https://app.example.test/other"}, true
	after, err := h.apps.Update(t.Context(), act, before.ID,
		apps.Change{Name: &name, RedirectURIs: &uris, RequirePKCE: &yes})
	if err != nil {
		t.Fatal(err)
	}
	want := before
	want.Name, want.RedirectURIs, want.RequirePKCE, want.UpdatedAt = name, uris, true, act.At
	if diff := cmp.Diff(want, after); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(after, h.find(t, before.ID)); diff != "" {
		t.Errorf("kept -want +got:\n%s", diff)
	}

	bad := []string{"http://app.example.test/cb"}
	if _, err := h.apps.Update(t.Context(), h.act(), before.ID,
		apps.Change{RedirectURIs: &bad}); !fault.Is(err, fault.Invalid) {
		t.Errorf("a bad address: %v", err)
	}
	if diff := cmp.Diff(after, h.find(t, before.ID)); diff != "" {
		t.Errorf("a refused change changed something:\n%s", diff)
	}
}

// Rule: TOKEN-3
func TestTwoSecretsLiveAtOnce(t *testing.T) {
	h := newHouse(t)
	first := h.create(t, service())
	id := first.Client.ID
	second, err := h.apps.RotateSecret(t.Context(), h.act(), id, apps.NewSecret{})
	if err != nil {
		t.Fatal(err)
	}
	h.wantSecrets(t, id, second.Secret, first.Secret)
	for _, ends := range []string{"", "another"} {
		if _, err := h.apps.RotateSecret(t.Context(), h.act(), id,
			apps.NewSecret{Ends: []string{ends}}); !fault.HasReason(err,
			storage.ReasonSecretsFull) {
			t.Errorf("a third: %v", err)
		}
	}
	h.wantSecrets(t, id, second.Secret, first.Secret)
	third, err := h.apps.RotateSecret(t.Context(), h.act(), id,
		apps.NewSecret{Ends: []string{second.Client.Secrets[0].ID}})
	if err != nil {
		t.Fatal(err)
	}
	h.wantSecrets(t, id, third.Secret, first.Secret)
	fourth, err := h.apps.RotateSecret(t.Context(), h.act(), id, apps.NewSecret{DropOthers: true})
	if err != nil {
		t.Fatal(err)
	}
	h.wantSecrets(t, id, fourth.Secret)
	if diff := cmp.Diff(h.find(t, id), fourth.Client); diff != "" {
		t.Errorf("returned -want +got:\n%s", diff)
	}
}

func (h *house) wantSecrets(t *testing.T, id string, plain ...string) {
	t.Helper()
	var want, got [][]byte
	for _, p := range plain {
		hash := sha256.Sum256([]byte(p))
		want = append(want, hash[:])
	}
	for _, s := range h.find(t, id).Secrets {
		got = append(got, s.Hash)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Rule: CLIENT-3
func TestAPublicClientHasNoSecretToRotate(t *testing.T) {
	h := newHouse(t)
	registration := webApp()
	registration.Type = storage.ClientSPA
	id := h.create(t, registration).Client.ID
	if _, err := h.apps.RotateSecret(t.Context(), h.act(), id, apps.NewSecret{}); !fault.Is(err, fault.Invalid) ||
		!fault.HasReason(err, apps.ReasonPublicClient) {
		t.Errorf("got %v", err)
	}
}

func TestDisableEnableDeleteAndList(t *testing.T) {
	h := newHouse(t)
	id := h.create(t, service()).Client.ID
	for _, disabled := range []bool{true, false} {
		if err := h.apps.SetDisabled(t.Context(), h.act(), id, disabled); err != nil {
			t.Fatal(err)
		}
		if h.find(t, id).Disabled != disabled {
			t.Errorf("disabled is not %v", disabled)
		}
	}
	owned := service()
	h.user(t, "DEVELOPER", "dev@example.test", true)
	owned.OwnerUserID = "DEVELOPER"
	own := h.create(t, owned).Client
	got, err := h.apps.List(t.Context(), storage.ClientFilter{Owner: "DEVELOPER"}, storage.PageRequest{})
	if diff := cmp.Diff(storage.Listing[storage.Client]{Rows: []storage.Client{own}, Total: 1}, got); diff != "" ||
		err != nil {
		t.Errorf("%v -want +got:\n%s", err, diff)
	}
	if err := h.apps.Delete(t.Context(), h.act(), id); err != nil {
		t.Fatal(err)
	}
}

func TestAnAbsentClientIsNamed(t *testing.T) {
	h := newHouse(t)
	acts := map[string]func() error{
		"find":   func() error { _, err := h.apps.Find(t.Context(), "absent"); return err },
		"update": func() error { _, err := h.apps.Update(t.Context(), h.act(), "absent", apps.Change{}); return err },
		"rotate": func() error {
			_, err := h.apps.RotateSecret(t.Context(), h.act(), "absent", apps.NewSecret{})
			return err
		},
		"enable": func() error { return h.apps.SetDisabled(t.Context(), h.act(), "absent", false) },
		"delete": func() error { return h.apps.Delete(t.Context(), h.act(), "absent") },
	}
	for name, act := range acts {
		if err := act(); !fault.Is(err, fault.NotFound) || !fault.HasReason(err, apps.ReasonNoClient) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
