package serviceaccounts_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// operation is one of the nine, addressed to an account and a key.
type operation struct {
	name, method, path string
	takesJSON          bool
}

func operations(account, kid string) []operation {
	one := accountsPath + "/" + account
	return []operation{
		{"create", "POST", accountsPath, true},
		{"list", "GET", accountsPath, false},
		{"get", "GET", one, false},
		{"patch", "PATCH", one, true},
		{"delete", "DELETE", one, false},
		{"create key", "POST", one + "/keys", false},
		{"list keys", "GET", one + "/keys", false},
		{"patch key", "PATCH", one + "/keys/" + kid, true},
		{"delete key", "DELETE", one + "/keys/" + kid, false},
	}
}

// ended answers every question about a token with its error.
type ended struct{ err error }

func (e ended) TokenState(context.Context, storage.TokenQuery) (storage.TokenState, error) {
	return storage.TokenState{}, e.err
}

// Rule: ACCOUNT-9
func TestEveryOperationRefusesAlike(t *testing.T) {
	w := newWorld(t, settings{})
	old := w.signer(w.app(apps.Registration{}), "robot")
	expired := old.app.Token
	w.wait(time.Hour)
	a := w.app(apps.Registration{})
	key := w.key(a, w.account(a, "robot"))
	threeLegged := key.token()
	const inside = "the inside of the database"
	for _, op := range operations(key.account, key.kid) {
		t.Run(op.name, func(t *testing.T) {
			body := ""
			if op.takesJSON {
				body = "{}"
			}
			refused := func(got answer, status int, title string) {
				t.Helper()
				if got.Status != status || got.JSON(t)["title"] != title {
					t.Errorf("%d %s, want %d %s", got.Status, got.Body, status, title)
				}
			}
			for _, token := range []string{"", "x.y.z", expired, threeLegged} {
				refused(w.call(op.method, op.path, token, body), http.StatusUnauthorized, "unauthorized")
			}
			refused(w.call(op.method, op.path+"?x=1&x=1", a.Token, body), http.StatusBadRequest, "invalid_request")
			if op.takesJSON {
				r := w.request(op.method, op.path, a.Token, "status=ENABLED")
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				refused(w.do(r), http.StatusUnsupportedMediaType, "invalid_request")
				refused(w.call(op.method, op.path, a.Token, `{"x":"`+strings.Repeat("a", 1<<20)+`"}`),
					http.StatusRequestEntityTooLarge, "invalid_request")
			}
			refused(w.failing(fault.New(fault.Unavailable, "", "Try again."), op, a.Token),
				http.StatusServiceUnavailable, "unavailable")
			got := w.failing(fault.New(fault.Internal, "", inside), op, a.Token)
			if got.Status != http.StatusInternalServerError || len(got.Body) != 0 {
				t.Errorf("our own failure: %d %q, want 500 without a body", got.Status, got.Body)
			}
		})
	}
	w.expect(http.StatusOK, "GET", accountsPath+"/"+key.account, a.Token, "") // nothing above changed it
}

// failing calls an operation while the question about its token fails.
func (w *world) failing(err error, op operation, token string) answer {
	w.Helper()
	handler := document.Book(w).Wrap(w, routes(w.Accounts,
		bearer.New(bearer.Options{Keys: w.Keys, Tokens: ended{err}, Registered: scope.Registered})))
	recorder := httptest.NewRecorder()
	r := httptest.NewRequest(op.method, op.path, nil)
	r.Header.Set("Authorization", "Bearer "+token)
	handler.ServeHTTP(recorder, r)
	return answer{recorder.Code, recorder.Header(), recorder.Body.Bytes()}
}
