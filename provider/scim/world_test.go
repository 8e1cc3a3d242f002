package scim_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/provider/scim"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type object = map[string]any

// world is a server that a company sends its people to.
type world struct {
	*testing.T
	store   *sqlstore.Store
	ambient *ambient.Source
	server  *scim.Server
	handler http.Handler
	company storage.SCIMConnection
	token   string
	ahead   *atomic.Int64 // of the machine's clock
}

// onBothEngines runs a test in a world of each engine.
func onBothEngines(t *testing.T, test func(w *world)) { atRate(t, 3000, test) }

// atRate is onBothEngines where a company may ask so often in a minute.
func atRate(t *testing.T, rate int, test func(w *world)) {
	for engine, url := range map[string]func(testing.TB) string{
		"sqlite":   func(t testing.TB) string { return sqlitetest.URL(t) },
		"postgres": func(t testing.TB) string { return pgtest.URL(t) },
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(newWorld(t, url(t), rate))
		})
	}
}

// newWorld is a world in which a company may ask so often in a minute.
func newWorld(t *testing.T, url string, rate int) *world {
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{URL: url, MaxConns: 20, Version: "0.1.0"})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, store: store, ahead: new(atomic.Int64)}
	began := time.Now() // and no time passes by itself: what it takes on a busy machine is no matter
	now := func() time.Time { return began.Add(time.Duration(w.ahead.Load())) }
	w.ambient = ambient.New(now, ambient.System().Random())
	limits, err := ratelimit.New(ratelimit.Options{Rates: ratelimit.Rates{ratelimit.SCIM: rate}, Ambient: w.ambient})
	if err != nil {
		t.Fatal(err)
	}
	w.server = scim.New(scim.Options{Store: store, Ambient: w.ambient, Log: slog.New(slog.DiscardHandler),
		Limits: limits, BaseURL: "https://id.example.test",
		Set: func(u *storage.User, field, value string) error {
			return people.Set(u, people.Setting{Field: field, Value: value})
		}})
	t.Cleanup(func() {
		if err := w.server.Close(); err != nil {
			t.Error(err)
		}
		store.Close()
	})
	w.handler = httpio.Router{Areas: []httpio.Area{w.server.Area()}, WriteError: scim.WriteError}.Handler()
	w.company, w.token = w.connect("Works", "works.test")
	return w
}

func (w *world) act() storage.Act {
	return storage.Act{At: w.ambient.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// connect makes a connection with a token.
func (w *world) connect(name string, domains ...string) (storage.SCIMConnection, string) {
	w.Helper()
	c := storage.SCIMConnection{ID: w.ambient.UID(), Name: name, Domains: domains, CreatedAt: w.ambient.Now()}
	w.must(w.store.CreateSCIMConnection(w.Context(), w.act(), c))
	token := scim.TokenPrefix + w.ambient.Token()
	hash := sha256.Sum256([]byte(token))
	w.must(w.store.AddSCIMToken(w.Context(), w.act(), storage.SCIMToken{ID: w.ambient.UID(), ConnectionID: c.ID,
		Label: "first", Hash: hash[:], CreatedAt: w.ambient.Now()}))
	return c, token
}

// as is the same world for another company.
func (w *world) as(c storage.SCIMConnection, token string) *world {
	other := *w
	other.company, other.token = c, token
	return &other
}

// ask sends a request with the headers and returns the answer.
func (w *world) ask(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "https://id.example.test/scim/v2/"+w.company.ID+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+w.token)
	if body != "" {
		r.Header.Set("Content-Type", "application/scim+json; charset=utf-8")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, r)
	return answer
}

// do sends a request, which must be answered with the status, and returns the body.
func (w *world) do(status int, method, path, body string, headers ...string) object {
	w.Helper()
	answer := w.ask(method, path, body, headers...)
	if answer.Code != status {
		w.Fatalf("%s %s %s: %d %s, want %d", method, path, body, answer.Code, answer.Body, status)
	}
	told := object{}
	if answer.Body.Len() > 0 {
		if got := answer.Header().Get("Content-Type"); got != "application/scim+json" {
			w.Errorf("%s %s: is %s", method, path, got)
		}
		w.must(json.Unmarshal(answer.Body.Bytes(), &told))
	}
	return told
}

// user makes somebody and returns their id.
func (w *world) user(name string) string {
	w.Helper()
	return w.do(201, "POST", "/Users", fmt.Sprintf(`{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],
		"userName":%q,"externalId":"x-%s","displayName":"The %s","emails":[{"value":"%s@works.test","type":"work"}]}`,
		name, name, name, name))["id"].(string)
}

// group makes a group and returns its id.
func (w *world) group(name string, members ...string) string {
	w.Helper()
	var list []object
	for _, id := range members {
		list = append(list, object{"value": id})
	}
	body, err := json.Marshal(object{"displayName": name, "members": list})
	w.must(err)
	return w.do(201, "POST", "/Groups", string(body))["id"].(string)
}

func (w *world) found(id string) storage.User {
	w.Helper()
	user, err := w.store.FindUser(w.Context(), id)
	w.must(err)
	return user
}

// equal compares by JSON.
func (w *world) equal(want, got any) {
	w.Helper()
	a, _ := json.Marshal(want)
	b, _ := json.Marshal(got)
	if !bytes.Equal(a, b) {
		w.Errorf("got %s, want %s", b, a)
	}
}

func patch(operations string) string {
	return `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[` + operations + `]}`
}

// members are the ids of a group's people.
func (w *world) members(group string) []string {
	w.Helper()
	ids := []string{}
	list, _ := w.do(200, "GET", "/Groups/"+group, "")["members"].([]any)
	for _, m := range list {
		ids = append(ids, m.(object)["value"].(string))
	}
	return ids
}

// sent sends a request with an Authorization of its own.
func (w *world) sent(r *http.Request, authorization string) *httptest.ResponseRecorder {
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, r)
	return answer
}
