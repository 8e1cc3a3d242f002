package webhooks_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/portico-id/portico/dataapi/webhooks"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// yard is a project with folders, and a courier whose clock can be set ahead.
type yard struct {
	testing.TB
	store   *sqlstore.Store
	ambient *ambient.Source
	ahead   atomic.Int64
	ring    *sealing.Ring
	rules   *webhooks.Rules
	courier *webhooks.Courier
	project string
	root    string // uids
	inner   string
	other   string
}

func eachEngine(t *testing.T, test func(t *testing.T, y *yard)) {
	t.Run("sqlite", func(t *testing.T) { test(t, newYard(t, sqlitetest.URL(t))) })
	t.Run("postgres", func(t *testing.T) { test(t, newYard(t, pgtest.URL(t))) })
}

// loopback is what a development server may call.
func loopback() []netip.Prefix { return outbound.Beside("http://localhost") }

func newYard(t *testing.T, database string) *yard {
	t.Helper()
	y := &yard{TB: t}
	y.ambient = ambient.New(func() time.Time { return time.Now().Add(time.Duration(y.ahead.Load())) },
		ambient.System().Random())
	var err error
	y.store, err = sqlstore.Open(t.Context(), sqlstore.Options{URL: database, Version: "0.1.0", Migrate: true})
	y.must(err)
	t.Cleanup(func() { _ = y.store.Close() })
	y.ring, err = sealing.New([]byte(strings.Repeat("k", 32)), nil, y.ambient)
	y.must(err)
	y.rules = y.newRules(loopback())
	y.courier = y.newCourier(loopback())
	hub, now := "b."+y.ambient.UUID(), y.ambient.Now()
	y.must(y.store.CreateHub(t.Context(), y.change(),
		storage.Hub{ID: hub, Name: "Hub", Active: true, CreatedAt: now, UpdatedAt: now}))
	y.project, y.root = "b."+y.ambient.UUID(), y.ambient.UID()
	y.must(y.store.CreateProject(t.Context(), y.change(), storage.Project{
		ID: y.project, HubID: hub, Name: "Project", Active: true, RootFolderID: y.root, CreatedAt: now, UpdatedAt: now,
	}, nil))
	y.inner, y.other = y.folder(y.root, "Inner"), y.folder(y.root, "Other")
	return y
}

func (y *yard) newRules(networks []netip.Prefix) *webhooks.Rules {
	return webhooks.New(webhooks.Options{Store: y.store, Ambient: y.ambient, Ring: y.ring,
		Outbound: outbound.New(outbound.Options{Networks: networks})})
}

// newCourier is one of another process.
func (y *yard) newCourier(networks []netip.Prefix) *webhooks.Courier {
	return y.newCourierOf(y.store, networks)
}

func (y *yard) newCourierOf(store webhooks.CourierStore, networks []netip.Prefix) *webhooks.Courier {
	return webhooks.NewCourier(webhooks.CourierOptions{
		Store: store, Ambient: y.ambient, Ring: y.ring, Log: slog.New(slog.DiscardHandler), Space: "portico",
		Outbound: outbound.New(outbound.Options{Networks: networks, Timeout: 300 * time.Millisecond}),
	})
}

func (y *yard) must(err error) {
	y.Helper()
	if err != nil {
		y.Fatal(err)
	}
}

func (y *yard) change() storage.Change {
	return storage.Change{Act: storage.Act{At: y.ambient.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}},
		Caller: storage.Caller{UserID: "U1"}}
}

func (y *yard) folder(parent, name string) string {
	y.Helper()
	f, err := y.store.CreateFolder(y.Context(), y.change(), y.project,
		storage.Folder{ID: y.ambient.UID(), ParentID: parent, Name: name})
	y.must(err)
	return f.ID
}

func (y *yard) item(folder, name string) string {
	y.Helper()
	i, err := y.store.CreateItem(y.Context(), y.change(), y.project,
		storage.Item{ID: y.ambient.UID(), FolderID: folder, Name: name}, storage.NewVersion{Name: name})
	y.must(err)
	return i.Item.ID
}

func (y *yard) version(item string) {
	y.Helper()
	_, err := y.store.AddVersion(y.Context(), y.change(), y.project, item, storage.NewVersion{Name: "v"})
	y.must(err)
}

func (y *yard) hook(wanted webhooks.NewWebhook) storage.Webhook {
	y.Helper()
	y.stamp()
	wanted.ProjectID = y.project
	hook, _, err := y.rules.Create(y.Context(), y.change(), wanted)
	y.must(err)
	return hook
}

func (y *yard) stamp() {
	y.Helper()
	_, err := y.store.StampEvents(y.Context(), 1000)
	y.must(err)
}

// work lets the courier do what is due, until the attempts are over.
func (y *yard) work(c *webhooks.Courier) {
	y.Helper()
	y.stamp()
	y.must(c.Work(y.Context()))
	c.Wait()
}

// drain works until nothing is due.
func (y *yard) drain(c *webhooks.Courier) {
	y.Helper()
	for {
		y.work(c)
		due, err := y.store.ListDueDeliveries(y.Context(), y.ambient.Now(), 1, 1)
		y.must(err)
		if len(due) == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond) // another has the duty still
	}
}

// log returns the webhook's deliveries, oldest first.
func (y *yard) log(hook storage.Webhook) []storage.WebhookDelivery {
	y.Helper()
	var all []storage.WebhookDelivery
	for page := (storage.PageRequest{Limit: 100}); ; {
		some, next, err := y.rules.Deliveries(y.Context(), y.project, hook.ID, page)
		y.must(err)
		all = append(all, some...)
		if page.After = next; next == "" {
			break
		}
	}
	for i := range len(all) / 2 {
		all[i], all[len(all)-1-i] = all[len(all)-1-i], all[i]
	}
	return all
}

// notice is a delivery as its receiver reads it.
type notice struct {
	header http.Header
	body   string

	ResourceURN string `json:"resourceUrn"`
	Hook        struct {
		HookID, Event, System, CallbackURL string
		Scope                              map[string]string
	}
	Payload struct {
		ID, Kind, Project, LineageURN, Name, ParentFolderURN, SourceFolderURN, ModifiedBy string
		Version                                                                           int
	}
}

// receiver is somebody who is told.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []notice
	answer func(w http.ResponseWriter, r *http.Request) // nil: 200
}

func newReceiver(t testing.TB) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	n := notice{header: request.Header, body: string(body)}
	_ = json.Unmarshal(body, &n)
	r.mu.Lock()
	r.got = append(r.got, n)
	answer := r.answer
	r.mu.Unlock()
	if answer != nil {
		answer(w, request)
	}
}

func (r *receiver) behave(answer func(http.ResponseWriter, *http.Request)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

func (r *receiver) notices() []notice {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]notice(nil), r.got...)
}

func status(code int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}
