package websession_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/websession"
)

// Rule: SIGNIN-1
func TestCookieIsBoundToTheHostAndHiddenFromScripts(t *testing.T) {
	h := newHouse(t)
	_, cookie := h.signIn(t)
	if cookie.Name != "__Host-portico" || !cookie.Secure || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode ||
		cookie.Path != "/" || cookie.Domain != "" || cookie.MaxAge != 0 || !cookie.Expires.IsZero() {
		t.Errorf("cookie %s", cookie.Raw)
	}
	if len(cookie.Value) != 43 {
		t.Errorf("the value has %d characters, want 43 (256 bits)", len(cookie.Value))
	}
}

func TestCookieOfPlainHTTPHasThePlainName(t *testing.T) {
	source, _ := ambient.Fixed(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), 3)
	h := newHouse(t)
	m := websession.New(websession.Options{Store: h.store, Ambient: source})
	w := httptest.NewRecorder()
	if _, err := m.Start(w, request(), h.user, "", nil, h.act()); err != nil {
		t.Fatal(err)
	}
	cookie := onlyCookie(t, w)
	if cookie.Name != "portico" || cookie.Secure || !cookie.HttpOnly ||
		cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" {
		t.Errorf("cookie %s", cookie.Raw)
	}
	if _, found, err := m.Find(request(cookie)); err != nil || !found {
		t.Errorf("found %v, error %v", found, err)
	}
}

func TestLimitsAreADayIdleAndTwoWeeksByDefault(t *testing.T) {
	h := newHouse(t)
	source, clock := ambient.Fixed(h.clock.Now(), 4)
	m := websession.New(websession.Options{Store: h.store, Ambient: source, Secure: true})
	w := httptest.NewRecorder()
	session, err := m.Start(w, request(), h.user, "", nil, h.act())
	if err != nil {
		t.Fatal(err)
	}
	if got := session.ExpiresAt.Sub(session.CreatedAt); got != 14*24*time.Hour {
		t.Errorf("the absolute limit is %s", got)
	}
	cookie := onlyCookie(t, w)
	clock.Advance(24*time.Hour - time.Second)
	if _, found, err := m.Find(request(cookie)); err != nil || !found {
		t.Errorf("before a day: found %v, error %v", found, err)
	}
	clock.Advance(24*time.Hour + time.Second)
	if _, found, err := m.Find(request(cookie)); err != nil || found {
		t.Errorf("after an idle day: found %v, error %v", found, err)
	}
}

func TestGarbageInTheCookieIsNoSessionAndNoError(t *testing.T) {
	h := newHouse(t)
	_, good := h.signIn(t)
	for _, value := range []string{
		"", "x", strings.Repeat("A", 43), strings.Repeat("A", 42), strings.Repeat("A", 100_000),
		good.Value + "A", good.Value[:42], good.Value + "=", strings.Repeat("!", 43), "' OR 1=1 --",
	} {
		if _, ok := h.mustFind(t, &http.Cookie{Name: good.Name, Value: value}); ok {
			t.Errorf("%.60q is a session", value)
		}
	}
	if _, ok := h.mustFind(t, good); !ok {
		t.Error("the good cookie is none either")
	}
}

// Rule: SIGNIN-9
func TestRepeatedCookieIsNoSession(t *testing.T) {
	h := newHouse(t)
	_, mine := h.signIn(t)
	_, planted := h.signIn(t)
	garbage := &http.Cookie{Name: mine.Name, Value: "x"}
	other := &http.Cookie{Name: "other", Value: "x"}
	for _, cookies := range [][]*http.Cookie{{mine, planted}, {planted, mine}, {mine, mine},
		{garbage, mine}, {mine, garbage}} {
		if _, ok := h.mustFind(t, cookies...); ok {
			t.Errorf("%v is a session", cookies)
		}
	}
	if _, ok := h.mustFind(t, other, mine); !ok {
		t.Error("one cookie of the name, beside one of another, is no session")
	}
}

func TestPlainCookieDoesNotCountOnASecureSite(t *testing.T) {
	h := newHouse(t)
	_, cookie := h.signIn(t)
	if _, ok := h.mustFind(t, &http.Cookie{Name: "portico", Value: cookie.Value}); ok {
		t.Error("a cookie that a neighbouring domain could set is a session")
	}
}
