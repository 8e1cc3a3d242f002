package provider_test

import (
	"cmp"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/portico-id/portico/provider/upstreams"
	"github.com/portico-id/portico/storage"
)

// liar is a provider of OpenID Connect that says what a test wants it to say.
type liar struct {
	*world
	URL    string
	issuer string // as its metadata has it

	keyIssuer string // as its key has it; empty: it says none

	serves http.Handler
	key    *rsa.PrivateKey
	says   map[string]any    // over what an honest one says; nil takes a claim out
	info   map[string]any    // user info; nil: there is none
	answer map[string]string // over the answer at the callback; empty takes a parameter out
	sign   func(claims map[string]any) string
	nonce  string
	client func(r *http.Request) // looks at who comes to the token endpoint; nil: by the secret
	down   bool

	kid       string // that a token says; empty: the one that is published
	published string
	keysRead  atomic.Int64
	refreshes atomic.Int64  // how often it was asked by refresh token
	refresh   string        // that refresh tokens begin with; empty: it gives none
	refuses   string        // the error with which it answers a refresh token; empty: it does not
	stalls    chan struct{} // until when it answers no refresh token; nil: it does at once
	given     sync.Map      // refresh tokens that count, with whose they are
	gone      sync.Map      // people who are there no more
	breaks    bool          // it breaks the line where it is asked by refresh token

	logoutAt string            // end_session_endpoint; empty: there is none
	sendsOn  map[string]string // where who asks for a path is sent; of none: nowhere

	asked func(path string) // is told what is asked for, before it is answered; nil: nobody is
}

// codeFor is what a code begins with that knows its nonce.
const codeFor = "for "

const liarsSecret = "secret of the client there"

// liar starts one, and makes it an upstream with the id.
func (w *world) liar(id string, pairs ...string) *liar {
	w.Helper()
	l := w.standIn("")
	w.upstream(id, l.URL, "portico", liarsSecret, pairs...)
	return l
}

// liarsKeys are made once for the process, as making one takes a tenth of a second: a
// function for the first liar of every world, one for the second, and so on.
var liarsKeys sync.Map

// liarsKey is a key that no other liar of the world has.
func (w *world) liarsKey() *rsa.PrivateKey {
	w.Helper()
	made, _ := liarsKeys.LoadOrStore(w.liars.Add(1), sync.OnceValues(func() (*rsa.PrivateKey, error) {
		return rsa.GenerateKey(rand.Reader, 2048)
	}))
	key, err := made.(func() (*rsa.PrivateKey, error))()
	w.must(err)
	return key
}

// standIn starts one whose issuer has the path, in which {tenantid} may stand.
func (w *world) standIn(path string) *liar {
	w.Helper()
	key := w.liarsKey()
	l := &liar{world: w, key: key, published: "k"}
	mux := http.NewServeMux()
	mux.HandleFunc(strings.Replace(path, "{tenantid}", "organizations", 1)+"/.well-known/openid-configuration", l.metadata)
	mux.HandleFunc("/authorize", l.authorize)
	mux.HandleFunc("/token", l.token)
	mux.HandleFunc("/userinfo", func(rw http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(rw).Encode(l.info) })
	mux.HandleFunc("/keys", func(rw http.ResponseWriter, _ *http.Request) {
		l.keysRead.Add(1)
		text, err := jose.JSONWebKey{Key: l.key.Public(), KeyID: l.published, Use: "sig"}.MarshalJSON()
		w.must(err)
		one := map[string]any{}
		w.must(json.Unmarshal(text, &one))
		if l.keyIssuer != "" {
			one["issuer"] = l.keyIssuer
		}
		_ = json.NewEncoder(rw).Encode(map[string]any{"keys": []any{one}})
	})
	server := httptest.NewServer(l.before(mux))
	w.Cleanup(server.Close)
	l.URL, l.issuer = server.URL, server.URL+path
	l.serves = server.Config.Handler
	return l
}

// before tells of what is asked for, and sends on whom it is to.
func (l *liar) before(answers http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if l.asked != nil {
			l.asked(r.URL.Path)
		}
		if to, on := l.sendsOn[r.URL.Path]; on {
			http.Redirect(rw, r, to, http.StatusTemporaryRedirect)
			return
		}
		answers.ServeHTTP(rw, r)
	})
}

// upstream makes one of whatever is at the issuer.
func (w *world) upstream(id, issuer, clientID, secret string, pairs ...string) storage.Upstream {
	w.Helper()
	change := upstreams.Change{"issuer": issuer, "client_id": clientID, "networks": "127.0.0.0/8", "join": "open",
		"trust_email": "true", "name": "Works " + id}
	for i := 0; i+1 < len(pairs); i += 2 {
		change[pairs[i]] = pairs[i+1]
	}
	upstream, err := w.Upstreams.Create(w.Context(), w.act(), id, "oidc", secret, change)
	w.must(err)
	return upstream
}

func (l *liar) metadata(rw http.ResponseWriter, _ *http.Request) {
	if l.down {
		http.Error(rw, "down", http.StatusBadGateway)
		return
	}
	_ = json.NewEncoder(rw).Encode(map[string]any{"issuer": l.issuer, "authorization_endpoint": l.URL + "/authorize",
		"end_session_endpoint": l.logoutAt,
		"token_endpoint":       l.URL + "/token", "jwks_uri": l.URL + "/keys", "userinfo_endpoint": l.URL + "/userinfo",
		"authorization_response_iss_parameter_supported": l.issuer == l.URL})
}

// authorize signs whoever comes in at once.
func (l *liar) authorize(rw http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("code_challenge_method") != "S256" || q.Get("response_type") != "code" || q.Get("redirect_uri") == "" {
		l.Errorf("the authorize request is %s", q)
	}
	answer := url.Values{"code": {codeFor + q.Get("nonce")}, "state": {q.Get("state")}}
	if l.issuer == l.URL {
		answer.Set("iss", l.URL)
	}
	for name, value := range l.answer {
		answer.Set(name, value)
		if value == "" {
			answer.Del(name)
		}
	}
	http.Redirect(rw, r, q.Get("redirect_uri")+"?"+answer.Encode(), http.StatusFound)
}

func (l *liar) token(rw http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	if l.client != nil {
		l.client(r)
	} else if id != "portico" || secret != url.QueryEscape(liarsSecret) ||
		r.FormValue("code_verifier") == "" && r.FormValue("grant_type") != "refresh_token" {
		l.Errorf("the client at the token endpoint is %q", id)
	}
	who, _ := l.says["sub"].(string)
	who = cmp.Or(who, "person-1")
	if r.FormValue("grant_type") == "refresh_token" {
		if who = l.goesOn(rw, r); who == "" {
			return
		}
	}
	got := map[string]any{"token_type": "Bearer", "access_token": "access",
		"id_token": l.idTokenOf(who, r.FormValue("code"))}
	if l.refresh != "" {
		next := l.refresh + l.ambient.UID()
		l.given.Store(next, who)
		got["refresh_token"] = next
	}
	_ = json.NewEncoder(rw).Encode(got)
}

// goesOn returns whose the refresh token is, if it is one that was given last and counts.
func (l *liar) goesOn(rw http.ResponseWriter, r *http.Request) string {
	l.refreshes.Add(1)
	if l.stalls != nil {
		<-l.stalls
	}
	if l.breaks {
		panic(http.ErrAbortHandler)
	}
	refuses, token := l.refuses, r.FormValue("refresh_token")
	if refuses == "" {
		who, last := l.given.LoadAndDelete(token)
		if _, gone := l.gone.Load(who); last && !gone {
			return who.(string)
		}
		if refuses = "invalid_grant"; !last {
			l.Errorf("the refresh token %q is not the one that was given last", token)
		}
	}
	rw.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(rw).Encode(map[string]any{"error": refuses})
	return ""
}

func (l *liar) idToken(code string) string { return l.idTokenOf("person-1", code) }

func (l *liar) idTokenOf(who, code string) string {
	nonce, ok := strings.CutPrefix(code, codeFor)
	if !ok {
		nonce = l.nonce
	}
	now := l.ambient.Now()
	claims := map[string]any{"iss": l.issuer, "aud": "portico", "sub": who, "nonce": nonce, "name": "Person One",
		"iat": now.Unix(), "exp": now.Add(time.Minute).Unix(), "auth_time": now.Unix(),
		"email": "one@works.test", "email_verified": true, "sid": "s1"}
	maps.Copy(claims, l.says)
	for name, value := range claims {
		if value == nil {
			delete(claims, name)
		}
	}
	if l.sign != nil {
		return l.sign(claims)
	}
	return l.signed(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: l.key,
		KeyID: cmp.Or(l.kid, l.published)}}, claims)
}

func (l *liar) signed(key jose.SigningKey, claims map[string]any) string {
	signer, err := jose.NewSigner(key, (&jose.SignerOptions{}).WithType("JWT"))
	l.must(err)
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	l.must(err)
	return token
}

// visit goes to the upstream and comes back.
func (b *browser) visitUpstream(id string, query ...string) visit {
	b.Helper()
	address := b.URL + "/login/upstream/" + id
	if len(query) > 0 {
		address += "?" + query[0]
	}
	return b.throughAway(b.get(address))
}

// throughAway follows a redirect to somewhere else that is no app, and from there back to us.
func (b *browser) throughAway(v visit) visit {
	b.Helper()
	for range 5 {
		if v.Away == nil || strings.HasPrefix(v.Away.String(), callback) {
			return v
		}
		r, err := http.NewRequest(http.MethodGet, v.Away.String(), nil)
		b.must(err)
		away := b.do(b.client, r)
		to, err := v.Away.Parse(away.Header.Get("Location"))
		b.must(err)
		if away.Header.Get("Location") == "" {
			b.Fatalf("%s answers %d: %s", v.Away, away.Status, away.Body)
		}
		v = b.get(to.String())
	}
	return v
}
