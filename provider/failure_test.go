package provider_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/resources"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// broken is a store whose look-ups fail once failure is set.
type broken struct {
	*sqlstore.Store
	failure atomic.Pointer[fault.Error]
}

func (b *broken) err() error {
	if f := b.failure.Load(); f != nil {
		return f
	}
	return nil
}

func (b *broken) FindClient(ctx context.Context, id string) (storage.Client, error) {
	if err := b.err(); err != nil {
		return storage.Client{}, err
	}
	return b.Store.FindClient(ctx, id)
}

func (b *broken) FindPostLogoutClients(ctx context.Context, uri string) ([]storage.Client, error) {
	if err := b.err(); err != nil {
		return nil, err
	}
	return b.Store.FindPostLogoutClients(ctx, uri)
}

func (b *broken) TokenState(ctx context.Context, query storage.TokenQuery) (storage.TokenState, error) {
	if err := b.err(); err != nil {
		return storage.TokenState{}, err
	}
	return b.Store.TokenState(ctx, query)
}

func (b *broken) ListResources(ctx context.Context) ([]storage.Resource, error) {
	if err := b.err(); err != nil {
		return nil, err
	}
	return b.Store.ListResources(ctx)
}

func (b *broken) FindAnsweredRequest(ctx context.Context, id string, now time.Time) (storage.LoginRequest, error) {
	if err := b.err(); err != nil {
		return storage.LoginRequest{}, err
	}
	return b.Store.FindAnsweredRequest(ctx, id, now)
}

const inside = "the inside of the database"

// Rules: AUTH-32, TOKEN-11, SERVER-23
func TestOurOwnFailuresTellNothingAndReachNoClient(t *testing.T) {
	var store *broken
	w := newWorld(t, settings{over: func(s *sqlstore.Store) provider.Store {
		store = &broken{Store: s}
		return store
	}})
	w.person(somebody)
	a := w.app(apps.Registration{Devices: true})
	token := w.browser().tokens(a, somebody)["access_token"].(string)
	authorize := strings.TrimPrefix(w.authorizeURL(a), w.URL)
	leave := form("post_logout_redirect_uri", "https://app.example.test/bye")

	programs := map[string]func() answer{
		"token":      func() answer { return w.token(a, credentials()) },
		"revoke":     func() answer { return w.revoke(a, "x", "access_token") },
		"introspect": func() answer { return w.introspect(a, token) },
		"push":       func() answer { return w.push(a, "client_id", "") },
		"device":     func() answer { return w.post(devicePath, a, form("scope", "openid")) },
		"user info":  func() answer { return w.userInfo(token) },
		"user info by form": func() answer {
			return w.post("/userinfo", app{}, form("access_token", token))
		},
	}
	pages := map[string]func() answer{
		"authorize":         func() answer { return w.get(authorize) },
		"authorize by form": func() answer { return w.post("/authentication/v2/authorize", app{}, queryOf(t, authorize)) },
		"sign-in":           func() answer { return w.get("/login?request=answered-before") },
		"logout":            func() answer { return w.get("/authentication/v2/logout?" + leave.Encode()) },
		"logout by form":    func() answer { return w.post("/authentication/v2/logout", app{}, leave) },
	}
	for _, kind := range []fault.Kind{fault.Internal, fault.Unavailable} {
		status := httpio.Status(kind)
		w.wait(clientLag)
		detail := inside
		if kind == fault.Unavailable {
			detail = "Try again." // which may be told
		}
		store.failure.Store(fault.New(kind, "", detail))
		for name, call := range programs {
			t.Run(name+" "+http.StatusText(status), func(t *testing.T) { programFailed(t, call(), status) })
		}
		for name, call := range pages {
			t.Run(name+" "+http.StatusText(status), func(t *testing.T) { pageFailed(t, call(), status) })
		}
	}
	// It is told as it was read last.
	if got := w.get(resources.MetadataPath); got.Status != http.StatusOK || strings.Contains(string(got.Body), inside) {
		t.Errorf("what describes our APIs: %d %s", got.Status, got.Body)
	}
	store.failure.Store(nil)
	if got := w.get(resources.MetadataPath); got.Status != http.StatusOK || got.JSON(t)["resource"] != w.URL {
		t.Errorf("what describes our APIs, with a sound database: %d %s", got.Status, got.Body)
	}
	for name, call := range programs {
		if got := call(); got.Status >= http.StatusBadRequest {
			t.Errorf("%s with a sound database: %d", name, got.Status)
		}
	}
}

// Rule: SERVER-23
func TestWhatWasNeverReadIsToldToTryAgain(t *testing.T) {
	var store *broken
	w := newWorld(t, settings{over: func(s *sqlstore.Store) provider.Store {
		store = &broken{Store: s}
		store.failure.Store(fault.New(fault.Unavailable, "", "Try again.").After(time.Second))
		return store
	}})
	got := w.get(resources.MetadataPath)
	if got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") != "1" {
		t.Errorf("what describes our APIs: %d %v", got.Status, got.Header)
	}
	store.failure.Store(nil)
	if got := w.get(resources.MetadataPath); got.Status != http.StatusOK {
		t.Errorf("what describes our APIs, with a sound database: %d %s", got.Status, got.Body)
	}
}

// programFailed holds 500 to an empty body, and the rest to the usual error.
func programFailed(t *testing.T, got answer, status int) {
	t.Helper()
	if got.Status != status || got.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %d %v, want %d", got.Status, got.Header, status)
	}
	if status == http.StatusInternalServerError {
		if len(got.Body) != 0 || got.Header.Get("Content-Type") != "" {
			t.Errorf("a body: %q of type %q", got.Body, got.Header.Get("Content-Type"))
		}
		return
	}
	if got.JSON(t)["error"] != "temporarily_unavailable" {
		t.Errorf("body %s", got.Body)
	}
}

func pageFailed(t *testing.T, got answer, status int) {
	t.Helper()
	if got.Status != status || got.Header.Get("Location") != "" || !strings.Contains(string(got.Body), `id="error-page"`) {
		t.Errorf("got %d to %q, want a page with %d", got.Status, got.Header.Get("Location"), status)
	}
	if strings.Contains(string(got.Body), inside) {
		t.Error("the page tells what is inside")
	}
}

func queryOf(t *testing.T, target string) url.Values {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}
