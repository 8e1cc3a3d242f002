package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// keyReads counts how often a client reads the published keys.
type keyReads struct {
	http.RoundTripper
	count atomic.Int64
}

func (k *keyReads) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == keysPath {
		k.count.Add(1)
	}
	return k.RoundTripper.RoundTrip(r)
}

// Rule: KEY-3
func TestARotationInAnotherProcessBreaksNoTokenAndNoVerifier(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		s.within(time.Second, func() bool { return len(s.publishedKeys()) == 2 }, "no next key is published")
		s.person("person@example.test")
		c := s.client()
		old := s.visitor("person@example.test").tokens(c)
		reads := &keyReads{RoundTripper: s.plain.Transport}
		ctx := oidc.ClientContext(t.Context(), &http.Client{Transport: reads})
		provider, err := oidc.NewProvider(ctx, s.URL)
		s.must(err)
		verifies := func(when string, token string) {
			t.Helper()
			if _, err := verifyAccessToken(ctx, provider, s.URL, token); err != nil {
				t.Errorf("%s: %v", when, err)
			}
		}
		verifies("before the rotation", old.text("access_token"))

		s.rotate()
		var fresh answer
		s.within(time.Second, func() bool {
			fresh = s.token(c, "grant_type", "client_credentials")
			return kid(t, fresh.text("access_token")) != kid(t, old.text("access_token"))
		}, "the server goes on signing with the former key")

		verifies("an old token after the rotation", old.text("access_token"))
		verifies("a new token after the rotation", fresh.text("access_token"))
		if n := reads.count.Load(); n != 1 {
			t.Errorf("the client had to read the keys %d times: the next key was not there before it was used", n)
		}
		if got := s.userInfo(old.text("access_token")); got.Status != http.StatusOK {
			t.Errorf("user info with an old token: %d %s", got.Status, got.Body)
		}
		if got := s.send(introspectPath, c, "token", old.text("access_token")); got.object(t)["active"] != true {
			t.Errorf("introspection of an old token: %d %s", got.Status, got.Body)
		}
		renewed := s.refresh(c, old.text("refresh_token"))
		if renewed.Status != http.StatusOK {
			t.Fatalf("refresh of an old token: %d %s", renewed.Status, renewed.Body)
		}
		verifies("a refreshed token", renewed.text("access_token"))
		s.signsOutWithHint(old.text("id_token"))
	})
}

// publishedKeys returns the RS256 keys that verifiers see.
func (s *site) publishedKeys() []any {
	s.Helper()
	r, err := http.NewRequest(http.MethodGet, s.URL+keysPath, nil)
	s.must(err)
	got, err := try(s.plain, r)
	s.must(err)
	keys, _ := got.object(s)["keys"].([]any)
	return slices.DeleteFunc(keys, func(key any) bool { return key.(map[string]any)["alg"] != "RS256" })
}

// rotate lets `portico key rotate` run in a process of its own.
func (s *site) rotate() {
	s.Helper()
	cmd := s.portico("key", "rotate", "--at-once")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	tie, err := cmd.StdinPipe()
	s.must(err)
	defer tie.Close()
	if err := cmd.Run(); err != nil {
		s.Fatalf("portico key rotate: %v\n%s", err, stderr.String())
	}
}

// signsOutWithHint checks that an ID token of a former key is still a hint.
func (s *site) signsOutWithHint(idToken string) {
	s.Helper()
	p, err := s.visitor("").open(s.URL + logoutPath + "?" + form("id_token_hint", idToken).Encode())
	if err != nil || p.Status != http.StatusOK || p.At.Path != "/login" {
		s.Errorf("an old ID token as hint: %v, status %d at %v", err, p.Status, p.At)
	}
}

// kid returns the key id in the header of a JWT.
func kid(t testing.TB, token string) string {
	t.Helper()
	var header struct{ KID string }
	if err := json.Unmarshal(jwtPart(t, token, 0), &header); err != nil || header.KID == "" {
		t.Fatalf("a token without kid: %v", err)
	}
	return header.KID
}
