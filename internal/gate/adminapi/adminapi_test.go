package adminapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

func door(token Token, session *storage.User) *Door {
	return New(Options{
		Session: func(*http.Request) (storage.User, time.Time, bool, error) {
			if session == nil {
				return storage.User{}, time.Time{}, false, nil
			}
			return *session, time.Now(), true, nil
		},
		Token: func(*http.Request) (Token, error) { return token, nil },
		Proven: func(_ *http.Request, grant string) (time.Time, error) {
			return map[string]time.Time{"FRESH": time.Now(), "OLD": time.Now().Add(-11 * time.Minute),
				"AHEAD": time.Now().Add(11 * time.Minute)}[grant], nil
		},
		FreshFor: 10 * time.Minute,
		User: func(_ *http.Request, id string) (storage.User, error) {
			return storage.User{ID: id, Admin: id == "ADMIN"}, nil
		},
		Now:     time.Now,
		Protect: http.NewCrossOriginProtection().Handler,
	})
}

// Rules: ADMIN-2, ADMIN-13
func TestOnlyAdministratorsPassTheDoor(t *testing.T) {
	admin, other := &storage.User{ID: "ADMIN", Admin: true}, &storage.User{ID: "OTHER"}
	for name, c := range map[string]struct {
		token       *Token
		session     *storage.User
		read, write int
	}{
		"nobody":                     {nil, nil, 401, 401},
		"an administrator's session": {nil, admin, 204, 204},
		"somebody's session":         {nil, other, 403, 403},
		"an administrator's token":   {&Token{UserID: "ADMIN", Read: true, Write: true}, nil, 204, 204},
		"a token that only reads":    {&Token{UserID: "ADMIN", Read: true}, nil, 204, 403},
		"a token that only writes":   {&Token{UserID: "ADMIN", Write: true}, nil, 403, 204},
		"a token without scopes":     {&Token{UserID: "ADMIN"}, nil, 403, 403},
		"somebody's token":           {&Token{UserID: "OTHER", Read: true, Write: true}, nil, 403, 403},
		"a two-legged token":         {&Token{Read: true, Write: true}, nil, 403, 403},
		"a service account's token": {&Token{UserID: "ADMIN", ServiceAccount: true, Read: true, Write: true}, nil, 403,
			403},
		"a bad token beside a session":    {&Token{}, admin, 403, 403},
		"somebody's token beside session": {&Token{UserID: "OTHER", Read: true, Write: true}, admin, 403, 403},
	} {
		var token Token
		if c.token != nil {
			token = *c.token
		}
		d := door(token, c.session)
		do := func(w http.ResponseWriter, _ *http.Request, call Call) error {
			if call.Act.Actor != (storage.Actor{Kind: storage.ActorUser, ID: "ADMIN"}) {
				t.Errorf("%s: acts as %+v", name, call.Act.Actor)
			}
			return NoContent(w)
		}
		for method, handler := range map[string]http.Handler{"GET": d.Read(do).Handler, "POST": d.Write(do).Handler} {
			r := httptest.NewRequest(method, "https://id.example.test/admin/v1/x", nil)
			if c.token != nil {
				r.Header.Set("Authorization", "Bearer x")
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			want := map[string]int{"GET": c.read, "POST": c.write}[method]
			if w.Code != want || w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%s, %s: %d %s, want %d", name, method, w.Code, w.Body, want)
			}
		}
	}
}

// Rule: ADMIN-9
func TestWhoAdministersAPartIsForTheOperationToJudge(t *testing.T) {
	for name, c := range map[string]struct {
		token       Token
		read, write int
	}{
		"somebody's token":        {Token{ClientID: "APP", UserID: "OTHER", Read: true, Write: true}, 204, 204},
		"a token that only reads": {Token{ClientID: "APP", UserID: "OTHER", Read: true}, 204, 403},
		"a two-legged token":      {Token{ClientID: "APP", Read: true, Write: true}, 403, 403},
		"a service account's token": {Token{ClientID: "APP", UserID: "OTHER", ServiceAccount: true, Read: true, Write: true},
			403, 403},
	} {
		d := door(c.token, nil)
		do := func(w http.ResponseWriter, _ *http.Request, call Call) error {
			if call.User.ID != "OTHER" || call.ClientID != "APP" || call.Act.Actor.ID != "OTHER" {
				t.Errorf("%s: calls as %+v", name, call)
			}
			return NoContent(w)
		}
		for want, handler := range map[*int]http.Handler{&c.read: d.ReadPart(do).Handler, &c.write: d.WritePart(do).Handler} {
			r := httptest.NewRequest("POST", "https://id.example.test/admin/v1/x", nil)
			r.Header.Set("Authorization", "Bearer x")
			w := httptest.NewRecorder()
			if handler.ServeHTTP(w, r); w.Code != *want {
				t.Errorf("%s: %d %s, want %d", name, w.Code, w.Body, *want)
			}
		}
	}
}

// Rule: HOME-12
func TestGraveOperationsWantASignInOfTheLastMinutes(t *testing.T) {
	person := &storage.User{ID: "OTHER"}
	for name, c := range map[string]struct {
		grant   string
		session *storage.User
		want    int
	}{
		"a token of a fresh sign-in": {"FRESH", nil, 204},
		"a token of an old sign-in":  {"OLD", nil, 401},
		"by a clock that was ahead":  {"AHEAD", nil, 401},
		"a token of no known grant":  {"GONE", nil, 401},
		"a session":                  {"", person, 204},
	} {
		d := door(Token{UserID: "OTHER", GrantID: c.grant, Read: true, Write: true}, c.session)
		do := func(w http.ResponseWriter, _ *http.Request, _ Call) error { return NoContent(w) }
		for _, handler := range []http.Handler{d.ReadAgain(do).Handler, d.WriteAgain(do).Handler} {
			r := httptest.NewRequest("DELETE", "https://id.example.test/account/v1/account", nil)
			if c.session == nil {
				r.Header.Set("Authorization", "Bearer x")
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			asked := w.Header().Get("WWW-Authenticate") == `Bearer realm="portico", error="insufficient_user_authentication", max_age="600"`
			if w.Code != c.want || asked != (c.want == http.StatusUnauthorized) {
				t.Errorf("%s: %d %v", name, w.Code, w.Header())
			}
		}
	}
}

// At the browser of an administrator who went away somebody else may sit.
//
// Rule: FORM-8
func TestWhatASessionChangesWantsASignInOfTheLastMinutes(t *testing.T) {
	for ago, want := range map[time.Duration]int{9 * time.Minute: 204, 11 * time.Minute: 401, -11 * time.Minute: 401} {
		d := door(Token{}, nil)
		d.with.Session = func(*http.Request) (storage.User, time.Time, bool, error) {
			return storage.User{ID: "ADMIN", Admin: true}, time.Now().Add(-ago), true, nil
		}
		do := func(w http.ResponseWriter, _ *http.Request, _ Call) error { return NoContent(w) }
		for method, at := range map[string]httpio.Endpoint{http.MethodPatch: d.Write(do), http.MethodGet: d.Read(do)} {
			w := httptest.NewRecorder()
			at.Handler.ServeHTTP(w, httptest.NewRequest(method, "https://id.example.test/admin/v1/x", nil))
			if want := map[string]int{http.MethodPatch: want, http.MethodGet: 204}[method]; w.Code != want {
				t.Errorf("%s, %s ago: %d %s, want %d", method, ago, w.Code, w.Body, want)
			}
		}
	}
}

func TestAnotherSiteCannotUseASession(t *testing.T) {
	d := door(Token{}, &storage.User{ID: "ADMIN", Admin: true})
	r := httptest.NewRequest(http.MethodPost, "https://id.example.test/admin/v1/x", nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	w := httptest.NewRecorder()
	d.Write(func(http.ResponseWriter, *http.Request, Call) error {
		t.Error("it is done")
		return nil
	}).Handler.ServeHTTP(w, r)
	if w.Code != http.StatusForbidden {
		t.Errorf("%d", w.Code)
	}
}

// Rule: ADMIN-8
func TestEveryKindHasAProblemAndEveryFieldIsNamed(t *testing.T) {
	for _, kind := range fault.Kinds() {
		w := httptest.NewRecorder()
		WriteError(w, httptest.NewRequest("GET", "/", nil), fault.New(kind, "some_reason", "Some detail.").At("field"))
		var body httpio.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
			t.Fatal(err)
		}
		if w.Code < 400 || body.Status != w.Code || w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%v: %d %s", kind, w.Code, w.Body)
		}
		if internal := kind == fault.Internal; (body.Detail == "Some detail.") == internal ||
			(len(body.Errors) == 1) == internal {
			t.Errorf("%v tells %+v", kind, body)
		}
	}
}

func TestPagesHaveOneToTwoHundredRows(t *testing.T) {
	for text, want := range map[string]int{"1": 1, "200": 200, "0": 0, "201": 0, "x": 0} {
		page, err := Page(url.Values{"limit": {text}, "after": {"a"}})
		if (err == nil) != (want > 0) || err == nil && (page.Limit != want || page.After != "a") {
			t.Errorf("limit=%s: %+v, %v", text, page, err)
		}
	}
}
