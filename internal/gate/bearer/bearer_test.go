package bearer_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

func TestCallerIsWhoTheTokenSpeaksFor(t *testing.T) {
	w := newWorld(t)
	want := bearer.Caller{
		ClientID: "client", UserID: "USER", GrantID: "grant", JTI: "jti", Profile: "platform",
		Scopes: []string{"data:read", "data:write"}, IssuedAt: start, ExpiresAt: start.Add(time.Hour),
		Audience: []string{"https://id.example.test"},
	}
	got, err := w.auth.Check(t.Context(), w.threeLegged)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("caller (-want +got):\n%s", diff)
	}
	if got.TwoLegged() || !got.Has("data:write") || got.Has("data") || got.Has("") {
		t.Errorf("two-legged %v, or scopes are mistaken: %v", got.TwoLegged(), got.Scopes)
	}
	if got, err := w.auth.Check(t.Context(), w.twoLegged); err != nil || !got.TwoLegged() {
		t.Errorf("a token without a user: %+v, %v", got, err)
	}
}

func TestEverythingBehindATokenIsAskedAboutAtOnce(t *testing.T) {
	w := newWorld(t)
	if _, err := w.auth.Check(t.Context(), w.threeLegged); err != nil {
		t.Fatal(err)
	}
	want := query{IssuedAt: start, JTI: "jti", ClientID: "client", GrantID: "grant", UserID: "USER"}
	if diff := cmp.Diff([]query{want}, w.tokens.asked); diff != "" {
		t.Errorf("look-ups (-want +got):\n%s", diff)
	}
}

// Rule: TOKEN-9
func TestTokenDiesWithWhateverStandsBehindIt(t *testing.T) {
	for name, c := range map[string]struct {
		end       func(w world) error
		twoLegged bool // the client's own token dies too
	}{
		"the token is revoked": {end: func(w world) error {
			return w.store.RevokeToken(t.Context(), act, "jti", start.Add(time.Hour))
		}, twoLegged: true}, // the two share their jti here
		"the grant is revoked": {end: func(w world) error { return w.store.RevokeGrant(t.Context(), act, "grant") }},
		"the user is disabled": {end: func(w world) error { return w.store.SetUserDisabled(t.Context(), act, "USER", true) }},
		"the user is deleted":  {end: func(w world) error { return w.store.DeleteUser(t.Context(), act, "USER") }},
		"the client is disabled": {end: func(w world) error {
			return w.store.SetClientDisabled(t.Context(), act, "client", true)
		}, twoLegged: true},
		"the client is deleted": {end: func(w world) error { return w.store.DeleteClient(t.Context(), act, "client") },
			twoLegged: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			for _, token := range []string{w.threeLegged, w.twoLegged} {
				if _, err := w.auth.Check(t.Context(), token); err != nil {
					t.Fatalf("before: %v", err)
				}
			}
			if err := c.end(w); err != nil {
				t.Fatal(err)
			}
			if _, err := w.auth.Check(t.Context(), w.threeLegged); !is(err, fault.Unauthenticated, bearer.ReasonInvalidToken) {
				t.Errorf("afterwards: %v, want invalid_token", err)
			}
			if _, err := w.auth.Check(t.Context(), w.twoLegged); (err != nil) != c.twoLegged {
				t.Errorf("the client's own token: %v, want refused = %v", err, c.twoLegged)
			}
		})
	}
}

// Rule: SERVER-23
func TestStoreThatIsDownIsNoVerdictOnTheToken(t *testing.T) {
	w := newWorld(t)
	w.tokens.err = fault.New(fault.Unavailable, "", "")
	if _, err := w.auth.Check(t.Context(), w.threeLegged); !fault.Is(err, fault.Unavailable) {
		t.Errorf("Check = %v, want Unavailable", err)
	}
}

func TestTokenIsTakenFromTheAuthorizationHeader(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]struct {
		headers []string
		kind    fault.Kind
		reason  string // empty: accepted
	}{
		"Bearer":               {headers: []string{"Bearer TOKEN"}},
		"scheme in lower case": {headers: []string{"bearer TOKEN"}},
		"scheme in upper case": {headers: []string{"BEARER TOKEN"}},
		"two spaces":           {headers: []string{"Bearer  TOKEN"}},
		"bare token":           {headers: []string{"TOKEN"}},
		"no header":            {nil, fault.Unauthenticated, bearer.ReasonMissingToken},
		"empty header":         {[]string{""}, fault.Unauthenticated, bearer.ReasonMissingToken},
		"another scheme": {[]string{"Basic Y2xpZW50OnNlY3JldA=="}, fault.Unauthenticated,
			bearer.ReasonMissingToken},
		"scheme alone":               {[]string{"Bearer"}, fault.Unauthenticated, bearer.ReasonInvalidToken},
		"something after the token":  {[]string{"Bearer TOKEN x"}, fault.Unauthenticated, bearer.ReasonInvalidToken},
		"a token that is none":       {[]string{"Bearer abc"}, fault.Unauthenticated, bearer.ReasonInvalidToken},
		"bare text that is no token": {[]string{"a.b.c"}, fault.Unauthenticated, bearer.ReasonInvalidToken},
		"two headers":                {[]string{"Bearer TOKEN", "Bearer TOKEN"}, fault.Invalid, bearer.ReasonInvalidRequest},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/x?page=1", nil)
			for _, h := range c.headers {
				r.Header.Add("Authorization", strings.ReplaceAll(h, "TOKEN", w.threeLegged))
			}
			_, err := w.auth.Authenticate(r)
			if c.reason == "" && err != nil {
				t.Fatalf("refused: %v", err)
			}
			if c.reason != "" && !is(err, c.kind, c.reason) {
				t.Errorf("got %v, want %v %s", err, c.kind, c.reason)
			}
		})
	}
}

// Rule: TOKEN-10
func TestTokenInTheURLIsRefused(t *testing.T) {
	w := newWorld(t)
	for _, target := range []string{"/x?access_token=" + w.threeLegged,
		"/x?a=1&access%5Ftoken=" + w.threeLegged, "/x?access_token="} {
		for _, header := range []string{"", "Bearer " + w.threeLegged} {
			r := httptest.NewRequest(http.MethodGet, target, nil)
			if header != "" {
				r.Header.Set("Authorization", header)
			}
			if _, err := w.auth.Authenticate(r); !is(err, fault.Invalid, bearer.ReasonInvalidRequest) {
				t.Errorf("%s with header %q: %v, want invalid_request", target[:20], header, err)
			}
		}
	}
}

// Rule: INFO-8
func TestTokenIsTakenFromAPostedFormOnlyWhereThatIsAsked(t *testing.T) {
	w := newWorld(t)
	form := url.Values{"access_token": {w.threeLegged}}.Encode()
	post := func(body, header string) *http.Request {
		r := httptest.NewRequest(http.MethodPost, "/userinfo", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
		if header != "" {
			r.Header.Set("Authorization", header)
		}
		return r
	}
	other := post(form, "")
	other.Header.Set("Content-Type", "text/plain")
	get := post(form, "")
	get.Method = http.MethodGet

	for name, c := range map[string]struct {
		r      *http.Request
		reason string
	}{
		"in the form":             {post(form, ""), ""},
		"in the header":           {post("a=1", "Bearer "+w.threeLegged), ""},
		"in both":                 {post(form, "Bearer "+w.threeLegged), bearer.ReasonInvalidRequest},
		"twice in the form":       {post(form+"&"+form, ""), bearer.ReasonInvalidRequest},
		"nowhere":                 {post("a=1", ""), bearer.ReasonMissingToken},
		"in a body of a GET":      {get, bearer.ReasonMissingToken},
		"in a body of text":       {other, bearer.ReasonMissingToken},
		"in a malformed form":     {post("access_token=%zz", ""), bearer.ReasonInvalidRequest},
		"beside a repeated field": {post(form+"&a=1&a=2", ""), bearer.ReasonInvalidRequest},
		"beside what is no text":  {post(form+"&a=%ff", ""), bearer.ReasonInvalidRequest},
		"in an endless form":      {post(form+"&a="+strings.Repeat("x", 1<<20), ""), bearer.ReasonInvalidRequest},
		"a wrong one in the form": {post("access_token=abc", ""), bearer.ReasonInvalidToken},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := w.auth.AuthenticateForm(httptest.NewRecorder(), c.r)
			if c.reason == "" && err != nil || c.reason != "" && !fault.HasReason(err, c.reason) {
				t.Errorf("got %v, want reason %q", err, c.reason)
			}
		})
	}
	if _, err := w.auth.Authenticate(post(form, "")); !is(err, fault.Unauthenticated, bearer.ReasonMissingToken) {
		t.Errorf("Authenticate took a token from the form: %v", err)
	}
}

func TestExchangeLearnsWhoIsCalling(t *testing.T) {
	w := newWorld(t)
	exchange := &httpio.Exchange{}
	r := httptest.NewRequest(http.MethodGet, "/x", nil)
	r = r.WithContext(httpio.With(r.Context(), exchange))
	if _, err := w.auth.Authenticate(r); err == nil || exchange.ClientID != "" {
		t.Fatalf("without a token: %v, client %q", err, exchange.ClientID)
	}
	r.Header.Set("Authorization", "Bearer "+w.threeLegged)
	if _, err := w.auth.Authenticate(r); err != nil {
		t.Fatal(err)
	}
	if exchange.ClientID != "client" || exchange.UserID != "USER" {
		t.Errorf("the exchange says %q, %q", exchange.ClientID, exchange.UserID)
	}
}

func TestContextWithoutACallerHasNone(t *testing.T) {
	if caller, ok := bearer.From(context.Background()); ok {
		t.Errorf("From = %+v", caller)
	}
}

func is(err error, kind fault.Kind, reason string) bool {
	return fault.Is(err, kind) && fault.HasReason(err, reason)
}

var discard = slog.New(slog.DiscardHandler)

// Rule: TOKEN-28
func TestATokenLosesTheScopesThatItsClientLoses(t *testing.T) {
	w := newWorld(t)
	asker := bearer.NewAsker(bearer.Caller{Scopes: []string{"data:read"}}, storage.Caller{ClientID: "client"},
		"data:read", "data:write")
	for _, scopes := range [][]string{{"data:read", "data:write"}, {"data:write"}, nil, {"data:read"}} {
		client, err := w.store.FindClient(t.Context(), "client")
		if err != nil {
			t.Fatal(err)
		}
		client.Scopes = scopes
		if err := w.store.UpdateClient(t.Context(), act, client); err != nil {
			t.Fatal(err)
		}
		for _, token := range []string{w.twoLegged, w.threeLegged} {
			got, err := w.auth.Check(t.Context(), token)
			if err != nil || !slices.Equal(got.Scopes, scopes) {
				t.Errorf("while the client has %v, its token has %v, %v", scopes, got.Scopes, err)
			}
		}
		may, err := w.auth.StillMay(t.Context(), asker)
		if want := slices.Contains(scopes, "data:read"); err != nil || may != want {
			t.Errorf("while the client has %v, what was made with data:read counts: %v, %v", scopes, may, err)
		}
	}
}

// Rule: TOKEN-28
func TestWhatAnEarlierReleaseMadeCountsWithoutScopes(t *testing.T) {
	w := newWorld(t)
	if may, err := w.auth.StillMay(t.Context(), bearer.Asker{ClientID: "client", UserID: "USER"}); err != nil || !may {
		t.Errorf("%v, %v", may, err)
	}
}

// demanding is our own address, whose people have to be proven so strongly, since then.
type demanding struct {
	bearer.Resources
	acr   string
	since time.Time
}

func (d demanding) Demanded(context.Context, string) (acr string, maxAge time.Duration, since time.Time, err error) {
	if d.since.IsZero() {
		return d.acr, 0, d.since, nil
	}
	return d.acr, time.Minute, d.since, nil
}

// The grant of these tests is of somebody who was proven at the start, by one factor.
//
// Rule: RES-9
func TestWhatWasMadeWithATokenAndWhatTakesLongEndsWithTheSignInToo(t *testing.T) {
	w := newWorld(t)
	token := sign(t, w.keys, signing.AccessClaims{Subject: "USER", ClientID: "client", UserID: "USER", GrantID: "grant",
		JTI: "other", IssuedAt: start.Unix(), ExpiresAt: start.Add(time.Hour).Unix(), AuthTime: start.Unix()})
	for name, c := range map[string]struct {
		now  demanding
		good bool
	}{
		"nothing is demanded":      {demanding{}, true},
		"as old as it may be":      {demanding{since: start}, true},
		"older than it may be":     {demanding{since: start.Add(time.Second)}, false},
		"weaker than it has to be": {demanding{acr: storage.ACRTwoFactors}, false},
	} {
		auth := bearer.New(bearer.Options{Keys: w.keys, Tokens: w.tokens, Registered: slices.Contains[[]string],
			Resources: c.now})
		asker := bearer.Asker{ClientID: "client", UserID: "USER", GrantID: "grant"}
		if may, err := auth.StillMay(t.Context(), asker); err != nil || may != c.good {
			t.Errorf("%s: what was made counts: %v, %v", name, may, err)
		}
		if may, err := auth.StillMay(t.Context(), bearer.Asker{ClientID: "client"}); err != nil || !may {
			t.Errorf("%s: what an app made counts: %v, %v", name, may, err)
		}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		if _, err := auth.Again(r); (err == nil) != c.good {
			t.Errorf("%s: a request that waits goes on: %v", name, err)
		}
	}
}
